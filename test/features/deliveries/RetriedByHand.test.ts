/**
 * Manual retries of deliveries that wait for their next attempt: the attempt starts at once, the schedule continues
 * after it, and the record that waited for the due time is dropped, whatever happens in between.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { DeliverLimits, deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { retryNow } from "../../../src/spine/deliveries/Transitions.ts"
import {
  DELIVERIES_TOPIC,
  type DeliveryWork,
  delayTopic,
  newWork
} from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import {
  appendWork,
  deliveringLayer,
  eventOf,
  eventually,
  makeWebhook,
  queueEvents,
  queueReplayed,
  setStatus,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver, type Receiver } from "../../support/deliver/receiver.ts"
import { scheduleOf, waitingFor } from "../../support/store/rows.ts"

const HOUR_MS = 3_600_000
const owner = { accountId: "acct_1", networks: ["mainnet"] as const }

/** Retries a delivery as the API does. */
const retry = Effect.fnUntraced(function* (id: string) {
  const queries = yield* DeliveryQueries
  return yield* queries.retry(owner, id, yield* eventOf(id), Date.now())
})

/** Changes only the rows, without a check of their webhook. */
const retryUnasked = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => retryNow(sql, ids, Date.now()))

/** Disables the webhook and waits until deliver knows it. */
const disable = (webhook: string) =>
  Effect.andThen(
    setStatus(webhook, "disabled"),
    Effect.flatMap(WebhookRegistry, ({ upToDate }) => upToDate)
  )

/** The work of an attempt, as the delay stage returns it when it is due. */
const dueWork = Effect.fnUntraced(function* (webhook: string, id: string, attempt: number) {
  return newWork(id, webhook, yield* eventOf(id), attempt, attempt)
})

const stateOf = Effect.fnUntraced(function* (id: string) {
  const states = yield* Effect.flatMap(DeliveryStore, (store) => store.states([id]))
  return { ...states.get(id)!, ...(yield* scheduleOf(id)) }
})

const untilParked = (ids: ReadonlyArray<string>) =>
  eventually(
    Effect.map(
      Effect.flatMap(DeliveryStore, (store) => store.states(ids)),
      (states) => assert.isTrue(ids.every((id) => states.get(id)?.parked === true))
    )
  )

const sentOf = (receiver: Receiver, id: string) =>
  receiver.received.filter(({ deliveryId }) => deliveryId === id).length

/** Waits until every earlier record of the webhook has been handled. */
const fence = Effect.fnUntraced(function* (webhook: string, receiver: Receiver) {
  const [live] = yield* queueEvents(webhook, 1)
  const [replayed] = yield* queueReplayed(webhook, 1)
  yield* receiver.until(() => sentOf(receiver, live!) > 0 && sentOf(receiver, replayed!) > 0)
})

/** The webhook's records in the delay topic of that attempt. */
const waitingIn = Effect.fnUntraced(function* (webhook: string, seriesAttempt: number) {
  const log = yield* Log
  const topic = delayTopic(seriesAttempt)
  const records = yield* log.read({ topic, partition: partitionOf(topic, webhook), offset: 0 }, 100)
  return records.map(({ value }) => JSON.parse(value!) as DeliveryWork)
})

/** A webhook with `count` deliveries that wait for their second attempt. `repair` repairs its receiver. */
const prepare = Effect.fnUntraced(function* (count: number, fields: Parameters<typeof makeWebhook>[1] = {}) {
  let broken = true
  const receiver = yield* makeReceiver(() => (broken ? 503 : 200))
  const webhook = yield* makeWebhook(receiver.url, fields)
  const ids = yield* queueEvents(webhook, count)
  const stage = yield* startDelivering
  yield* untilAll(ids, "retrying")
  return {
    receiver,
    webhook,
    ids,
    stage,
    repair: () => {
      broken = false
    }
  }
})

const delivering = (store?: Parameters<typeof deliveringLayer>[1]) =>
  DeliveryQueries.layer.pipe(
    Layer.provideMerge(deliveringLayer({ DELIVERY_RETRY_DELAYS: "1h,2h", DELIVERY_JITTER: "0" }, store))
  )

