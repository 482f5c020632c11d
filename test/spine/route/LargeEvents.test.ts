/** An event that many webhooks want is routed in parts, and the events behind it do not wait for all of them. */

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { DeliveryWork } from "../../../src/spine/domain/Delivery.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { RouteLimits, routeLimits } from "../../../src/spine/route/Limits.ts"
import { column } from "../../../src/spine/store/Columns.ts"
import { deliveringLayer, eventually, makeWebhook, setStatus } from "../../support/deliver/delivering.ts"
import { queuedFor, routeAfter } from "../../support/deliver/routing.ts"

const DETECTED = Date.parse("2026-11-21T09:30:00.000Z")
const POPULAR = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
const OTHER = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
const CROWD = 12
const EVENTS = { topic: eventsTopic("mainnet"), partition: 0 }
const limits = { ...routeLimits, routeBatchDeliveries: 4, routePartDeliveries: 2 }

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
  const log = yield* Log
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
const positionsFor = (webhookId: string) =>
  Effect.map(queuedFor(webhookId), (works) => new Set(works.map(({ event }) => event.position)))

const isQueued = (webhookId: string, positions: ReadonlyArray<number>) =>
  eventually(
    Effect.map(positionsFor(webhookId), (queued) => assert.deepStrictEqual([...queued], [...positions]))
  )

describe("an event that more webhooks want than fit a transaction", () => {
  it.live("lets events of other webhooks pass between its parts, and keeps each webhook's order", () => {
    const transactions: Array<ReadonlyArray<number>> = []
    let late: Effect.Effect<void> = Effect.void
    const before = (works: ReadonlyArray<DeliveryWork>) =>
      Effect.suspend(() => {
        transactions.push(works.map(({ event }) => event.position))
        return transactions.length === 3 ? late : Effect.void
      })
    return Effect.gen(function* () {
      const log = yield* Log
      const crowd = yield* Effect.forEach(Array.from({ length: CROWD }), () => makeFollower([POPULAR]))
      const both = yield* makeFollower([POPULAR, OTHER])
      const other = yield* makeFollower([OTHER])
      late = Effect.orDie(Effect.provideService(append(3, [OTHER]), Log, log))
      yield* Effect.forkScoped(routeAfter(before))
      yield* append(0, [OTHER])
      yield* isQueued(other, [0])
      yield* append(1, [POPULAR, OTHER])
      yield* isQueued(other, [0, 2, 3])
      yield* isQueued(both, [0, 1, 2, 3])
      for (const webhookId of crowd) yield* isQueued(webhookId, [1])
      const order = transactions.flat()
      // Of the webhook `other`, whose deliveries of 2 and 3 are queued before the last of 1.
      assert.isBelow(order.indexOf(2), order.indexOf(1))
      assert.isBelow(order.indexOf(3), order.lastIndexOf(1))
      yield* eventually(Effect.map(log.committed("route", EVENTS), (offset) => assert.strictEqual(offset, 4)))
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()), Effect.provideService(RouteLimits, limits))
  })
})
