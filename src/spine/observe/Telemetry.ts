/**
 * Sends traces and metrics by OTLP (protobuf over HTTP) in the background. The service never waits for them. Sampling
 * and the request timeout bound what waits to be sent. If the endpoint is unavailable, the data is dropped; the start
 * and the end of an outage are logged once each. When the process stops, it sends what is left.
 */
import { randomUUID } from "node:crypto"
import { ConfigProvider, Effect, Layer, References, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, type HttpClientRequest } from "effect/http"
import { OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { seconds } from "../words/Words.ts"
import type { OtlpEndpoint } from "./OtlpEndpoint.ts"
import { type SamplingLimits, sampledTracer } from "./TraceSampling.ts"

export interface TelemetryOptions {
  readonly endpoint: OtlpEndpoint
  readonly version: string
  readonly limits: SamplingLimits & {
    readonly tracesEveryMs: number
    readonly metricsEveryMs: number
    /** Timeout of one request. After four failures the exporter pauses for a minute. */
    readonly requestMs: number
    /** Timeout of the last request for traces and for metrics, when the process stops. */
    readonly lastRequestMs: number
  }
}

/** Logs the start and the end of an outage, once each, however many requests fail in it. */
const makeOutageReporter = (host: string) => {
  const failing = new Set<string>()
  return {
    failed: (url: string, what: string) =>
      Effect.suspend(() => {
        const isReported = failing.size > 0
        failing.add(url)
        return isReported
          ? Effect.void
          : Effect.logWarning(
              `OTEL_EXPORTER_OTLP_ENDPOINT: ${host} ${what}. Traces and metrics are dropped until it accepts them again.`
            )
      }),
    succeeded: (url: string) =>
      Effect.suspend(() =>
        failing.delete(url) && failing.size === 0
          ? Effect.logInfo(`OTEL_EXPORTER_OTLP_ENDPOINT: ${host} accepts traces and metrics again.`)
          : Effect.void
      )
  }
}

/**
 * Turns every failure into a transport error, which the exporter retries soon. Without this it would wait for as long
 * as a `Retry-After` asks, or for an answer that never ends, and keep the data in memory.
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
            orElse: () => Effect.fail(fault(request, `did not answer within ${seconds(requestMs)}`))
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
    // Distinguishes the counters of several processes.
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
    // The empty ConfigProvider stops the exporter from reading environment variables itself.
    Layer.provide([
      OtlpSerialization.layerProtobuf,
      clientLayer(options),
      ConfigProvider.layer(ConfigProvider.fromUnknown({}))
    ])
  )
}

/** Without an endpoint, tracing is disabled. */
export const layer = (options: TelemetryOptions | undefined): Layer.Layer<never> =>
  options === undefined ? Layer.succeed(References.TracerEnabled, false) : exporting(options)
