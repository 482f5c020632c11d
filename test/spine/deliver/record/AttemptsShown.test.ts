/** Metrics and debug lines of recorded attempts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric, References } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { type Outcome, showAttempts } from "../../../../src/spine/deliver/record/AttemptsShown.ts"
import type { Work } from "../../../../src/spine/deliver/Work.ts"
import { eventOf } from "../../../support/deliver/events.ts"

const CLOSED = Date.parse("2026-11-21T09:30:00Z")

const outcomeOf = (work: Partial<Work>, attempt: Partial<Outcome["attempt"]>): Outcome => ({
  attempt: {
    deliveryId: "dlv_1",
    attempt: 1,
    status: "delivered",
    responseStatus: 200,
    responseTimeMs: 20,
    responseBody: "secret",
    error: null,
    attemptedAt: CLOSED + 1_500,
    endedAt: CLOSED + 1_540,
    nextDelayMs: null,
    ...attempt
  },
  accountId: "acct_1",
  webhookId: "wh_1",
  work: {
    key: "k",
    deliveryId: "dlv_1",
    attempt: 1,
    seriesAttempt: 1,
    event: eventOf({ timestamp: "2026-11-21T09:30:00Z", network: "mainnet" }),
    kind: "live",
    acknowledge: undefined,
    queuedAt: 0,
    wasFree: true,
    ...work
  }
})

const outcomes: ReadonlyArray<Outcome> = [
  outcomeOf({}, {}),
  outcomeOf({}, { attempt: 2, status: "retrying", responseStatus: 503, error: "HTTP 503" }),
  outcomeOf(
    { kind: "replays", wasFree: false },
    { status: "failed", responseStatus: null, error: "timeout after 10000 ms" }
  )
]

const linesAt = Effect.fnUntraced(function* (level: "Info" | "Debug") {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.make<unknown, void>(({ fiber, message }) => {
    lines.push({ message: String(message), ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  yield* showAttempts(outcomes).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, level)
  )
  return lines
})

describe("recorded attempts", () => {
  it.effect(
    "are counted by outcome and status class, and timed; only first attempts of free webhooks by their delay",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* linesAt("Info"), [])
        const text = yield* PrometheusMetrics.format()
        for (const line of [
          'attempts_total{outcome="delivered",status_class="2xx"} 1',
          'attempts_total{outcome="retrying",status_class="5xx"} 1',
          'attempts_total{outcome="failed",status_class="none"} 1',
          'attempt_duration_seconds_bucket{outcome="delivered",le="0.05"} 1',
          'attempt_duration_seconds_bucket{outcome="delivered",le="0.025"} 0',
          'service_delay_seconds_count{network="mainnet"} 1',
          'service_delay_seconds_sum{network="mainnet"} 1.5'
        ])
          assert.include(text, line)
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("have a line each at the level debug, without the response's body", () =>
    Effect.gen(function* () {
      const lines = yield* linesAt("Debug")
      assert.lengthOf(lines, 3)
      const { event_id, ...line } = lines[1]!
      assert.isString(event_id)
      assert.deepStrictEqual(line, {
        message: "attempt",
        webhook_id: "wh_1",
        delivery_id: "dlv_1",
        event_type: "payment.xrp",
        network: "mainnet",
        kind: "live",
        attempt: 2,
        outcome: "retrying",
        status: 503,
        error: "HTTP 503",
        duration_ms: 40
      })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
