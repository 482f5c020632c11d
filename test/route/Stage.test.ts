/**
 * Route on a real database: which events become deliveries while accounts are on hold, and what happens after a
 * crash.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { StageLimits, stageLimits } from "../../src/config/StageLimits.ts"
import { DELIVERIES_TOPIC, type DeliveryWork } from "../../src/domain/Delivery.ts"
import { deliveryId } from "../../src/domain/Ids.ts"
import { eventsTopic, type LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { partitionOf } from "../../src/log/Topics.ts"
import { route } from "../../src/route/Stage.ts"
import { DeliveryStore } from "../../src/storage/deliveries/DeliveryStore.ts"
import { Partitions } from "../../src/storage/deliveries/Partitions.ts"
import { makeQuarantine } from "../../src/storage/Quarantine.ts"
import { AccountHolds } from "../../src/webhooks/AccountHolds.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  setStatus,
  startDelivering,
  untilAll
} from "../support/delivering.ts"
import { makeReceiver } from "../support/receiver.ts"
import { setUsage } from "../support/rows.ts"

const DETECTED = Date.parse("2026-11-21T09:30:00.000Z")
const QUOTA = 100
const ACCOUNT = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
const OTHER = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"

const eventAt = (position: number, accounts: ReadonlyArray<string> = [ACCOUNT]): LedgerEvent => ({
  event_id: `xrpl:90000000:${position.toString(16).toUpperCase().padStart(64, "0")}:payment.xrp`,
  event_type: "payment.xrp",
  ledger_index: 90_000_000,
  timestamp: "2026-11-21T09:30:00Z",
  payload: { tx_hash: "AB" },
  accounts,
  network: "mainnet",
  position,
  detected_at: DETECTED
})

const append = Effect.fnUntraced(function* (
  positions: ReadonlyArray<number>,
  accounts?: ReadonlyArray<string>
) {
  const log = yield* EventLog
  yield* log.transaction({
    append: positions.map((position) => ({
      topic: eventsTopic("mainnet"),
      key: "mainnet",
      value: JSON.stringify(eventAt(position, accounts))
    }))
  })
})

const idOf = (webhookId: string, position: number) =>
  deliveryId(DETECTED, position, webhookId, eventAt(position).event_id)

/** Deliveries of the webhook whose work is in the log, in its order. */
const queuedFor = Effect.fnUntraced(function* (webhookId: string) {
  const log = yield* EventLog
  const partition = partitionOf(DELIVERIES_TOPIC, webhookId)
  const records = yield* log.read({ topic: DELIVERIES_TOPIC, partition, offset: 0 }, 1_000)
  return records.flatMap(({ key, value }) =>
    // Written by route in this shape.
    key === webhookId ? [(JSON.parse(value!) as DeliveryWork).delivery_id] : []
  )
})

const isQueued = (webhookId: string, positions: ReadonlyArray<number>) =>
  eventually(
    Effect.map(queuedFor(webhookId), (ids) =>
      assert.deepStrictEqual(
        ids,
        positions.map((position) => idOf(webhookId, position))
      )
    )
  )

const useUp = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE accounts SET monthly_deliveries = ${QUOTA}::bigint WHERE id = ${accountId}`
  yield* setUsage(accountId, new Date().toISOString().slice(0, 7), QUOTA)
})

const raise = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE accounts SET monthly_deliveries = NULL WHERE id = ${accountId}`
})

const untilHeld = (accountId: string, held: boolean) =>
  eventually(
    Effect.map(AccountHolds, (holds) => assert.strictEqual(holds.get(accountId) !== undefined, held))
  )

