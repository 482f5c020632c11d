/**
 * Deliveries of an account wait while its quota is used up or it is suspended, and resume afterwards: on a real
 * database, to real receivers, on a virtual clock.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { retryNow } from "../../../src/spine/deliveries/Transitions.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import { DELIVERIES_TOPIC, newWork } from "../../../src/spine/domain/Delivery.ts"
import type { Hold } from "../../../src/spine/domain/Quota.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import {
  appendWork,
  deliveringLayer,
  eventOf,
  makeWebhook,
  queueEvents,
  queueWithRows,
  startDelivering
} from "../../support/deliver/delivering.ts"
import { makeReceiver, type Receiver } from "../../support/deliver/receiver.ts"
import { eventuallyAdvancing } from "../../support/ledger/ingesting.ts"
import { insertAccount, setUsage, waitingFor } from "../../support/store/rows.ts"

const NOVEMBER = Date.parse("2026-11-30T12:00:00.000Z")
const DECEMBER = Date.parse("2026-12-01T00:00:00.000Z")
const QUOTA = 100

const setAccount = Effect.fnUntraced(function* (id: string, quota: number | null, suspended = false) {
  const sql = yield* SqlClient.SqlClient
  yield* insertAccount(id)
  yield* sql`
    UPDATE accounts SET monthly_deliveries = ${quota}::bigint, suspended_at = CASE WHEN ${suspended} THEN now() END
    WHERE id = ${id}`
})

/** Waits until this process knows the account's hold. */
const untilHold = (id: string, hold: Hold | undefined) =>
  eventuallyAdvancing(Effect.map(AccountHolds, (holds) => holds.get(id) === hold))

const useUp = Effect.fnUntraced(function* (id: string) {
  yield* setAccount(id, QUOTA)
  yield* setUsage(id, "2026-11", QUOTA)
  yield* untilHold(id, "quota")
})

/** Whether all are so. It looks at the last few first, because that costs little. */
const all = (
  ids: ReadonlyArray<string>,
  holds: (state: { readonly status: string; readonly parked: boolean }) => boolean
) => {
  const are = (some: ReadonlyArray<string>) =>
    Effect.map(
      Effect.flatMap(DeliveryStore, (store) => store.states(some)),
      (states) => some.every((id) => states.has(id) && holds(states.get(id)!))
    )
  return Effect.flatMap(are(ids.slice(-5)), (some) => (some ? are(ids) : Effect.succeed(false)))
}
const parked = (ids: ReadonlyArray<string>) => all(ids, (state) => state.parked)
const delivered = (ids: ReadonlyArray<string>) => all(ids, ({ status }) => status === "delivered")

const receivedIds = (receiver: Receiver) => receiver.received.map(({ deliveryId }) => deliveryId)

let tests = 0
/** Queues a free delivery to the webhook, as the API does; returns its id. */
const queueTest = Effect.fnUntraced(function* (webhookId: string, accountId: string) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* DeliveryStore
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOVEMBER, NOVEMBER))
  const event: LedgerEvent = {
    event_id: `xrpl:1:${"A".repeat(64)}:payment.xrp`,
    event_type: "payment.xrp",
    ledger_index: 1,
    timestamp: "2026-11-30T12:00:00Z",
    payload: { tx_hash: "A" },
    accounts: [],
    network: "testnet",
    position: tests++,
    detected_at: NOVEMBER
  }
  const id = deliveryId(NOVEMBER, event.position, webhookId, event.event_id)
  const { event_id: eventId, event_type: eventType } = event
  yield* store.insertPending(
    [{ id, webhookId, accountId, network: "mainnet", eventId, eventType, eventOffset: 0 }],
    NOVEMBER
  )
  yield* sql`UPDATE deliveries SET event_offset = NULL, test_event = ${JSON.stringify(event)} WHERE id = ${id}`
  yield* appendWork([
    { delivery_id: id, webhook_id: webhookId, attempt: 1, series_attempt: 1, due_at: 0, event }
  ])
  return id
})