describe("a retrying delivery that is retried by hand", () => {
  it.live("is attempted at once, and its schedule continues after that attempt", () =>
    Effect.gen(function* () {
      const { receiver, webhook, ids } = yield* prepare(1)
      const id = ids[0]!
      assert.deepStrictEqual(yield* retry(id), { is: "queued", status: "retrying" })
      yield* eventually(
        Effect.map(stateOf(id), (state) =>
          assert.deepInclude(state, { status: "retrying", attempts: 2, seriesStart: 0 })
        )
      )
      const { nextAttemptAt } = yield* stateOf(id)
      assert.approximately(nextAttemptAt! - Date.now(), 2 * HOUR_MS, 60_000)
      yield* eventually(
        Effect.map(waitingIn(webhook, 3), (works) =>
          assert.deepStrictEqual(
            works.map(({ attempt, series_attempt }) => [attempt, series_attempt]),
            [[3, 3]]
          )
        )
      )
      // The schedule has three attempts: the third ends the series, however early it came.
      yield* retry(id)
      yield* untilAll([id], "failed")
      assert.strictEqual(sentOf(receiver, id), 3)
      // A manual retry begins a new series.
      assert.deepStrictEqual(yield* retry(id), { is: "queued", status: "pending" })
      yield* eventually(
        Effect.map(stateOf(id), (state) =>
          assert.deepInclude(state, { status: "retrying", attempts: 4, seriesStart: 3 })
        )
      )
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )

  it.live("is not attempted again when the record that waited is due, nor after a restart", () =>
    Effect.gen(function* () {
      const { receiver, webhook, ids, repair, stage } = yield* prepare(2)
      const [failing, working] = [ids[0]!, ids[1]!]
      yield* retry(failing)
      yield* eventually(Effect.map(stateOf(failing), ({ attempts }) => assert.strictEqual(attempts, 2)))
      repair()
      yield* retry(working)
      yield* untilAll([working], "delivered")
      const due = [yield* dueWork(webhook, failing, 2), yield* dueWork(webhook, working, 2)]
      yield* appendWork(due)
      yield* fence(webhook, receiver)
      yield* stage.stop
      yield* appendWork(due)
      const again = yield* startDelivering
      yield* fence(webhook, receiver)
      yield* again.stop
      assert.deepStrictEqual([sentOf(receiver, failing), sentOf(receiver, working)], [2, 2])
      assert.deepInclude(yield* stateOf(failing), { status: "retrying", attempts: 2 })
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )

  it.live("is attempted once, however often and however many at once ask", () =>
    Effect.gen(function* () {
      const { receiver, webhook, ids, repair } = yield* prepare(20)
      repair()
      const asked = ids.flatMap((id) => [id, id, id])
      const answers = yield* Effect.forEach(asked, retry, { concurrency: "unbounded" })
      for (const { is } of answers) assert.include(["queued", "not failed"], is)
      yield* untilAll(ids, "delivered")
      yield* fence(webhook, receiver)
      for (const id of ids) assert.strictEqual(sentOf(receiver, id), 2)
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )

  it.live("is attempted once when its time comes at the same moment, in whichever lane", () =>
    Effect.gen(function* () {
      const { receiver, webhook, ids, repair } = yield* prepare(60, { maxInFlight: 4 })
      repair()
      const due = yield* Effect.forEach(ids, (id) => dueWork(webhook, id, 2))
      const early = due.map((work, i) => (i % 2 === 0 ? work : { ...work, replay: true as const }))
      yield* retryUnasked(ids)
      // Either record comes first, or both are in one batch.
      yield* Effect.forEach(
        ids.map((_, i) => (i % 3 === 0 ? [due[i]!, early[i]!] : [early[i]!, due[i]!])),
        appendWork,
        { concurrency: "unbounded" }
      )
      yield* untilAll(ids, "delivered")
      yield* fence(webhook, receiver)
      for (const id of ids) assert.strictEqual(sentOf(receiver, id), 2)
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )

  it.live("is attempted once when the other lane records it after this one read its row", () => {
    const held = Latch.makeUnsafe()
    const read = Latch.makeUnsafe()
    let holding = ""
    /** Delays the answer about the held delivery until the test allows it. It shows the state at the request. */
    const store = Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (own) => ({
        ...own,
        states: (ids: ReadonlyArray<string>) =>
          Effect.tap(own.states(ids), () => {
            if (!ids.includes(holding)) return Effect.void
            holding = ""
            return Effect.andThen(Latch.open(read), Latch.await(held))
          })
      }))
    ).pipe(Layer.provide(DeliveryStore.layer))
    return Effect.gen(function* () {
      const { receiver, webhook, ids, repair } = yield* prepare(1)
      const id = ids[0]!
      repair()
      const due = yield* dueWork(webhook, id, 2)
      holding = id
      yield* appendWork([{ ...due, replay: true }])
      yield* Latch.await(read)
      yield* appendWork([due])
      yield* receiver.until(() => sentOf(receiver, id) === 2)
      yield* eventually(Effect.map(stateOf(id), ({ attempts }) => assert.strictEqual(attempts, 2)))
      yield* Latch.open(held)
      yield* fence(webhook, receiver)
      assert.strictEqual(sentOf(receiver, id), 2)
    }).pipe(Effect.scoped, Effect.provide(delivering(store)))
  })

  it.live("keeps first attempts in order and one request at a time at max_in_flight 1", () =>
    Effect.gen(function* () {
      let open = 0
      let most = 0
      let broken = true
      const receiver = yield* makeReceiver((_, response) => {
        most = Math.max(most, ++open)
        const status = broken ? 503 : 200
        setImmediate(() => {
          open--
          response.writeHead(status).end()
        })
        return "handled"
      })
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      const retried = yield* queueEvents(webhook, 10)
      yield* startDelivering
      yield* untilAll(retried, "retrying")
      broken = false
      const before = yield* queueEvents(webhook, 40)
      yield* Effect.forEach(retried.toReversed(), retry)
      const after = yield* queueEvents(webhook, 40)
      yield* untilAll([...retried, ...before, ...after], "delivered")
      assert.strictEqual(most, 1)
      const firsts = receiver.received
        .map(({ deliveryId }) => deliveryId)
        .filter((id) => !retried.includes(id))
      assert.deepStrictEqual(firsts, [...before, ...after])
      for (const id of retried) assert.strictEqual(sentOf(receiver, id), 2)
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )

  it.live("waits in backlog while its webhook is disabled, and is attempted once when it is enabled", () =>
    Effect.gen(function* () {
      const { receiver, webhook, ids, repair } = yield* prepare(5)
      repair()
      // This happens after the manual retry is accepted and before its attempt.
      yield* disable(webhook)
      yield* retryUnasked(ids)
      const due = yield* Effect.forEach(ids, (id) => dueWork(webhook, id, 2))
      yield* appendWork(due)
      yield* untilParked(ids)
      assert.deepStrictEqual(yield* retry(ids[0]!), { is: "webhook disabled" })
      yield* setStatus(webhook, "active")
      yield* untilAll(ids, "delivered")
      yield* appendWork(due)
      yield* fence(webhook, receiver)
      for (const id of ids) assert.strictEqual(sentOf(receiver, id), 2)
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )

  it.live("needs no work of its own while it is due in the backlog", () =>
    Effect.gen(function* () {
      const { webhook, ids } = yield* prepare(1)
      const id = ids[0]!
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      yield* store.moveToBacklog(waitingFor([id], 2), "live")
      yield* sql`UPDATE deliveries SET next_attempt_at = updated_at + interval '1 microsecond' WHERE id = ${id}`
      const before = yield* stateOf(id)
      assert.deepStrictEqual(yield* retry(id), { is: "queued", status: "retrying" })
      assert.deepStrictEqual(yield* stateOf(id), before)
      const queued = yield* sql`SELECT 1 FROM outbox WHERE topic = ${DELIVERIES_TOPIC} AND key = ${webhook}`
      assert.strictEqual(queued.length, 0)
    }).pipe(Effect.scoped, Effect.provide(delivering()))
  )
})

it.live("what a retry job queues leaves oldest first, after all that is live, one request at a time", () =>
  Effect.gen(function* () {
    const { receiver, webhook, ids, repair, stage } = yield* prepare(60, { maxInFlight: 1 })
    yield* stage.stop
    repair()
    yield* retryUnasked(ids)
    const due = yield* Effect.forEach(ids, (id) => dueWork(webhook, id, 2))
    yield* appendWork(due.map((work) => ({ ...work, replay: true as const })))
    const live = yield* queueEvents(webhook, 60)
    const before = receiver.received.length
    yield* startDelivering
    yield* untilAll([...ids, ...live], "delivered")
    const order = receiver.received.slice(before).map(({ deliveryId }) => deliveryId)
    assert.deepStrictEqual(
      order.filter((id) => ids.includes(id)),
      ids
    )
    assert.deepStrictEqual(
      order.filter((id) => live.includes(id)),
      live
    )
    // Only attempts that began before the live deliveries arrived may precede one of them.
    assert.isBelow(order.indexOf(live.at(-1)!), live.length + 50)
  }).pipe(Effect.scoped, Effect.provide(delivering()))
)

it.live("a retried delivery of a replay that finds no room in memory waits in the backlog of live ones", () =>
  Effect.gen(function* () {
    const answers: Array<() => void> = []
    let stuck = false
    const refused = new Set<string>()
    const receiver = yield* makeReceiver(({ deliveryId }, response) => {
      if (stuck) {
        answers.push(() => response.end())
        return "handled"
      }
      if (refused.size === 3 || refused.has(deliveryId)) return 200
      refused.add(deliveryId)
      return 503
    })
    const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
    const replayed = yield* queueReplayed(webhook, 3)
    yield* startDelivering
    yield* untilAll(replayed, "retrying")
    stuck = true
    const live = yield* queueEvents(webhook, 20)
    yield* untilParked(live.slice(10))
    yield* retryUnasked(replayed)
    // A manual retry counts as live work.
    yield* appendWork(yield* Effect.forEach(replayed, (id) => dueWork(webhook, id, 2)))
    yield* untilParked(replayed)
    stuck = false
    for (const answer of answers) answer()
    yield* untilAll([...live, ...replayed], "delivered")
  }).pipe(
    Effect.scoped,
    Effect.provide(delivering()),
    Effect.provideService(DeliverLimits, { ...deliverLimits, partitionDeliveries: 8 })
  )
)
