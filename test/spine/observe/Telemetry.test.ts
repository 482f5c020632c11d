/** Traces and metrics reach a real OTLP receiver. An unavailable, slow or refusing receiver delays nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Latch, Layer, Logger, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { Metrics } from "../../../src/spine/observe/Metrics.ts"
import { otlpEndpoint } from "../../../src/spine/observe/OtlpEndpoint.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { continued, TRACE_HEADER, traced } from "../../../src/spine/observe/Tracing.ts"
import { makeOtlpReceiver, type OtlpReceiver } from "../../support/servers/otlpReceiver.ts"

const limits = {
  tracesPerSecond: 100,
  spansPerSecond: 1_000,
  tracesEveryMs: 50,
  metricsEveryMs: 50,
  requestMs: 500,
  lastRequestMs: 2_000
}

const telemetry = (url: string, changed: Partial<typeof limits> = {}) =>
  Telemetry.layer({
    endpoint: otlpEndpoint(url, { "x-key": "k" }),
    version: "1.2.3",
    limits: { ...limits, ...changed }
  })

/** Collects the log lines. */
const listening = () => {
  const lines: Array<string> = []
  const some = Latch.makeUnsafe()
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    if (logLevel === "Debug") return
    lines.push(`${logLevel} ${message}`)
    some.openUnsafe()
  })
  return { lines, layer: Logger.layer([logger]), something: Latch.await(some) }
}

const traceOne = traced(Effect.succeed(3), "write events", (events) => ({ events, topic: "t" }))

