/**
 * Traces and metrics by OTLP (protobuf over HTTP), in the background: the service never waits for them. What waits to be
 * sent is bounded by sampling and by the time a request may take; an endpoint that is away, slow or refuses is told once
 * when that begins and once when it ends, and what could not be sent by then is dropped. The last are sent at the end.
 */
import { randomUUID } from "node:crypto"
import { ConfigProvider, Effect, Layer, References, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, type HttpClientRequest } from "effect/http"
import { OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { OtlpEndpoint } from "./OtlpEndpoint.ts"
import { type SamplingLimits, sampledTracer } from "./TraceSampling.ts"

export interface TelemetryOptions {
  readonly endpoint: OtlpEndpoint
  readonly version: string
  readonly limits: SamplingLimits & {
    readonly tracesEveryMs: number
    readonly metricsEveryMs: number
    /** One request, its answer included; the exporter makes up to four, then is silent for a minute. */
    readonly requestMs: number
    /** The last request of each kind, when the process stops. */
    readonly lastRequestMs: number
  }
}

/** Tells once of an outage, however many requests fail in it, and once of its end. */
const makeOutageReporter = (host: string) => {
  const failing = new Set<string>()
  return {
    failed: (url: string, what: string) =>
      Effect.suspend(() => {
        const told = failing.size > 0
        failing.add(url)
        return told
          ? Effect.void
          : Effect.logWarning(
              `OTEL_EXPORTER_OTLP_ENDPOINT: ${host} ${what}; traces and metrics are dropped until it takes them.`
            )
      }),
    succeeded: (url: string) =>
      Effect.suspend(() =>
        failing.delete(url) && failing.size === 0
          ? Effect.logInfo(`OTEL_EXPORTER_OTLP_ENDPOINT: ${host} takes traces and metrics again.`)
          : Effect.void
      )
  }
}

/**
 * Every fault is one that is tried again soon: left to itself the exporter would wait as long as a `Retry-After` asks,
 * or for an answer that never ends, and keep what it sends meanwhile.
 */
const clientLayer = ({ endpoint: { host }, limits: { requestMs } }: TelemetryOptions) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const { failed, succeeded } = makeOutageReporter(host)
      const fault = (request: HttpClientRequest.HttpClientRequest, description: string) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, description })
        })
      return HttpClient.transform(yield* HttpClient.HttpClient, (answer, request) =>
        answer.pipe(
          Effect.tap((response) => response.arrayBuffer),
          Effect.mapError(() => fault(request, "cannot be reached")),
          Effect.timeoutOrElse({
            duration: requestMs,
            orElse: () => Effect.fail(fault(request, `gave no answer within ${requestMs / 1_000} s`))
          }),
          Effect.filterOrFail(
            ({ status }) => status >= 200 && status < 300,
            ({ status }) => fault(request, `answered HTTP ${status}`)
          ),
          Effect.tap(() => succeeded(request.url)),
          Effect.tapError(({ reason }) => failed(request.url, reason.description ?? "fails"))
        )
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

const exporting = (options: TelemetryOptions): Layer.Layer<never> => {
  const { endpoint, version, limits } = options
  const shared = {
    // The instance tells the counters of several processes apart.
    resource: {
      serviceName: "ledgerhook",
      serviceVersion: version,
      attributes: { "service.instance.id": randomUUID() }
    },
    headers: endpoint.headers,
    shutdownTimeout: limits.lastRequestMs
  }
  const traces = Layer.effect(
    Tracer.Tracer,
    Effect.map(
      OtlpTracer.make({ ...shared, url: endpoint.traces, exportInterval: limits.tracesEveryMs }),
      (tracer) => sampledTracer(tracer, limits)
    )
  ).pipe(Layer.provide(OtlpExporter.layerFlusher))
  const metrics = OtlpMetrics.layer({
    ...shared,
    url: endpoint.metrics,
    exportInterval: limits.metricsEveryMs
  })
  return Layer.merge(traces, Layer.effectDiscard(Layer.build(metrics))).pipe(
    // Without the last: the exporter would read variables of its own, past our settings.
    Layer.provide([
      OtlpSerialization.layerProtobuf,
      clientLayer(options),
      ConfigProvider.layer(ConfigProvider.fromUnknown({}))
    ])
  )
}

/** Without an endpoint no span is made. */
export const layer = (options: TelemetryOptions | undefined): Layer.Layer<never> =>
  options === undefined ? Layer.succeed(References.TracerEnabled, false) : exporting(options)
