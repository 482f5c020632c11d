/** `/v1/explain` over HTTP: every reason in the situation that causes it, unknown facts, and refusals. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SHOWN } from "../../../src/features/progress/Explanations.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { addresses, eventOf } from "../../support/deliver/events.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { setUsage } from "../../support/store/rows.ts"
import { appendLedgers, indexEvents, isoSecond, writeLedgers } from "../replay/replaying.ts"

const HOUR_MS = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()
/** The next ledger of each network, so that none is missing between two. */
const next = { mainnet: 90_000_000, testnet: 91_000_000, devnet: 92_000_000 }

/** Appends a ledger that closed the given time ago to the log and to the event index. Route has read it. */
const takeLedger = Effect.fnUntraced(function* (
  agoMs: number,
  events: ReadonlyArray<Parameters<typeof eventOf>[0]> = [{ accounts: [addresses[0]] }]
) {
  const index = next[events[0]?.network ?? "mainnet"]++
  const closeTime = isoSecond(Date.now() - agoMs)
  const given = events.map((fields, position) =>
    eventOf({ ...fields, ledgerIndex: index, timestamp: closeTime, position })
  )
  // All events are of one transaction.
  const hash = given[0]!.event_id.split(":")[2]!
  const made = given.map(
    (event): LedgerEvent => ({
      ...event,
      event_id: `xrpl:${index}:${hash}:${event.event_type}${given.length > 1 ? `:${event.position}` : ""}`
    })
  )
  const ledger = { index, closeTime, events: made }
  yield* writeLedgers([ledger], made[0]!.network)
  const log = yield* Log
  const partition = { topic: eventsTopic(made[0]!.network), partition: 0 }
  const { end } = yield* log.offsets(partition)
  yield* log.transaction({
    append: [],
    commit: { group: "route", positions: [{ ...partition, offset: end }] }
  })
  return { ...ledger, hash, takenAt: made[0]!.detected_at, event: made[0]! }
})

const prepare = Effect.fnUntraced(function* (environment: "live" | "test" = "live") {
  const api = yield* ApiUnderTest
  const store = yield* DeliveryStore
  const { accountId, key } = yield* api.account(environment)
  yield* Effect.flatMap(Partitions, (one) => one.ensure(Date.now() - 48 * HOUR_MS, Date.now()))
  const sql = yield* SqlClient.SqlClient
  /** Creates a webhook, by default long before the ledger. */
  const create = Effect.fnUntraced(function* (body: object = {}) {
    const given = { url: "https://example.com/", event_types: ["payment.*"], ...body }
    const { body: made } = yield* api.call("POST", "/v1/webhooks", { key, body: given })
    yield* sql`UPDATE webhooks SET created_at = created_at - interval '10 days' WHERE id = ${made.id}`
    return made.id as string
  })
  const queue = (event: LedgerEvent, webhookId: string, id: string, replayJobId?: string) =>
    store.insertPending(
      [
        {
          id,
          webhookId,
          accountId,
          network: event.network,
          eventId: event.event_id,
          eventType: event.event_type,
          eventOffset: 0,
          ...(replayJobId === undefined ? {} : { replayJobId })
        }
      ],
      Date.now()
    )
  const explain = (query: string) => api.call("GET", `/v1/explain?${query}`, { key })
  /** The reason for one webhook and a transaction with one event. */
  const reasonFor = Effect.fnUntraced(function* (hash: string, webhookId: string) {
    const { body } = yield* explain(`transaction=${hash}&webhook_id=${webhookId}`)
    const { wanted, reason } = body.events[0].webhooks[0]
    return wanted ? reason : `${reason}, not wanted`
  })
  return { api, accountId, key, create, queue, explain, reasonFor, sql }
})

