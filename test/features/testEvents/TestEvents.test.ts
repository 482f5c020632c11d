/** Test events over HTTP: one of each type, listed as deliveries like any other, and every refusal. */

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { makeAwaitAttempt } from "../../../src/features/testEvents/AwaitAttempt.ts"
import { testEventLimits } from "../../../src/features/testEvents/Limits.ts"
import type { DeliveryWork } from "../../../src/spine/domain/Delivery.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import type { KeyEnvironment } from "../../../src/spine/event/Network.ts"
import { complaints, EVENT_RECORD, payloadPath } from "../../schemas/support.ts"
import { ApiUnderTest, apiLayer, type Call } from "../../support/http/api.ts"

layer(apiLayer(), { excludeTestServices: true })("the first test event of a service", (it) => {
  it.effect("is queued, also after a request with an Idempotency-Key that was refused", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const webhook = { url: "https://example.com/hook", event_types: ["check.cashed"] }
      const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body: webhook })).body
      const statuses = yield* Effect.forEach(["wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE", id], (of) =>
        api.call("POST", `/v1/webhooks/${of}/test`, {
          key,
          body: { event_type: "check.cashed" },
          headers: { "idempotency-key": of }
        })
      )
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [404, 202]
      )
    })
  )
})

layer(apiLayer(), { excludeTestServices: true })("test events", (it) => {
  const prepare = Effect.fnUntraced(function* (environment: KeyEnvironment = "live", fields: object = {}) {
    const api = yield* ApiUnderTest
    const { key, accountId } = yield* api.account(environment)
    const body = { url: "https://example.com/hook", event_types: ["check.cashed"], ...fields }
    const webhook = (yield* api.call("POST", "/v1/webhooks", { key, body })).body
    const path = `/v1/webhooks/${webhook.id}/test`
    const send = (body: unknown, call: Call = {}) => api.call("POST", path, { key, body, ...call })
    return { api, key, accountId, webhook, path, send }
  })

  /** The work records that the log gets. */
  const workOf = Effect.fnUntraced(function* (deliveryId: string) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly key: string; readonly value: string }>`
      SELECT key, value FROM outbox WHERE topic = 'webhooks.deliveries' AND value LIKE ${`%${deliveryId}%`}`
    assert.strictEqual(rows.length, 1)
    return { key: rows[0]!.key, work: JSON.parse(rows[0]!.value) as DeliveryWork }
  })

  it.effect("queues an event of each type regardless of filters, with a valid envelope and payload", () =>
    Effect.gen(function* () {
      const filters = { account_filters: ["rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"] }
      const { webhook, send } = yield* prepare("live", filters)
      for (const event_type of eventTypes) {
        const { status, body } = yield* send({ event_type })
        assert.strictEqual(status, 202, event_type)
        assert.deepStrictEqual(Object.keys(body), ["delivery_id"])
        const { key, work } = yield* workOf(body.delivery_id)
        assert.strictEqual(key, webhook.id)
        assert.deepInclude(work, { attempt: 1, series_attempt: 1, due_at: 0, webhook_id: webhook.id })
        assert.deepInclude(work.event, { event_type, network: "testnet" })
        assert.match(work.event.event_id, new RegExp(`^xrpl:\\d+:[A-F0-9]{64}:${event_type}(:\\d+)?$`))
        assert.include(work.event.event_id, String(work.event.payload["tx_hash"]))
        assert.deepStrictEqual(complaints(EVENT_RECORD, work.event), [])
        assert.deepStrictEqual(complaints(payloadPath(event_type), work.event.payload), [])
      }
    })
  )

  it.effect("sends a given payload that fits its type, with a new hash, and refuses one that does not", () =>
    Effect.gen(function* () {
      const { api, key, send } = yield* prepare()
      const { data } = (yield* api.call("GET", "/v1/event-types", { key })).body
      for (const { event_type, example } of data) {
        const { status, body } = yield* send({ event_type, payload: example })
        assert.strictEqual(status, 202, event_type)
        const { event } = (yield* workOf(body.delivery_id)).work
        assert.deepStrictEqual(event.payload, { ...example, tx_hash: event.payload["tx_hash"] })
        assert.notStrictEqual(event.payload["tx_hash"], example.tx_hash)
        assert.include(event.event_id, String(event.payload["tx_hash"]))
      }
      const { example } = data.find((one: { event_type: string }) => one.event_type === "payment.xrp")
      const wrong = { ...example, amount: 5, sender: undefined, note: "mine" }
      const refused = yield* send({ event_type: "payment.xrp", payload: wrong })
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        refused.body.error.errors.map(({ param }: { param: string }) => param).toSorted(),
        ["/payload/amount", "/payload/note", "/payload/sender"]
      )
      assert.strictEqual((yield* send({ event_type: "payment.xrp", payload: "text" })).status, 400)
    })
  )

  it.effect("is visible in the list and by id, only to keys that see the webhook", () =>
    Effect.gen(function* () {
      const { api, key, accountId, webhook, send } = yield* prepare()
      const { delivery_id } = (yield* send({ event_type: "payment.xrp" })).body
      const { data } = (yield* api.call("GET", `/v1/deliveries?webhook_id=${webhook.id}`, { key })).body
      assert.strictEqual(data.length, 1)
      assert.deepInclude(data[0], {
        id: delivery_id,
        webhook_id: webhook.id,
        event_type: "payment.xrp",
        status: "pending",
        attempts: 0
      })
      const path = `/v1/deliveries/${delivery_id}`
      const detail = yield* api.call("GET", path, { key })
      assert.strictEqual(detail.status, 200)
      assert.notProperty(detail.body, "test_event")
      for (const other of [yield* api.keyFor(accountId, "test"), (yield* api.account()).key]) {
        assert.strictEqual((yield* api.call("GET", path, { key: other })).status, 404)
      }
      const events = yield* api.call("GET", "/v1/events?network=mainnet", { key })
      assert.deepStrictEqual(events.body.data, [])
    })
  )

  it.effect("a receiver that remembers event ids sees each test", () =>
    Effect.gen(function* () {
      const { send } = yield* prepare("test", { network: "testnet" })
      const ids = new Set<string>()
      for (let i = 0; i < 3; i++) {
        const { delivery_id } = (yield* send({ event_type: "nft.minted" })).body
        ids.add((yield* workOf(delivery_id)).work.event.event_id)
      }
      assert.strictEqual(ids.size, 3)
    })
  )

  it.effect("does not wait if too many requests wait already", () =>
    Effect.gen(function* () {
      const awaitAttempt = yield* makeAwaitAttempt
      const others = yield* Effect.forEach(Array.from({ length: testEventLimits.testsWaiting }), () =>
        Effect.forkChild(awaitAttempt("dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE", 60_000), { startImmediately: true })
      )
      assert.isUndefined(yield* awaitAttempt("dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE", 60_000))
      yield* Fiber.interruptAll(others)
    })
  )

  it.effect("refuses a disabled webhook and an unknown one", () =>
    Effect.gen(function* () {
      const { api, key, accountId, webhook, path, send } = yield* prepare()
      const of = { event_type: "payment.xrp" }
      for (const other of [yield* api.keyFor(accountId, "test"), (yield* api.account()).key]) {
        assert.strictEqual((yield* send(of, { key: other })).status, 404)
      }
      const change = (status: string) =>
        api.call("PATCH", `/v1/webhooks/${webhook.id}`, { key, body: { status } })
      yield* change("disabled")
      const refused = yield* send(of)
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(refused.body.error.code, "WEBHOOK_DISABLED")
      yield* change("active")
      assert.strictEqual((yield* send(of)).status, 202)
      yield* api.call("DELETE", `/v1/webhooks/${webhook.id}`, { key })
      assert.strictEqual((yield* api.call("POST", path, { key, body: of })).status, 404)
    })
  )

  it.effect("refuses an unknown event type, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { api, key, send } = yield* prepare()
      for (const [body, message] of [
        [{}, /^event_type is required\.$/],
        [{ event_type: "payment.gold" }, /^event_type must be "account.created", .*"payment.xrp"/],
        [{ event_type: "nft.*" }, /^event_type must be/],
        [{ event_type: ["payment.xrp"] }, /^event_type must be/],
        [{ event_type: "payment.xrp", amount: "1" }, /^amount is unknown; accepted: event_type, payload\.$/],
        [undefined, /^The request body must be a JSON object\.$/]
      ] as const) {
        const answer = yield* send(body)
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
        assert.match(answer.body.error.message, message)
      }
      assert.deepStrictEqual((yield* api.call("GET", "/v1/deliveries", { key })).body.data, [])
    })
  )
})
