/** `/metrics` shows the program's counters in Prometheus' format and needs no key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { Metrics } from "../../src/spine/observe/Metrics.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"

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

  it.live("count requests under /v1 by the path of the contract, never by ids or invented texts", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      for (const id of ["wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAF"])
        yield* api.call("GET", `/v1/webhooks/${id}`, { key })
      yield* api.call("GET", "/v1/invented")
      yield* api.call("PROPFIND", "/v1/webhooks", { key })
      yield* api.call("GET", "/healthz")
      const { text } = yield* api.call("GET", "/metrics")
      const counted = Array.from(
        text.matchAll(/^ledgerhook_api_requests_total(.*)$/gm),
        ([, series]) => series
      )
      assert.sameMembers(counted, [
        '{method="GET",route="/v1/webhooks/:id",status="404"} 2',
        '{method="GET",route="other",status="401"} 1',
        '{method="other",route="/v1/webhooks",status="405"} 1'
      ])
      assert.include(text, 'api_request_duration_seconds_count{route="/v1/webhooks/:id"} 2')
    }).pipe(Effect.provide(apiLayer()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
