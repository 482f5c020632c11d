/**
 * A webhook that is paused for a day, on a virtual clock: what is queued meanwhile waits, a test delivery is sent, and
 * after the pause everything leaves in order, at the webhook's own rate.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { delay } from "../../src/spine/delay/Delay.ts"
import { deliver } from "../../src/spine/deliver/Deliver.ts"
import { insertTest } from "../../src/spine/deliveries/Transitions.ts"
import { newWork } from "../../src/spine/domain/Delivery.ts"
import { randomId } from "../../src/spine/words/Ids.ts"
import {
  appendWork,
  makeWebhook,
  queueEvents,
  queueReplayed,
  setPaused
} from "../support/deliver/delivering.ts"
import { eventOf } from "../support/deliver/events.ts"
import { TestDatabase } from "../support/store/postgres.ts"
import { allStages } from "./world/limits.ts"
import { BEGAN_MS, layerOf, type Machinery, webhookId } from "./world/machinery.ts"
import { makeReceivers } from "./world/receivers.ts"
import { makeVirtualClock } from "./world/virtualClock.ts"
import { makeWatchedStore } from "./world/watchedStore.ts"

const DAY_MS = 24 * 3_600_000
const EVENTS = 30
const PER_SECOND = 10

const limits = { ...allStages, partitionDeliveries: 40, lanePageRows: 8 }

const scenario = Effect.fnUntraced(function* ({ clock, receivers, store }: Machinery) {
  const sql = yield* SqlClient.SqlClient
  const id = webhookId("PAUSED", 0)
  yield* clock.outside(makeWebhook("https://receiver.example/paused", { id, maxPerSecond: PER_SECOND }))
  const { arrivals, requests } = receivers.add("/paused", "fast")
  const start = Effect.forkScoped(Effect.raceFirst(deliver, delay))
  let stage = yield* start
  const queue = (events: number) => clock.outside(queueEvents(id, events))
  const pause = (paused: boolean) => clock.outside(setPaused(id, paused))

  const queued = [...(yield* queue(EVENTS))]
  yield* Effect.sleep(500)
  yield* pause(true)
  yield* Effect.sleep(2_000)
  const sentBefore = requests.length
  assert.isBelow(sentBefore, EVENTS, "it was paused in the middle")

  const replayed = yield* clock.outside(queueReplayed(id, 3))
  for (let hour = 0; hour < 24; hour += 6) {
    queued.push(...(yield* queue(EVENTS)))
    yield* Effect.sleep(DAY_MS / 8)
    yield* Fiber.interrupt(stage)
    stage = yield* start
    yield* Effect.sleep(DAY_MS / 8)
  }
  assert.lengthOf(requests, sentBefore, "nothing is sent during the pause")

  const event = { ...eventOf({}), detected_at: BEGAN_MS }
  const test = randomId("dlv_", BEGAN_MS)
  yield* clock.outside(insertTest(sql, { id: test, webhookId: id, event }, "acct_1", "mainnet", BEGAN_MS))
  yield* clock.outside(appendWork([newWork(test, id, event)]))
  yield* Effect.sleep(1_000)
  assert.deepStrictEqual(
    requests.slice(sentBefore).map(({ deliveryId }) => deliveryId),
    [test],
    "only the test delivery is sent"
  )

  const resumedMs = clock.nowMs()
  yield* pause(false)
  yield* Effect.sleep(60_000)
  const sent = requests.filter(({ deliveryId }) => deliveryId !== test).map(({ deliveryId }) => deliveryId)
  assert.deepStrictEqual(sent, [...queued, ...replayed], "each is sent once, in order, replays last")
  const states = yield* store.states([...queued, ...replayed])
  assert.isTrue([...states.values()].every(({ status }) => status === "delivered"))
  const after = arrivals.filter(({ atMs }) => atMs >= resumedMs)
  for (const [i, { atMs }] of after.entries())
    assert.isAtMost(i + 1, PER_SECOND * (1 + (atMs - resumedMs) / 1_000), "at its own rate")
})

describe("a paused webhook", () => {
  it.layer(TestDatabase, { excludeTestServices: true })("on a virtual clock", (it) => {
    it.effect("keeps what is queued for a day, and then sends it in order at its own rate", () => {
      const clock = makeVirtualClock(BEGAN_MS)
      const machinery: Machinery = {
        clock,
        receivers: makeReceivers(clock, makeSeededRandom(1)),
        store: makeWatchedStore(clock)
      }
      const run = scenario(machinery).pipe(
        Effect.scoped,
        Effect.provide(layerOf(machinery, limits)),
        Random.withSeed(1)
      )
      return clock.run(run, 3 * DAY_MS)
    })
  })
})
