/** The delivery log's filter by event: live deliveries, which are found by their ids, and those of replays. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { appendMarkers, markers } from "../../support/ledger/markers.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const HOUR_MS = 3_600_000
const JOB = "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
const iso = (ms: number) => new Date(ms).toISOString()

const eventAt = (position: number): LedgerEvent => ({
  event_id: `xrpl:100:${"A".repeat(64)}:payment.xrp:${position}`,
  event_type: "payment.xrp",
  ledger_index: 100,
  timestamp: "2026-11-21T09:29:58Z",
  network: "mainnet",
  payload: { sender: "rA", receiver: "rB", amount: "1" },
  accounts: ["rA", "rB"],
  position,
  detected_at: NOW
})

/** An account with a webhook, three events of one ledger, and deliveries of each: a live one and a replay's. */
const prepare = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const store = yield* DeliveryStore
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW, NOW + HOUR_MS))
  const { accountId, key } = yield* api.account()
  const created = yield* api.call("POST", "/v1/webhooks", {
    key,
    body: { url: "https://example.com/", event_types: ["*"] }
  })
  const webhookId: string = created.body.id
  const events = [0, 1, 2].map(eventAt)
  const rowOf = (id: string, { event_id, event_type }: LedgerEvent) => ({
    id,
    webhookId,
    accountId,
    network: "mainnet" as const,
    eventId: event_id,
    eventType: event_type,
    eventOffset: 0
  })
  const live = events.map((event) => rowOf(deliveryId(NOW, event.position, webhookId, event.event_id), event))
  const replayed = events.map((event) => ({
    ...rowOf(deliveryId(NOW + HOUR_MS, event.position, JOB + accountId, event.event_id), event),
    replayJobId: JOB
  }))
  yield* store.insertPending(live, NOW)
  yield* store.insertPending(replayed, NOW + HOUR_MS)
  const get = (path: string) => api.call("GET", `/v1/deliveries${path}`, { key })
  const idsOf = (path: string) =>
    Effect.map(get(path), ({ body }) => body.data.map(({ id }: { id: string }) => id) as Array<string>)
  const query = `?event_id=${encodeURIComponent(events[1]!.event_id)}`
  return { api, events, get, idsOf, query, webhookId, live: live[1]!.id, replayed: replayed[1]!.id, store }
})

/** Writes to the log that the events' ledger was taken. */
const takeLedger = Effect.suspend(() => {
  const [marker] = markers(100, 100)
  return appendMarkers("mainnet", [{ ...marker!, detected_at: NOW }])
})

layer(apiLayer(), { excludeTestServices: true })("the deliveries of an event", (it) => {
  it.effect("are those of replays alone while the log does not hold its ledger, then all", () =>
    Effect.gen(function* () {
      const { events, idsOf, live, query, replayed } = yield* prepare
      assert.deepStrictEqual(yield* idsOf(query), [replayed])
      yield* takeLedger
      assert.deepStrictEqual(yield* idsOf(query), [replayed, live])
      // Once the event index contains the event, the API knows its place in the ledger.
      yield* Effect.flatMap(EventIndex, (store) => store.insert(events, Date.now()))
      assert.deepStrictEqual(yield* idsOf(query), [replayed, live])
    })
  )
})

const withLedger = Layer.provideMerge(Layer.effectDiscard(takeLedger), apiLayer())
layer(withLedger, { excludeTestServices: true })("the deliveries of an event", (it) => {
  it.effect("are filtered and paged like all others, and nobody else's", () =>
    Effect.gen(function* () {
      const { api, get, idsOf, live, query, replayed, store, webhookId } = yield* prepare
      const delivered = {
        deliveryId: live,
        attempt: 1,
        status: "delivered" as const,
        responseStatus: 200,
        responseTimeMs: 12,
        responseBody: null,
        error: null,
        attemptedAt: NOW,
        endedAt: NOW + 12,
        nextDelayMs: null
      }
      yield* store.record([delivered], 100)
      assert.deepStrictEqual(yield* idsOf(`${query}&status=delivered`), [live])
      assert.deepStrictEqual(yield* idsOf(`${query}&since=${iso(NOW)}`), [replayed])
      assert.deepStrictEqual(yield* idsOf(`${query}&until=${iso(NOW + HOUR_MS)}`), [live])
      assert.deepStrictEqual(yield* idsOf(`${query}&webhook_id=${webhookId}&event_type=*`), [replayed, live])
      assert.deepStrictEqual(yield* idsOf(`${query}&event_type=payment.*`), [replayed, live])
      assert.deepStrictEqual(yield* idsOf(`${query}&event_type=check.*`), [])
      assert.deepStrictEqual(yield* idsOf(`${query}&webhook_id=wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE`), [])
      const first = (yield* get(`${query}&limit=1`)).body
      assert.deepStrictEqual([first.data[0].id, first.has_more], [replayed, true])
      assert.deepStrictEqual(yield* idsOf(`${query}&limit=1&cursor=${first.next_cursor}`), [live])
      const stranger = yield* api.account()
      const seen = yield* api.call("GET", `/v1/deliveries${query}`, { key: stranger.key })
      assert.deepStrictEqual([seen.status, seen.body.data], [200, []])
    })
  )

  it.effect("need an event id", () =>
    Effect.gen(function* () {
      const { get } = yield* prepare
      const { status, body } = yield* get("?event_id=payment.xrp")
      assert.deepStrictEqual([status, body.error.code], [400, "VALIDATION_ERROR"])
      assert.include(body.error.message, "event_id must be an event id")
      // A ledger that cannot exist.
      const impossible = `xrpl:${"9".repeat(300)}:${"A".repeat(64)}:payment.xrp`
      assert.deepStrictEqual((yield* get(`?event_id=${impossible}`)).body.data, [])
    })
  )
})