/** The names of the families that `/metrics` shows. */
const shownFamilies = Effect.map(PrometheusMetrics.format(), (text) =>
  Array.from(text.matchAll(/^# TYPE (\S+) /gm), (match) => match[1]!).sort()
)

const spansNamed = (receiver: OtlpReceiver, name: string) =>
  receiver.spans.filter((span) => span.name === name)

describe("telemetry", () => {
  it.live("sends the metrics of /metrics under their names, with service, version and instance", () =>
    Effect.gen(function* () {
      const receiver = yield* makeOtlpReceiver()
      yield* Effect.gen(function* () {
        yield* Metrics.deliveryAttempts.add({ outcome: "delivered", status_class: "2xx" }, 7)
        const taken = () =>
          receiver
            .series()
            .filter(
              ({ name, attributes }) => name.includes("attempts") && attributes["outcome"] === "delivered"
            )
        yield* receiver.until(() => taken()[0]?.value === 7)
        const [{ description, isMonotonic, resource }] = taken() as [ReturnType<typeof taken>[number]]
        assert.strictEqual(description, "Recorded delivery attempts")
        assert.isTrue(isMonotonic)
        assert.strictEqual(resource["service.name"], "ledgerhook")
        assert.strictEqual(resource["service.version"], "1.2.3")
        assert.match(String(resource["service.instance.id"]), /^[0-9a-f-]{36}$/)
        const sent = [...new Set(receiver.series().map(({ name }) => name))].sort()
        assert.deepStrictEqual(sent, yield* shownFamilies)
      }).pipe(Effect.provide(telemetry(receiver.url)))
      const [{ headers, path }] = receiver.requests as [OtlpReceiver["requests"][number]]
      assert.match(path, /^\/v1\/(traces|metrics)$/)
      assert.strictEqual(headers["content-type"], "application/x-protobuf")
      assert.strictEqual(headers["x-key"], "k")
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.live("sends traces with what they came to, failed ones as errors", () =>
    Effect.gen(function* () {
      const receiver = yield* makeOtlpReceiver()
      yield* Effect.gen(function* () {
        yield* traceOne
        const failing = traced(Effect.fail("no database"), "record attempts", () => ({}))
        yield* Effect.exit(failing)
        yield* Effect.withSpan(Effect.void, "sql.execute", { kind: "client" })
      }).pipe(Effect.provide(telemetry(receiver.url)))
      yield* receiver.until(() => receiver.spans.length >= 2)
      const [written] = spansNamed(receiver, "write events")
      assert.deepStrictEqual(written!.attributes, { events: 3, topic: "t" })
      assert.strictEqual(written!.parentSpanId, "")
      assert.match(written!.traceId, /^[0-9a-f]{32}$/)
      assert.strictEqual(written!.resource["service.name"], "ledgerhook")
      assert.strictEqual(spansNamed(receiver, "record attempts")[0]!.status, 2)
      assert.strictEqual(receiver.spans.length, 2)
    })
  )

  it.live("continues a trace after a record of the log, and begins one if the header is unusable", () =>
    Effect.gen(function* () {
      const receiver = yield* makeOtlpReceiver()
      const none = () => ({})
      yield* Effect.gen(function* () {
        const [record] = yield* traced(continued([{ headers: { a: "b" } }]), "take ledgers", none)
        assert.deepStrictEqual(Object.keys(record!.headers), ["a", TRACE_HEADER])
        yield* traced(Effect.void, "route events", none, record!.headers[TRACE_HEADER as "a"])
        yield* traced(Effect.void, "attempt delivery", none, "00-x-y-01")
      }).pipe(Effect.provide(telemetry(receiver.url)))
      yield* receiver.until(() => receiver.spans.length >= 3)
      const [taken] = spansNamed(receiver, "take ledgers")
      const [routed] = spansNamed(receiver, "route events")
      assert.deepStrictEqual([routed!.traceId, routed!.parentSpanId], [taken!.traceId, taken!.spanId])
      const [own] = spansNamed(receiver, "attempt delivery")
      assert.strictEqual(own!.parentSpanId, "")
      assert.deepStrictEqual(yield* continued([{}]), [{}], "outside of a trace")
    })
  )

  it.live("sends the last at the end, although the interval is not over", () =>
    Effect.gen(function* () {
      const receiver = yield* makeOtlpReceiver()
      const seldom = { tracesEveryMs: 3_600_000, metricsEveryMs: 3_600_000 }
      yield* Effect.gen(function* () {
        yield* traceOne
        yield* Metrics.disabledWebhooks.add({}, 1)
      }).pipe(Effect.provide(telemetry(receiver.url, seldom)))
      assert.strictEqual(spansNamed(receiver, "write events").length, 1)
      assert.isTrue(receiver.series().some(({ name }) => name === "ledgerhook_webhooks_disabled_total"))
    })
  )

  it.live("warns once of a receiver that refuses, keeps trying, and reports when it accepts data again", () =>
    Effect.gen(function* () {
      let refusals = 0
      const receiver = yield* makeOtlpReceiver(() => (++refusals <= 3 ? 503 : 200))
      const { layer, lines } = listening()
      yield* Effect.gen(function* () {
        yield* traceOne
        yield* receiver.until(() => receiver.spans.length === 1 && receiver.series().length > 0)
      }).pipe(Effect.provide(telemetry(receiver.url).pipe(Layer.provideMerge(layer))))
      const host = new URL(receiver.url).host
      assert.deepStrictEqual(lines, [
        `Warn OTEL_EXPORTER_OTLP_ENDPOINT: ${host} answered HTTP 503. Traces and metrics are dropped until it accepts them again.`,
        `Info OTEL_EXPORTER_OTLP_ENDPOINT: ${host} accepts traces and metrics again.`
      ])
    })
  )

  it.live("neither waits nor fails if no receiver listens or answers, and stops in time", () =>
    Effect.gen(function* () {
      const silent = yield* makeOtlpReceiver(() => "handled")
      // An answer that starts, asks to retry later and never ends must not delay anything.
      const dripping = yield* makeOtlpReceiver((_, response) => {
        response.writeHead(200, { "retry-after": "3600" }).write("x")
        return "handled"
      })
      yield* Effect.forEach(
        ["http://127.0.0.1:1", silent.url, dripping.url],
        (url) =>
          Effect.gen(function* () {
            const { layer, lines, something } = listening()
            const startedAt = performance.now()
            yield* Effect.replicateEffect(traceOne, 2_000).pipe(
              Effect.andThen(something),
              Effect.provide(telemetry(url).pipe(Layer.provideMerge(layer)))
            )
            assert.isBelow(performance.now() - startedAt, 15_000)
            assert.strictEqual(lines.length, 1, lines.join("\n"))
            assert.match(
              lines[0]!,
              /^Warn OTEL_EXPORTER_OTLP_ENDPOINT: 127\.0\.0\.1:\d+ (cannot be reached|did not answer)/
            )
          }),
        { concurrency: "unbounded" }
      )
    })
  )

  it.live("makes no span without an endpoint", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        traced(Effect.currentSpan, "write events", () => ({})).pipe(
          Effect.provide(Telemetry.layer(undefined))
        )
      )
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})