/** Sets the clock before any timer starts. Requests never time out, however far the test moves the clock. */
const inNovember = <A, E, R>(test: Effect.Effect<A, E, R>, environment = {}) =>
  Effect.andThen(
    TestClock.setTime(NOVEMBER),
    test.pipe(
      Effect.scoped,
      Effect.provide(
        deliveringLayer({ DELIVERY_TIMEOUT: "1 minute", DELIVERY_RETRY_DELAYS: "1h", ...environment })
      )
    )
  )

describe("a used up quota", () => {
  it.effect("stops charged deliveries and due retries; both resume in order when the month ends", () =>
    inNovember(
      Effect.gen(function* () {
        let broken = true
        const receiver = yield* makeReceiver(() => (broken ? 503 : 200))
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        const retrying = yield* queueEvents(webhook, 2)
        yield* eventuallyAdvancing(all(retrying, ({ status }) => status === "retrying"))
        broken = false
        yield* useUp("acct_1")
        const waiting = yield* queueEvents(webhook, 30)
        // The retries become due.
        yield* TestClock.adjust("1 hour")
        yield* eventuallyAdvancing(parked([...retrying, ...waiting]))
        yield* TestClock.setTime(DECEMBER - 1)
        assert.isTrue(yield* parked([...retrying, ...waiting]))
        assert.strictEqual(receiver.received.length, 2)

        yield* TestClock.setTime(DECEMBER)
        yield* untilHold("acct_1", undefined)
        yield* eventuallyAdvancing(delivered([...retrying, ...waiting]))
        assert.deepStrictEqual(receivedIds(receiver).slice(2), [...retrying, ...waiting])
        const usage = yield* UsageStore
        assert.strictEqual((yield* usage.usageOf("acct_1", DECEMBER)).deliveries, 32)
        const later = yield* queueEvents(webhook, 5)
        yield* eventuallyAdvancing(delivered(later))
      })
    )
  )

  it.effect("holds a retry before its time back with the others, and it is made once", () =>
    inNovember(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let broken = true
        const receiver = yield* makeReceiver(() => (broken ? 503 : 200))
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url)
        const ids = yield* queueEvents(webhook, 2)
        yield* eventuallyAdvancing(all(ids, ({ status }) => status === "retrying"))
        broken = false
        // The quota is used up after the manual retry is accepted and before its attempt.
        yield* useUp("acct_1")
        const retried = yield* retryNow(sql, ids, NOVEMBER)
        yield* appendWork(
          yield* Effect.forEach(retried, ({ id, attempt, seriesAttempt }) =>
            Effect.map(eventOf(id), (event) => newWork(id, webhook, event, attempt, seriesAttempt))
          )
        )
        yield* eventuallyAdvancing(parked(ids))
        // The records that waited for their time become due.
        yield* TestClock.adjust("1 hour")
        yield* TestClock.setTime(DECEMBER)
        yield* untilHold("acct_1", undefined)
        yield* eventuallyAdvancing(delivered([...ids, ...(yield* queueEvents(webhook, 1))]))
        assert.strictEqual(receiver.received.length, 2 + 2 + 1)
      })
    )
  )

  it.effect("is noticed while deliveries are under way: queues are spilled to the backlog", () =>
    inNovember(
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1, maxPerSecond: 10 })
        yield* setAccount("acct_1", 20)
        const ids = yield* queueEvents(webhook, 200)
        const isHeld = all(ids, ({ status, parked }) => status === "delivered" || parked)
        yield* eventuallyAdvancing(isHeld)
        const { usageOf } = yield* UsageStore
        // A delivery that is shown as waiting may be on its way.
        const isRecorded = Effect.map(
          usageOf("acct_1", NOVEMBER),
          ({ deliveries }) => deliveries === receiver.received.length
        )
        yield* eventuallyAdvancing(isRecorded)
        const { deliveries: used } = yield* usageOf("acct_1", NOVEMBER)
        assert.isAtLeast(used, 20)
        // Usage exceeds the quota by what is sent between two checks. The clock here runs while the database answers.
        assert.isBelow(used, ids.length)
        yield* setAccount("acct_1", 1_000)
        yield* eventuallyAdvancing(delivered(ids))
        assert.deepStrictEqual(receivedIds(receiver), ids)
      })
    )
  )

  it.effect("ends when the limit is raised", () =>
    inNovember(
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url)
        yield* useUp("acct_1")
        const ids = yield* queueEvents(webhook, 10)
        yield* eventuallyAdvancing(parked(ids))
        yield* setAccount("acct_1", QUOTA + 1)
        yield* eventuallyAdvancing(delivered(ids))
        assert.strictEqual(receiver.received.length, 10)
      })
    )
  )

  it.effect("does not affect other accounts' webhooks in the same partition, or test deliveries", () =>
    inNovember(
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        const others = yield* makeReceiver()
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        let neighbour = yield* makeWebhook(others.url, { maxInFlight: 1, accountId: "acct_2" })
        while (partitionOf(DELIVERIES_TOPIC, neighbour) !== partitionOf(DELIVERIES_TOPIC, webhook)) {
          neighbour = yield* makeWebhook(others.url, { maxInFlight: 1, accountId: "acct_2" })
        }
        yield* useUp("acct_1")
        const waiting = yield* queueEvents(webhook, 30)
        const going = yield* queueEvents(neighbour, 30)
        const test = yield* queueTest(webhook, "acct_1")
        yield* eventuallyAdvancing(delivered([...going, test]))
        yield* eventuallyAdvancing(parked(waiting))
        assert.deepStrictEqual(receivedIds(others), going)
        assert.deepStrictEqual(receivedIds(receiver), [test])
        assert.strictEqual(
          (yield* Effect.flatMap(UsageStore, (usage) => usage.usageOf("acct_1", NOVEMBER))).deliveries,
          QUOTA
        )
        yield* TestClock.setTime(DECEMBER)
        yield* untilHold("acct_1", undefined)
        yield* eventuallyAdvancing(delivered(waiting))
        assert.deepStrictEqual(receivedIds(receiver), [test, ...waiting])
      })
    )
  )

  it.effect(
    "persists through a crash and a restart; waiting deliveries are then sent once and in order",
    () =>
      inNovember(
        Effect.gen(function* () {
          const receiver = yield* makeReceiver()
          const store = yield* DeliveryStore
          const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
          yield* useUp("acct_1")
          const ids = yield* queueWithRows(webhook, 300)
          // A process died while it spilled its queue: part of it is in the backlog, and no offset was committed.
          yield* store.moveToBacklog(waitingFor(ids.slice(100, 150)), "live")
          const first = yield* startDelivering
          yield* eventuallyAdvancing(parked(ids))
          yield* first.stop
          const second = yield* startDelivering
          const more = yield* queueEvents(webhook, 10)
          yield* eventuallyAdvancing(parked(more))
          assert.strictEqual(receiver.received.length, 0)
          yield* TestClock.setTime(DECEMBER)
          yield* untilHold("acct_1", undefined)
          yield* eventuallyAdvancing(Effect.sync(() => receiver.received.length > 100))
          // What is in flight is recorded after a wait.
          const stopping = yield* Effect.forkScoped(second.stop)
          yield* eventuallyAdvancing(Effect.sync(() => stopping.pollUnsafe() !== undefined))
          yield* startDelivering
          yield* setAccount("acct_1", null)
          yield* eventuallyAdvancing(delivered([...ids, ...more]))
          assert.deepStrictEqual(receivedIds(receiver), [...ids, ...more])
        })
      )
  )
})

describe("a suspended account", () => {
  it.effect("delays all its deliveries, also free ones, until it is no longer suspended", () =>
    inNovember(
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        yield* setAccount("acct_1", null, true)
        yield* untilHold("acct_1", "suspended")
        const ids = yield* queueEvents(webhook, 5)
        const test = yield* queueTest(webhook, "acct_1")
        yield* eventuallyAdvancing(parked([...ids, test]))
        // The end of the month does not matter here.
        yield* TestClock.setTime(DECEMBER)
        assert.isTrue(yield* parked([...ids, test]))
        assert.strictEqual(receiver.received.length, 0)
        yield* setAccount("acct_1", null)
        yield* eventuallyAdvancing(delivered([...ids, test]))
        assert.deepStrictEqual(receivedIds(receiver), [...ids, test].toSorted())
      })
    )
  )
})
