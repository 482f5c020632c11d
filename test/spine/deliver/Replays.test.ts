/**
 * Replayed deliveries beside live ones, on a real database and to real receivers: live first, one window, one rate.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { StageLimits, stageLimits } from "../../../src/spine/config/StageLimits.ts"
import { DeliverLimits, deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { delayTopic, newWork, REPLAYS_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { type Pace, ReaderPace } from "../../../src/spine/log/ReaderPace.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
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
  tenthOfMemory,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver, type Received } from "../../support/deliver/receiver.ts"

const idsOf = (received: ReadonlyArray<Received>) => received.map(({ deliveryId }) => deliveryId)

describe("replayed deliveries", () => {
  it.live(
    "are sent in order, after live ones, within one window",
    () =>
      Effect.gen(function* () {
        let open = 0
        let most = 0
        const receiver = yield* makeReceiver((_, response) => {
          most = Math.max(most, ++open)
          setImmediate(() => {
            open--
            response.end()
          })
          return "handled"
        })
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        const replayed = yield* queueReplayed(webhook, 150)
        const live = yield* queueEvents(webhook, 150)
        yield* startDelivering
        yield* untilAll([...replayed, ...live], "delivered")
        assert.strictEqual(most, 1)
        const order = idsOf(receiver.received)
        assert.deepStrictEqual(
          order.filter((id) => live.includes(id)),
          live
        )
        assert.deepStrictEqual(
          order.filter((id) => replayed.includes(id)),
          replayed
        )
        // Only attempts that started before the live deliveries arrived may precede them.
        assert.isBelow(order.indexOf(live.at(-1)!), live.length + 25)
      }).pipe(Effect.scoped, Effect.provide(deliveringLayer())),
    60_000
  )

  it.live(
    "go to the backlog beyond a bound, in order, and hold no live delivery back",
    () =>
      Effect.gen(function* () {
        let stuck = true
        const waiting: Array<() => void> = []
        const receiver = yield* makeReceiver((_, response) => {
          if (!stuck) return 200
          waiting.push(() => response.end())
          return "handled"
        })
        const others = yield* makeReceiver()
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        let neighbour = yield* makeWebhook(others.url)
        while (partitionOf(REPLAYS_TOPIC, neighbour) !== partitionOf(REPLAYS_TOPIC, webhook)) {
          neighbour = yield* makeWebhook(others.url)
        }
        const replayed = yield* queueReplayed(webhook, 2 * tenthOfMemory.partitionReplays)
        yield* untilAll(yield* queueReplayed(neighbour, 50), "delivered")
        yield* untilAll(yield* queueEvents(neighbour, 50), "delivered")
        const states = yield* Effect.flatMap(DeliveryStore, (store) => store.states(replayed))
        assert.isAtLeast(
          [...states.values()].filter(({ parked }) => parked).length,
          replayed.length - tenthOfMemory.partitionReplays
        )
        const live = yield* queueEvents(webhook, 20)
        stuck = false
        for (const answer of waiting) answer()
        yield* untilAll([...live, ...replayed], "delivered")
        const order = idsOf(receiver.received)
        assert.deepStrictEqual(
          order.filter((id) => replayed.includes(id)),
          replayed
        )
      }).pipe(
        Effect.scoped,
        Effect.provide(deliveringLayer({ DELIVERY_TIMEOUT: "30 seconds" })),
        Effect.provideService(DeliverLimits, tenthOfMemory)
      ),
    60_000
  )

  it.live("share the webhook's rate with live ones", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxPerSecond: 20 })
      const ids = [...(yield* queueReplayed(webhook, 20)), ...(yield* queueEvents(webhook, 20))]
      const began = performance.now()
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      // The deliveries of one second start at once, the rest in the next second.
      assert.isAbove(performance.now() - began, 900)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("are retried through the delay topics, and return behind live ones", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const seen = new Set<string>()
      const receiver = yield* makeReceiver(({ deliveryId }) => {
        if (seen.has(deliveryId)) return 200
        seen.add(deliveryId)
        return 503
      })
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const ids = yield* queueReplayed(webhook, 20)
      yield* untilAll(ids, "delivered")
      assert.strictEqual(receiver.received.length, 40)
      const partition = { topic: REPLAYS_TOPIC, partition: partitionOf(REPLAYS_TOPIC, webhook) }
      assert.lengthOf(yield* log.read({ ...partition, offset: 0 }, 100), 40)
      const topic = delayTopic(2)
      const delayed = yield* log.read({ topic, partition: partitionOf(topic, webhook), offset: 0 }, 100)
      assert.lengthOf(delayed, 20)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("wait for a disabled webhook until it is enabled, and end with a deleted one", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const store = yield* DeliveryStore
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      yield* setStatus(webhook, "disabled")
      const ids = yield* queueReplayed(webhook, 150)
      const parked = eventually(
        Effect.map(store.states(ids), (states) =>
          assert.isTrue(ids.every((id) => states.get(id)?.parked === true))
        )
      )
      yield* parked
      assert.strictEqual(receiver.received.length, 0)
      yield* setStatus(webhook, "active")
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(idsOf(receiver.received), ids)
      yield* setStatus(webhook, "deleted")
      yield* untilAll(yield* queueReplayed(webhook, 5), "failed")
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("are sent once if the log has an attempt twice and the second record waits for memory", () => {
    const size = deliverLimits.laneLeast
    let answer = () => {}
    let reads = 0
    const store = Layer.effect(
      DeliveryStore,
      Effect.map(DeliveryStore, (own) => ({
        ...own,
        // The first attempt ends after the row was read for its second record.
        states: (ids: ReadonlyArray<string>) =>
          Effect.tap(own.states(ids), () => Effect.sync(() => ++reads === 2 && answer()))
      }))
    ).pipe(Layer.provide(DeliveryStore.layer))
    return Effect.gen(function* () {
      const receiver = yield* makeReceiver((_, response) => {
        if (reads > 1) return 200
        answer = () => response.end()
        return "handled"
      })
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      const ids = yield* queueReplayed(webhook, size)
      const first = newWork(ids[0]!, webhook, yield* eventOf(ids[0]!))
      yield* appendWork([{ ...first, replay: true }])
      const last = yield* queueReplayed(webhook, 1)
      yield* startDelivering
      yield* untilAll([...ids, ...last], "delivered")
      assert.deepStrictEqual(idsOf(receiver.received), [...ids, ...last])
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer({}, store)),
      Effect.provideService(StageLimits, { ...stageLimits, feedWaitMs: 20_000 }),
      Effect.provideService(DeliverLimits, {
        ...deliverLimits,
        // The first records fill the memory, and the second record is read after them.
        partitionReplays: size,
        feedRecords: size
      })
    )
  })

  it.live("wait for their lane, and route does not wait for them", () => {
    const DELIVERIES = 200
    let waits = 0
    const counted: Pace = {
      waiting: () => 0,
      during: (wait) =>
        Effect.andThen(
          Effect.sync(() => waits++),
          wait
        )
    }
    return Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      yield* startDelivering
      yield* untilAll(yield* queueReplayed(webhook, DELIVERIES), "delivered")
      assert.strictEqual(waits, 0)
      yield* untilAll(yield* queueEvents(webhook, DELIVERIES), "delivered")
      assert.isAbove(waits, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, { ...deliverLimits, partitionReplays: 8 }),
      Effect.provideService(ReaderPace, counted)
    )
  })

  it.live("resume after a restart where they stopped", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 4 })
      const ids = yield* queueReplayed(webhook, 300)
      const first = yield* startDelivering
      yield* receiver.until((received) => received.length > 100)
      yield* first.stop
      assert.isBelow(receiver.received.length, ids.length)
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(idsOf(receiver.received).toSorted(), ids)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, tenthOfMemory)
    )
  )
})
