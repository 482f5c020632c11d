/** `/metrics` shows the program's counters in Prometheus' format and needs no key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { Metrics } from "../../src/observability/Metrics.ts"
import { ApiUnderTest, apiLayer } from "../support/api.ts"

describe("metrics", () => {
  it.live("are Prometheus text, and count by their label", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      yield* Metrics.ledgersTaken.add({ network: "devnet" }, 2)
      yield* Metrics.ledgersTaken.add({ network: "devnet" }, 1)
      yield* Metrics.detectionAlerts.add({ network: "devnet" }, 0)
      const { status, headers, text } = yield* api.call("GET", "/metrics")
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/plain/)
      assert.match(text, /# TYPE ledgerhook_ledgers_taken_total counter/)
      assert.match(text, /ledgerhook_ledgers_taken_total\{network="devnet"\} 3/)
      assert.strictEqual((yield* api.call("POST", "/metrics")).status, 405)
    }).pipe(Effect.provide(apiLayer()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
