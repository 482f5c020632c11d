/** An event that many webhooks want is routed in parts, and the events behind it do not wait for all of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StageLimits, stageLimits } from "../../src/config/StageLimits.ts"
import { DELIVERIES_TOPIC, type DeliveryWork } from "../../src/domain/Delivery.ts"
import { deliveryId } from "../../src/domain/Ids.ts"
import { eventsTopic, type LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { partitionOf } from "../../src/log/Topics.ts"
import { route } from "../../src/route/Stage.ts"
import { column } from "../../src/storage/Columns.ts"
import { DeliveryStore } from "../../src/storage/deliveries/DeliveryStore.ts"
import type { NewDelivery } from "../../src/storage/deliveries/Transitions.ts"
import { deliveringLayer, eventually, makeWebhook, setStatus } from "../support/delivering.ts"

const DETECTED = Date.parse("2026-11-21T09:30:00.000Z")
const POPULAR = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
const OTHER = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
const CROWD = 12
const EVENTS = { topic: eventsTopic("mainnet"), partition: 0 }
const limits = { ...stageLimits, routeBatchDeliveries: 4, routePartDeliveries: 2 }

const eventAt = (position: number, account: string): LedgerEvent => ({
  event_id: `xrpl:90000000:${position.toString(16).toUpperCase().padStart(64, "0")}:payment.xrp`,
  event_type: "payment.xrp",
  ledger_index: 90_000_000,
  timestamp: "2026-11-21T09:30:00Z",
  payload: { tx_hash: "AB" },
  accounts: [account],
  network: "mainnet",
  position,
  detected_at: DETECTED
})

/** Appends one event for each account. Their positions are those of the log from `first` on. */
const append = Effect.fnUntraced(function* (first: number, accounts: ReadonlyArray<string>) {
  const log = yield* EventLog
  yield* log.transaction({
    append: accounts.map((account, i) => ({
      topic: EVENTS.topic,
      key: "mainnet",
      value: JSON.stringify(eventAt(first + i, account))
    }))
  })
})

const makeFollower = Effect.fnUntraced(function* (accounts: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* makeWebhook("https://a.example/")
  yield* sql`UPDATE webhooks SET account_filters = ${column(accounts)}::text[] WHERE id = ${id}`
  yield* setStatus(id, "active")
  return id
})

/** The positions of the webhook's events whose work is in the log, in its order, each once. */
const queuedFor = Effect.fnUntraced(function* (webhookId: string, positions: ReadonlyArray<number>) {
  const log = yield* EventLog
  const partition = partitionOf(DELIVERIES_TOPIC, webhookId)
  const records = yield* log.read({ topic: DELIVERIES_TOPIC, partition, offset: 0 }, 1_000)
  const ids = new Map(
    positions.map((position) => [
      deliveryId(DETECTED, position, webhookId, eventAt(position, OTHER).event_id),
      position
    ])
  )
  return new Set(
    // Written by route in this shape.
    records.flatMap(({ key, value }) =>
      key === webhookId ? [ids.get((JSON.parse(value!) as DeliveryWork).delivery_id)] : []
    )
  )
})

const isQueued = (webhookId: string, positions: ReadonlyArray<number>) =>
  eventually(
    Effect.map(queuedFor(webhookId, positions), (queued) =>
      assert.deepStrictEqual([...queued], [...positions])
    )
  )

/** A store that calls `before` with the rows of each statement of route. */
const storeWith = (before: (rows: ReadonlyArray<NewDelivery>) => Effect.Effect<void>) =>
  Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore.make, (store) =>
      DeliveryStore.of({
        ...store,
        insertPending: (rows, nowMs) => Effect.andThen(before(rows), store.insertPending(rows, nowMs))
      })
    )
  )

describe("an event that more webhooks want than fit a transaction", () => {
  it.live("lets events of other webhooks pass between its parts, and keeps each webhook's order", () => {
    const statements: Array<ReadonlyArray<number>> = []
    let late: Effect.Effect<void> = Effect.void
    const before = (rows: ReadonlyArray<NewDelivery>) =>
      Effect.suspend(() => {
        statements.push(rows.map(({ eventOffset }) => eventOffset))
        return statements.length === 3 ? late : Effect.void
      })
    return Effect.gen(function* () {
      const log = yield* EventLog
      const crowd = yield* Effect.forEach(Array.from({ length: CROWD }), () => makeFollower([POPULAR]))
      const both = yield* makeFollower([POPULAR, OTHER])
      const other = yield* makeFollower([OTHER])
      late = Effect.orDie(Effect.provideService(append(3, [OTHER]), EventLog, log))
      yield* Effect.forkScoped(route(["mainnet"]))
      yield* append(0, [OTHER])
      yield* isQueued(other, [0])
      yield* append(1, [POPULAR, OTHER])
      yield* isQueued(other, [0, 2, 3])
      yield* isQueued(both, [0, 1, 2, 3])
      for (const webhookId of crowd) yield* isQueued(webhookId, [1])
      const order = statements.flat()
      // Of the webhook `other`, whose deliveries of 2 and 3 are inserted before the last of 1.
      assert.isBelow(order.indexOf(2), order.indexOf(1))
      assert.isBelow(order.indexOf(3), order.lastIndexOf(1))
      yield* eventually(Effect.map(log.committed("route", EVENTS), (offset) => assert.strictEqual(offset, 4)))
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer({}, storeWith(before))),
      Effect.provideService(StageLimits, limits)
    )
  })

  it.live("is routed whole after a crash between its parts, although later events are routed", () => {
    let parts = 0
    let stopsAt = 3
    const before = (rows: ReadonlyArray<NewDelivery>) =>
      Effect.suspend(() => {
        if (rows.some(({ eventOffset }) => eventOffset === 1)) parts++
        return parts >= stopsAt ? Effect.never : Effect.void
      })
    return Effect.gen(function* () {
      const log = yield* EventLog
      const crowd = yield* Effect.forEach(Array.from({ length: CROWD }), () => makeFollower([POPULAR]))
      const other = yield* makeFollower([OTHER])
      const routing = yield* Effect.forkScoped(route(["mainnet"]))
      // Events that are in the log when route starts may have rows, so none of them is deferred.
      yield* append(0, [OTHER])
      yield* isQueued(other, [0])
      yield* append(1, [POPULAR, OTHER])
      yield* isQueued(other, [0, 2])
      yield* eventually(Effect.sync(() => assert.strictEqual(parts, stopsAt)))
      assert.strictEqual(yield* log.committed("route", EVENTS), 1)
      yield* Fiber.interrupt(routing)
      stopsAt = Number.POSITIVE_INFINITY
      yield* Effect.forkScoped(route(["mainnet"]))
      for (const webhookId of crowd) yield* isQueued(webhookId, [1])
      yield* isQueued(other, [0, 2])
      yield* eventually(Effect.map(log.committed("route", EVENTS), (offset) => assert.strictEqual(offset, 3)))
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer({}, storeWith(before))),
      Effect.provideService(StageLimits, limits)
    )
  })
})