describe("route", () => {
  it.live("quarantines unreadable and refused records, and queues the rest in order", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const receiver = yield* makeReceiver()
      const webhookId = yield* makeWebhook(receiver.url)
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* append([0, 1])
      const bad = { ...eventAt(2), event_id: "xrpl:90000000:\0" }
      yield* log.transaction({
        append: ["no event", JSON.stringify(bad)].map((value) => ({
          topic: eventsTopic("mainnet"),
          key: "mainnet",
          value
        }))
      })
      yield* append([3, 4])
      yield* isQueued(webhookId, [0, 1, 3, 4])
      const { rows } = yield* (yield* makeQuarantine).newest(10)
      assert.deepStrictEqual(
        new Set(rows.map(({ source, stage }) => `${stage} ${source}`)),
        new Set(["route xrpl.mainnet.events/0@2", `route xrpl:90000000:\\u0000 for ${webhookId}`])
      )
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("queues nothing new for accounts whose quota is used up, and resumes with later events", () =>
    Effect.gen(function* () {
      const held = yield* makeWebhook("https://a.example/", { accountId: "acct_1" })
      const other = yield* makeWebhook("https://b.example/", { accountId: "acct_2" })
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* append([0, 1])
      yield* isQueued(held, [0, 1])
      yield* useUp("acct_1")
      yield* untilHeld("acct_1", true)
      yield* append([2, 3])
      yield* isQueued(other, [0, 1, 2, 3])
      yield* isQueued(held, [0, 1])
      yield* raise("acct_1")
      yield* untilHeld("acct_1", false)
      yield* append([4])
      yield* isQueued(other, [0, 1, 2, 3, 4])
      yield* isQueued(held, [0, 1, 4])
      const store = yield* DeliveryStore
      const rows = yield* store.states([0, 1, 2, 3, 4].map((position) => idOf(held, position)))
      assert.strictEqual(rows.size, 3)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  /** Rows of a process that died before it appended their work and committed the events' offsets. */
  const dieAfterRowsOf = Effect.fnUntraced(function* (webhookId: string, positions: ReadonlyArray<number>) {
    const store = yield* DeliveryStore
    yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(DETECTED, DETECTED))
    yield* store.insertPending(
      positions.map((position) => ({
        id: idOf(webhookId, position),
        webhookId,
        accountId: "acct_1",
        network: "mainnet" as const,
        eventId: eventAt(position).event_id,
        eventType: "payment.xrp",
        eventOffset: position
      })),
      DETECTED
    )
  })

  it.live("appends the work of rows that a killed process made, even if their account is on hold now", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const webhookId = yield* makeWebhook("https://a.example/", { accountId: "acct_1" })
      yield* useUp("acct_1")
      yield* untilHeld("acct_1", true)
      yield* append([0, 1, 2, 3])
      yield* dieAfterRowsOf(webhookId, [1, 2])
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* isQueued(webhookId, [1, 2])
      assert.strictEqual((yield* store.states([0, 3].map((position) => idOf(webhookId, position)))).size, 0)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live(
    "appends the work of such rows in ledger order, even if their webhook has changed its filters",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const webhookId = yield* makeWebhook("https://a.example/")
        yield* sql`UPDATE webhooks SET account_filters = ARRAY[${OTHER}] WHERE id = ${webhookId}`
        yield* setStatus(webhookId, "active")
        yield* append([0, 1, 2])
        yield* dieAfterRowsOf(webhookId, [0, 2])
        yield* append([3], [OTHER])
        yield* Effect.forkScoped(route(["mainnet"]))
        yield* isQueued(webhookId, [0, 2, 3])
      }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("appends the work of such rows for a disabled webhook, for which it then waits", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhookId = yield* makeWebhook(receiver.url)
      yield* append([0, 1])
      yield* dieAfterRowsOf(webhookId, [0])
      yield* setStatus(webhookId, "disabled")
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* startDelivering
      yield* isQueued(webhookId, [0])
      yield* setStatus(webhookId, "active")
      yield* untilAll([idOf(webhookId, 0)], "delivered")
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("ends such rows of a webhook that was deleted before they were made", () =>
    Effect.gen(function* () {
      const webhookId = yield* makeWebhook("https://a.example/")
      yield* append([0])
      yield* setStatus(webhookId, "deleted")
      yield* dieAfterRowsOf(webhookId, [0])
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* startDelivering
      yield* untilAll([idOf(webhookId, 0)], "failed")
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("does not queue again what an earlier owner has queued already", () =>
    Effect.gen(function* () {
      const webhookId = yield* makeWebhook("https://a.example/")
      yield* append([0, 1])
      const routing = yield* Effect.forkScoped(route(["mainnet"]))
      yield* isQueued(webhookId, [0, 1])
      yield* Fiber.interrupt(routing)
      yield* append([2])
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* isQueued(webhookId, [0, 1, 2])
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live(
    "queues an event that many webhooks want in parts, and each delivery once, also after a crash",
    () =>
      Effect.gen(function* () {
        const webhookIds = yield* Effect.forEach([1, 2, 3, 4, 5], () => makeWebhook("https://a.example/"))
        yield* append([0, 1])
        yield* dieAfterRowsOf(webhookIds[0]!, [0])
        yield* dieAfterRowsOf(webhookIds[4]!, [0, 1])
        yield* Effect.forkScoped(route(["mainnet"]))
        for (const webhookId of webhookIds) yield* isQueued(webhookId, [0, 1])
        yield* append([2])
        for (const webhookId of webhookIds) yield* isQueued(webhookId, [0, 1, 2])
      }).pipe(
        Effect.scoped,
        Effect.provide(deliveringLayer()),
        Effect.provideService(StageLimits, { ...stageLimits, routeBatchDeliveries: 2 })
      )
  )
})
