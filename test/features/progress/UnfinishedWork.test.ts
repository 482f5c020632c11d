/** What webhooks' progress reads of the log: routed ledgers, and the work that is not finished, within its bound. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WorkLimits } from "../../../src/features/progress/Limits.ts"
import { makeUnfinishedWork, SHARED_MS } from "../../../src/features/progress/UnfinishedWork.ts"
import { DELIVERIES_TOPIC, newWork } from "../../../src/spine/domain/Delivery.ts"
import { eventsTopic } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { RouteLimits, routeLimits } from "../../../src/spine/route/Limits.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { eventOf } from "../../support/deliver/events.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { appendLedgers, isoSecond } from "../replay/replaying.ts"

const NETWORK = "mainnet"
const BEGAN = Date.parse("2026-11-21T00:00:00Z")
const WEBHOOK = "wh_1"
const partition = partitionOf(DELIVERIES_TOPIC, WEBHOOK)

/** Each test has a log of its own: what one takes and commits, another would read. */
const World = Layer.mergeAll(
  MemoryLog.layer,
  Layer.succeed(WorkLimits, { progressRecords: 2 }),
  Layer.succeed(RouteLimits, { ...routeLimits, routeAheadRecords: 1 })
).pipe(Layer.provideMerge(settingsLayer({ XRPL_MAINNET_URLS: "ws://127.0.0.1:1" })))

let taken = 0
/** Takes a ledger with so many events. */
const take = (index: number, events: number) => {
  const closeTime = isoSecond(BEGAN + ++taken * 4_000)
  return Effect.as(
    appendLedgers([
      {
        index,
        closeTime,
        events: Array.from({ length: events }, (_, position) =>
          eventOf({ ledgerIndex: index, position, timestamp: closeTime })
        )
      }
    ]),
    closeTime
  )
}
const commit = (group: string, topic: string, n: number, offset: number) =>
  Effect.flatMap(Log, ({ transaction }) =>
    transaction({ append: [], commit: { group, positions: [{ topic, partition: n, offset }] } })
  )
const routeTo = (offset: number) => commit("route", eventsTopic(NETWORK), 0, offset)

/** What is read once the last read has expired. */
const make = Effect.map(makeUnfinishedWork, ({ of }) => ({
  read: Effect.andThen(TestClock.adjust(SHARED_MS), of(partition)),
  readAtOnce: of(partition)
}))

describe("routed ledgers", () => {
  it.effect("move on with ledgers without events, and stop before the first event that is not routed", () =>
    Effect.gen(function* () {
      const { read, readAtOnce } = yield* make
      const through = Effect.map(read, ({ routed }) => routed.get(NETWORK)?.through)
      assert.isUndefined(yield* through)
      yield* take(101, 0)
      assert.isUndefined((yield* readAtOnce).routed.get(NETWORK))
      assert.strictEqual(yield* through, 101)
      yield* take(102, 2)
      yield* take(103, 0)
      assert.strictEqual(yield* through, 101)
      yield* routeTo(1)
      assert.strictEqual(yield* through, 101)
      yield* routeTo(2)
      assert.strictEqual(yield* through, 103)
    }).pipe(Effect.provide(World))
  )

  it.effect("are not known while events of higher ledgers, from before a reset, are not routed", () =>
    Effect.gen(function* () {
      const { read } = yield* make
      const through = Effect.map(read, ({ routed }) => routed.get(NETWORK)?.through)
      yield* take(104, 1)
      yield* take(1, 0)
      yield* take(2, 1)
      assert.isUndefined(yield* through)
      yield* routeTo(1)
      assert.strictEqual(yield* through, 1)
      yield* routeTo(2)
      assert.strictEqual(yield* through, 2)
    }).pipe(Effect.provide(World))
  )
})

describe("unfinished work", () => {
  it.effect("is read from the committed offset on, up to a bound; unread work is not much older", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const { read } = yield* make
      const events = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) =>
        Effect.map(take(200 + n, 1), (timestamp) => eventOf({ ledgerIndex: 200 + n, timestamp }))
      )
      yield* routeTo(6)
      yield* log.transaction({
        append: events.map((event, offset) => {
          const id = deliveryId(event.detected_at, 0, WEBHOOK, event.event_id)
          const row = { account_id: "acct_1", event_offset: offset }
          return {
            topic: DELIVERIES_TOPIC,
            key: WEBHOOK,
            value: JSON.stringify({ ...newWork(id, WEBHOOK, event), row })
          }
        })
      })
      const ledgers = Effect.map(read, ({ byWebhook, unreadAfter }) => ({
        read: byWebhook.get(WEBHOOK)?.map(({ ledgerIndex }) => ledgerIndex),
        unreadAfter: unreadAfter?.get(NETWORK)
      }))
      assert.deepStrictEqual(yield* ledgers, { read: [201, 202], unreadAfter: 200 })
      yield* commit("deliver", DELIVERIES_TOPIC, partition, 3)
      // Route runs ahead by one event: unread work may be of the ledger 203.
      assert.deepStrictEqual(yield* ledgers, { read: [204, 205], unreadAfter: 202 })
      yield* commit("deliver", DELIVERIES_TOPIC, partition, 4)
      assert.deepStrictEqual(yield* ledgers, { read: [205, 206], unreadAfter: undefined })
      yield* commit("deliver", DELIVERIES_TOPIC, partition, 6)
      assert.deepStrictEqual(yield* ledgers, { read: undefined, unreadAfter: undefined })
    }).pipe(Effect.provide(World))
  )
})
