/**
 * `/v1/webhooks/:id/progress`, with the real stages. What it reads of the log may be two seconds old, so tests wait.
 * The simulation checks that it is never too high, whatever is killed.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { eventually, stagesLayer, startDelivering } from "../../support/deliver/delivering.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { appendLedgers, isoSecond } from "../replay/replaying.ts"

const layers = () =>
  stagesLayer().pipe(
    Layer.provideMerge(
      apiLayer({
        DELIVERY_ALLOW_HTTP: "true",
        DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
        DELIVERY_RETRY_DELAYS: "10ms"
      })
    ),
    Layer.provideMerge(Telemetry.layer(undefined))
  )

/** A ledger with one event, and two without. */
const ledgers = () => {
  const began = Date.now() - 30_000
  return [1, 2, 3].map((n) => {
    const closeTime = isoSecond(began + n * 4_000)
    const ledgerIndex = 90_000_000 + n
    return {
      index: ledgerIndex,
      closeTime,
      events: n === 1 ? [eventOf({ ledgerIndex, timestamp: closeTime })] : []
    }
  })
}
const [FIRST, LAST] = [90_000_001, 90_000_003]

const prepare = Effect.fnUntraced(function* (answers: () => number) {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account()
  const receiver = yield* makeReceiver(answers)
  const body = { url: receiver.url, event_types: ["payment.*"] }
  const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body })).body
  const path = `/v1/webhooks/${id}/progress`
  const shows = (expected: object) =>
    eventually(
      Effect.map(api.call("GET", path, { key }), ({ body: shown }) => assert.deepInclude(shown, expected))
    )
  return { api, accountId, key, path, shows, webhook: `/v1/webhooks/${id}` }
})

const isSettled = { complete_through: LAST, routed_through: LAST, waiting: 0, oldest_waiting: null }

layer(layers(), { excludeTestServices: true })("the progress of a webhook", (it) => {
  it.effect("follows an event through the log, without deliver, to its final failure and its retry", () =>
    Effect.gen(function* () {
      let status = 500
      const { api, key, path, shows } = yield* prepare(() => status)
      yield* shows({ network: "mainnet", complete_through: null, routed_through: null, waiting: 0 })
      const taken = ledgers()
      yield* appendLedgers(taken)
      yield* shows({ complete_through: FIRST - 1, routed_through: FIRST - 1, waiting: 0 })

      yield* Effect.forkScoped(route(["mainnet"]))
      yield* shows({ complete_through: FIRST - 1, routed_through: LAST, waiting: 1 })
      const { oldest_waiting: oldest } = (yield* api.call("GET", path, { key })).body
      assert.deepInclude(oldest, { event_id: taken[0]!.events[0]!.event_id, ledger_index: FIRST })
      assert.match(oldest.delivery_id, /^dlv_/)

      yield* startDelivering
      // It is retried once, and then it has failed finally.
      yield* shows(isSettled)
      status = 200
      yield* api.call("POST", `/v1/deliveries/${oldest.delivery_id}/retry`, { key })
      yield* shows(isSettled)
    })
  )
})

layer(layers(), { excludeTestServices: true })("the progress of a webhook", (it) => {
  it.effect("counts a delivery that is retried by hand from the request on", () =>
    Effect.gen(function* () {
      const { api, key, path, shows } = yield* prepare(() => 500)
      yield* appendLedgers(ledgers())
      yield* Effect.forkScoped(route(["mainnet"]))
      const { stop } = yield* startDelivering
      yield* shows(isSettled)
      const [{ id }] = (yield* api.call("GET", "/v1/deliveries", { key })).body.data
      yield* stop
      assert.strictEqual((yield* api.call("POST", `/v1/deliveries/${id}/retry`, { key })).status, 200)
      const { body } = yield* api.call("GET", path, { key })
      assert.deepInclude(body, { complete_through: FIRST - 1, waiting: 1 })
      assert.strictEqual(body.oldest_waiting.delivery_id, id)
      const { body: shown } = yield* api.call("GET", `/v1/deliveries/${id}`, { key })
      assert.deepInclude(shown, { status: "pending", next_attempt_at: null })
    })
  )
})

layer(layers(), { excludeTestServices: true })("the progress of a webhook", (it) => {
  it.effect("has no number while nothing is queued, and is shown to its owner only", () =>
    Effect.gen(function* () {
      const { accountId, api, key, path, shows, webhook } = yield* prepare(() => 200)
      const sql = yield* SqlClient.SqlClient
      yield* appendLedgers(ledgers().map((ledger) => ({ ...ledger, events: [] })))
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* shows({ complete_through: LAST })
      const isNull = Effect.map(api.call("GET", path, { key }), ({ body }) =>
        assert.deepInclude(body, { complete_through: null, routed_through: LAST })
      )
      yield* api.call("PATCH", webhook, { key, body: { status: "disabled" } })
      yield* isNull
      const { gaps } = (yield* api.call("GET", path, { key })).body
      const { began_at, ...gap } = gaps[0]
      assert.deepStrictEqual(gap, { from: 1, to: null, reason: "disabled", ended_at: null })
      assert.match(began_at, /^20\d\d-.*Z$/)
      yield* api.call("PATCH", webhook, { key, body: { status: "active" } })
      yield* shows({ complete_through: LAST })
      yield* sql`
        INSERT INTO delivery_usage (account_id, month, deliveries)
        VALUES (${accountId}, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 5000000000000)`
      yield* sql`UPDATE accounts SET monthly_deliveries = 1 WHERE id = ${accountId}`
      yield* isNull
      const stranger = yield* api.account()
      assert.strictEqual((yield* api.call("GET", path, { key: stranger.key })).status, 404)
    })
  )
})
