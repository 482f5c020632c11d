/**
 * Retries of deliveries in the backlog. Their retry is appended before their attempt is recorded, so after a crash at
 * any moment either the row or the log has the work. A retry that arrives too early must not be lost.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { delayTopic } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionsOf } from "../../../src/spine/log/Topics.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  queueEvents,
  setStatus,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"

/** The records of the delay topic of second attempts. */
const retriesIn = Effect.fnUntraced(function* (log: Log["Service"]) {
  const topic = delayTopic(2)
  const records = yield* Effect.forEach(Array.from({ length: partitionsOf(topic) }).keys(), (partition) =>
    log.read({ topic, partition, offset: 0 }, 100)
  )
  return records.flat().map(({ value }) => JSON.parse(value ?? "{}"))
})

type Store = DeliveryStore["Service"]

/** The store with some of its methods changed. */
const storeWith = (change: (store: Store, log: Log["Service"]) => Partial<Store>) =>
  Layer.effect(
    DeliveryStore,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      return DeliveryStore.of({ ...store, ...change(store, yield* Log) })
    })
  ).pipe(Layer.provide(DeliveryStore.layer))

/** Deliveries that are in the backlog because their webhook was disabled when they arrived. */
const backlogDeliveries = Effect.fnUntraced(function* (url: string, count: number) {
  const store = yield* DeliveryStore
  const webhook = yield* makeWebhook(url)
  yield* setStatus(webhook, "disabled")
  const ids = yield* queueEvents(webhook, count)
  yield* startDelivering
  yield* eventually(
    Effect.map(store.states(ids), (states) =>
      assert.isTrue(ids.every((id) => states.get(id)?.parked === true))
    )
  )
  return { webhook, ids }
})

it.live("a retry from the backlog is in the log before its attempt is recorded", () => {
  const queuedBefore: Array<boolean> = []
  const store = storeWith(({ record }, log) => ({
    record: (attempts, disableAfter) =>
      Effect.gen(function* () {
        for (const { deliveryId, status } of attempts) {
          if (status !== "retrying") continue
          const retries = yield* Effect.orDie(retriesIn(log))
          queuedBefore.push(retries.some((work) => work.delivery_id === deliveryId && work.attempt === 2))
        }
        return yield* record(attempts, disableAfter)
      })
  }))
  return Effect.gen(function* () {
    let broken = true
    const receiver = yield* makeReceiver(() => (broken ? 503 : 200))
    const { webhook, ids } = yield* backlogDeliveries(receiver.url, 5)
    yield* setStatus(webhook, "active")
    yield* receiver.until((received) => received.length >= ids.length)
    broken = false
    yield* untilAll(ids, "delivered")
    assert.deepStrictEqual(
      queuedBefore,
      ids.map(() => true)
    )
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ DELIVERY_RETRY_DELAYS: "500ms" }, store)))
})

it.live("a retry that arrives before its attempt is recorded is offered again later", () => {
  const read = Latch.makeUnsafe()
  let recording = false
  const store = storeWith(({ record, states }) => ({
    record: (attempts, disableAfter) => {
      recording = true
      return Effect.andThen(Latch.await(read), record(attempts, disableAfter))
    },
    states: (ids) =>
      Effect.tap(states(ids), () => Effect.sync(() => (recording ? read.openUnsafe() : undefined)))
  }))
  return Effect.gen(function* () {
    const receiver = yield* makeReceiver(() => 503)
    const { webhook, ids } = yield* backlogDeliveries(receiver.url, 1)
    yield* setStatus(webhook, "active")
    const log = yield* Log
    const deliveries = yield* DeliveryStore
    // The row was read before the attempt was recorded, and the log has the work once more.
    yield* eventually(
      Effect.gen(function* () {
        const retries = yield* retriesIn(log)
        const again = [ids[0], 2]
        assert.deepStrictEqual(
          retries.map(({ delivery_id, attempt }) => [delivery_id, attempt]),
          [again, again]
        )
        const states = yield* deliveries.states(ids)
        assert.deepInclude(states.get(ids[0]!), { status: "retrying", attempts: 1, parked: false })
      })
    )
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer({}, store)))
})