layer(apiLayer(), { excludeTestServices: true })("an explanation", (it) => {
  it.effect("shows the ledger, each event, and for each webhook why it got it or not", () =>
    Effect.gen(function* () {
      const { create, explain, queue } = yield* prepare()
      const both = [{ accounts: [addresses[0]] }, { type: "nft.minted" as const, accounts: [addresses[1]] }]
      const { events, hash, index, takenAt } = yield* takeLedger(HOUR_MS, both)
      const [payment, nft] = [events[0]!, events[1]!]
      const first = yield* create()
      const second = yield* create({ event_types: ["*"], account_filters: [addresses[1]] })
      const live = deliveryId(takenAt, 0, first, payment.event_id)
      yield* queue(payment, first, live)
      const { status, body } = yield* explain(`transaction=${hash.toLowerCase()}`)
      const none = { wanted: false, delivery: null }
      assert.deepStrictEqual(
        [status, body],
        [
          200,
          {
            transaction: hash,
            ledger: { index, taken_at: iso(takenAt) },
            events: [
              {
                event_id: payment.event_id,
                event_type: "payment.xrp",
                webhooks: [
                  { webhook_id: second, reason: "account", ...none },
                  {
                    webhook_id: first,
                    wanted: true,
                    reason: "matched",
                    delivery: { id: live, status: "pending" }
                  }
                ]
              },
              {
                event_id: nft.event_id,
                event_type: "nft.minted",
                webhooks: [
                  // Nothing in this test queues deliveries, so no known reason excludes the webhook.
                  { webhook_id: second, wanted: true, reason: "matched", delivery: null },
                  { webhook_id: first, reason: "type", ...none }
                ]
              }
            ],
            events_count: 2,
            webhooks_count: 2
          }
        ]
      )
    })
  )

  it.effect("knows what a payload filter wants", () =>
    Effect.gen(function* () {
      const { create, reasonFor } = yield* prepare()
      const { event, hash } = yield* takeLedger(HOUR_MS)
      const amount = String(event.payload["amount"])
      const wanted = yield* create({ event_types: ["payment.xrp"], payload_filter: { amount } })
      const unwanted = yield* create({
        event_types: ["payment.xrp"],
        payload_filter: { amount: { $ne: amount } }
      })
      assert.strictEqual(yield* reasonFor(hash, wanted), "matched")
      assert.strictEqual(yield* reasonFor(hash, unwanted), "payload, not wanted")
    })
  )

  it.effect("shows the newest delivery, of a replay too, which is no reason", () =>
    Effect.gen(function* () {
      const { create, explain, queue } = yield* prepare()
      const { event, hash, takenAt } = yield* takeLedger(HOUR_MS)
      const webhookId = yield* create({ event_types: ["nft.*"] })
      const shown = Effect.map(explain(`transaction=${hash}`), ({ body }) => body.events[0].webhooks[0])
      const ids = [1, 2].map((n) => deliveryId(takenAt + n, 0, `rpl_job_${n}`, event.event_id))
      for (const id of ids) yield* queue(event, webhookId, id, "rpl_job_1")
      assert.deepStrictEqual(yield* shown, {
        webhook_id: webhookId,
        wanted: false,
        reason: "type",
        delivery: { id: ids[1], status: "pending" }
      })
    })
  )

  it.effect("knows when a webhook was created, disabled, enabled and deleted", () =>
    Effect.gen(function* () {
      const { api, create, explain, key, reasonFor, sql } = yield* prepare()
      const { hash } = yield* takeLedger(HOUR_MS)
      const webhookId = yield* create()
      const patch = (status: string) =>
        api.call("PATCH", `/v1/webhooks/${webhookId}`, { key, body: { status } })
      const move = (column: string, agoMs: number) =>
        sql`UPDATE webhooks SET ${sql(column)} = ${iso(Date.now() - agoMs)}::timestamptz WHERE id = ${webhookId}`
      assert.strictEqual(yield* reasonFor(hash, webhookId), "matched")
      yield* patch("disabled")
      assert.strictEqual(yield* reasonFor(hash, webhookId), "matched")
      yield* move("disabled_at", 2 * HOUR_MS)
      assert.strictEqual(yield* reasonFor(hash, webhookId), "disabled")
      yield* patch("active")
      assert.strictEqual(yield* reasonFor(hash, webhookId), "disabled")
      yield* move("last_enabled_at", 1.5 * HOUR_MS)
      assert.strictEqual(yield* reasonFor(hash, webhookId), "matched")
      yield* move("created_at", 0)
      assert.strictEqual(yield* reasonFor(hash, webhookId), "not_yet_created")
      yield* move("created_at", 3 * HOUR_MS)
      yield* api.call("DELETE", `/v1/webhooks/${webhookId}`, { key })
      assert.strictEqual(yield* reasonFor(hash, webhookId), "matched")
      assert.strictEqual((yield* explain(`transaction=${hash}`)).body.webhooks_count, 1)
      yield* move("deleted_at", 2 * HOUR_MS)
      assert.strictEqual(yield* reasonFor(hash, webhookId), "deleted")
      // A webhook deleted before the ledger is listed only if the request names it.
      assert.strictEqual((yield* explain(`transaction=${hash}`)).body.webhooks_count, 0)
    })
  )

  it.effect("knows that the quota was used up, if that was not later", () =>
    Effect.gen(function* () {
      const { accountId, create, reasonFor, sql } = yield* prepare()
      const { hash, takenAt } = yield* takeLedger(60_000)
      const webhookId = yield* create()
      yield* sql`UPDATE accounts SET plan = 'developer' WHERE id = ${accountId}`
      const month = iso(takenAt).slice(0, 7)
      yield* setUsage(accountId, month, 9_999)
      assert.strictEqual(yield* reasonFor(hash, webhookId), "matched")
      yield* setUsage(accountId, month, 10_000)
      assert.strictEqual(yield* reasonFor(hash, webhookId), "quota")
      yield* sql`
        INSERT INTO mails (cause, account_id, subject, body, created_at)
        VALUES (${`quota/${accountId}/${month}/10000/100`}, ${accountId}, '', '', ${iso(takenAt + 11_000)}::timestamptz)`
      assert.strictEqual(yield* reasonFor(hash, webhookId), "matched")
    })
  )

  it.effect("of a transaction without events needs the ledger to say whether it was taken", () =>
    Effect.gen(function* () {
      const { create, explain } = yield* prepare()
      yield* create()
      const nothing = { ledger: null, events: [], events_count: 0, webhooks_count: 0 }
      const unknown = "F".repeat(64)
      const ask = (query: string) => Effect.map(explain(`transaction=${unknown}${query}`), ({ body }) => body)
      assert.deepStrictEqual(yield* ask(""), { transaction: unknown, ...nothing })
      assert.deepStrictEqual(yield* ask("&ledger_index=5"), { transaction: unknown, ...nothing })
      const { index, takenAt } = yield* takeLedger(HOUR_MS)
      assert.deepInclude(yield* ask(`&ledger_index=${index}`), {
        ledger: { index, taken_at: iso(takenAt) },
        events: []
      })
    })
  )

  it.effect("finds a transaction older than deliveries by its ledger, and one that no index knows yet", () =>
    Effect.gen(function* () {
      const { explain } = yield* prepare()
      const old = yield* takeLedger(40 * 24 * HOUR_MS)
      const ledgerOf = (query: string) => Effect.map(explain(query), ({ body }) => body.ledger?.index)
      assert.isUndefined(yield* ledgerOf(`transaction=${old.hash}`))
      assert.strictEqual(yield* ledgerOf(`transaction=${old.hash}&ledger_index=${old.index}`), old.index)
      const index = next.mainnet++
      const event = eventOf({ ledgerIndex: index, timestamp: isoSecond(Date.now()) })
      yield* appendLedgers([{ index, closeTime: event.timestamp, events: [event] }])
      const hash = event.event_id.split(":")[2]!
      assert.isUndefined(yield* ledgerOf(`transaction=${hash}`))
      assert.strictEqual(yield* ledgerOf(`transaction=${hash}&ledger_index=${index}`), index)
      yield* indexEvents([event])
      assert.strictEqual(yield* ledgerOf(`transaction=${hash}`), index)
    })
  )

  it.effect("is bounded: the newest webhooks and the first events, and how many there are", () =>
    Effect.gen(function* () {
      const { create, explain, sql } = yield* prepare()
      const webhookId = yield* create()
      const { events: most, webhooks } = SHOWN
      const { hash } = yield* takeLedger(
        HOUR_MS,
        Array.from({ length: most + 1 }, () => ({ accounts: [addresses[0]] }))
      )
      yield* sql`
        INSERT INTO webhooks (id, account_id, network, url, event_types, account_filters, status, max_in_flight, headers,
                              sealed_secret, created_at, updated_at)
        SELECT overlay(id placing to_char(n, 'FM000') from 27), account_id, network, url, event_types, account_filters, status,
               max_in_flight, headers, sealed_secret, created_at, updated_at
        FROM webhooks CROSS JOIN generate_series(1, ${webhooks}::int) AS n WHERE id = ${webhookId}`
      const { body } = yield* explain(`transaction=${hash}`)
      assert.deepStrictEqual(
        [body.events.length, body.events_count, body.events[0].webhooks.length, body.webhooks_count],
        [most, most + 1, webhooks, webhooks + 1]
      )
    })
  )

  it.effect("shows nobody else's webhooks, and test keys their networks", () =>
    Effect.gen(function* () {
      const { create, explain, key: liveKey, api } = yield* prepare()
      const { hash } = yield* takeLedger(HOUR_MS)
      const webhookId = yield* create()
      const stranger = yield* prepare()
      const seen = (yield* stranger.explain(`transaction=${hash}`)).body
      assert.deepStrictEqual([seen.events.length, seen.webhooks_count], [1, 0])
      const named = yield* stranger.explain(`transaction=${hash}&webhook_id=${webhookId}`)
      assert.deepStrictEqual([named.status, named.body.error.code], [404, "NOT_FOUND"])
      const tester = yield* prepare("test")
      const onTestnet = yield* takeLedger(HOUR_MS, [{ network: "testnet" }])
      const onDevnet = yield* takeLedger(HOUR_MS, [{ network: "devnet" }])
      const own = yield* tester.create()
      assert.strictEqual(yield* tester.reasonFor(onTestnet.hash, own), "matched")
      assert.isNull((yield* tester.explain(`transaction=${onDevnet.hash}`)).body.ledger)
      const other = (yield* tester.explain(`transaction=${onDevnet.hash}&network=devnet`)).body
      assert.strictEqual(other.events[0].webhooks[0].reason, "network")
      assert.strictEqual((yield* explain(`transaction=${hash}&network=testnet`)).status, 400)
      const answer = yield* api.call("GET", "/v1/explain", { key: liveKey })
      assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "VALIDATION_ERROR"])
      for (const wrong of [
        "transaction=5",
        `transaction=${"G".repeat(64)}`,
        `transaction=${hash}&webhook_id=x`
      ]) {
        const refused = yield* explain(wrong)
        assert.deepStrictEqual([refused.status, refused.body.error.code], [400, "VALIDATION_ERROR"])
      }
    })
  )
})
