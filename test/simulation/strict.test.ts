/**
 * Strict order on a virtual clock: a receiver that fails at random gets nothing later before the earlier delivery is
 * answered or given up, across restarts. A webhook beside it is not hurt. Whoever asks for the attempt of the delivery
 * that the others wait for gets it at once.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { delay } from "../../src/spine/delay/Delay.ts"
import { deliver } from "../../src/spine/deliver/Deliver.ts"
import { retryNow } from "../../src/spine/deliveries/Transitions.ts"
import { newWork } from "../../src/spine/domain/Delivery.ts"
import {
  appendWork,
  eventOf,
  makeWebhook,
  queueEvents,
  queueReplayed
} from "../support/deliver/delivering.ts"
import { TestDatabase } from "../support/store/postgres.ts"
import { allStages } from "./world/limits.ts"
import { assertUnhurt, BEGAN_MS, layerOf, type Machinery, webhookId } from "./world/machinery.ts"
import { type Kind, makeReceivers, type Receiver } from "./world/receivers.ts"
import { makeVirtualClock } from "./world/virtualClock.ts"
import { makeWatchedStore } from "./world/watchedStore.ts"

const EVENTS = 12
const ROUNDS = 4
const LIMIT_MS = 3_600_000

const limits = { ...allStages, partitionDeliveries: 30, lanePageRows: 8, rowAfterMs: 300 }

const firstsOf = ({ requests }: Receiver, ids: ReadonlyArray<string>) => [
  ...new Set(requests.map(({ deliveryId }) => deliveryId).filter((id) => ids.includes(id)))
]

/** Each delivery is answered before the next one comes. */
const assertStrict = (receiver: Receiver, ids: ReadonlyArray<string>) => {
  assert.deepStrictEqual(firstsOf(receiver, ids), [...ids], "in ledger order, without a hole")
  const own = receiver.requests.filter(({ deliveryId }) => ids.includes(deliveryId))
  for (const [i, { deliveryId }] of own.entries())
    if (i > 0 && own[i - 1]!.deliveryId !== deliveryId)
      assert.isTrue(own[i - 1]!.accepted, `nothing is sent while ${own[i - 1]!.deliveryId} waits`)
}

const random = Effect.fnUntraced(function* ({ clock, receivers, store }: Machinery) {
  const make = Effect.fnUntraced(function* (name: string, kind: Kind, ordering?: "strict") {
    const id = webhookId(name, 0)
    const url = `https://${id.toLowerCase()}.example/${id}`
    yield* clock.outside(makeWebhook(url, { id, ...(ordering === undefined ? {} : { ordering }) }))
    return { id, receiver: receivers.add(`/${id}`, kind) }
  })
  const strict = yield* make("STRICT", "flaky", "strict")
  const beside = { ...(yield* make("BESIDE", "fast")), maxInFlight: 16, queued: new Map<string, number>() }
  const start = Effect.forkScoped(Effect.raceFirst(deliver, delay))
  let stage = yield* start
  const live: Array<string> = []
  const replayed = yield* clock.outside(queueReplayed(strict.id, 5))
  for (let round = 0; round < ROUNDS; round++) {
    live.push(...(yield* clock.outside(queueEvents(strict.id, EVENTS))))
    if (round > 0) {
      yield* Fiber.interrupt(stage)
      stage = yield* start
    }
    for (const id of yield* clock.outside(queueEvents(beside.id, EVENTS)))
      beside.queued.set(id, clock.nowMs())
    yield* Effect.sleep(3_000)
  }
  assertUnhurt(beside)
  const ids = [...live, ...replayed]
  while (
    [...(yield* store.states(ids)).values()].filter(({ status }) => status === "delivered").length <
    ids.length
  )
    yield* Effect.sleep(1_000)
  assert.strictEqual(strict.receiver.mostOpen, 1, "one request at a time")
  assertStrict(strict.receiver, live)
  assertStrict(strict.receiver, replayed)
})

const asked = Effect.fnUntraced(function* ({ clock, receivers, store }: Machinery) {
  const sql = yield* SqlClient.SqlClient
  const id = webhookId("ASKED", 0)
  yield* clock.outside(makeWebhook(`https://receiver.example/${id}`, { id, ordering: "strict" }))
  const receiver = receivers.add(`/${id}`, "failing")
  yield* Effect.forkScoped(Effect.raceFirst(deliver, delay))
  const ids = yield* clock.outside(queueEvents(id, 3))
  yield* Effect.sleep(5_500)
  const [head] = ids
  assert.deepStrictEqual(firstsOf(receiver, ids), [head!])
  receivers.recover(true)
  // The head waits for a second or two.
  const before = receiver.requests.length
  const state = (yield* store.states(ids)).get(head!)
  assert.deepInclude(state, { status: "retrying", parked: true })
  assert.isAbove(state!.nextAttemptAt! - clock.nowMs(), 200)
  const askedMs = clock.nowMs()
  const [retried] = yield* clock.outside(retryNow(sql, [head!], askedMs))
  const event = yield* eventOf(head!)
  const work = newWork(head!, id, event, retried!.attempt, retried!.seriesAttempt)
  yield* appendWork([{ ...work, manual: true }])
  yield* Effect.sleep(2_000)
  assert.isAtMost(receiver.requests[before]!.atMs - askedMs, 150, "it is sent at once")
  assert.deepStrictEqual(firstsOf(receiver, ids), [...ids])
})

const simulate = (scenario: typeof random | typeof asked, seed: number) => {
  const clock = makeVirtualClock(BEGAN_MS)
  const machinery: Machinery = {
    clock,
    receivers: makeReceivers(clock, makeSeededRandom(seed)),
    store: makeWatchedStore(clock)
  }
  const run = scenario(machinery).pipe(
    Effect.scoped,
    Effect.provide(layerOf(machinery, limits)),
    Random.withSeed(seed)
  )
  return clock.run(run, LIMIT_MS)
}

describe("strict order", () => {
  it.layer(TestDatabase, { excludeTestServices: true })("on a virtual clock", (it) => {
    it.effect("holds for a receiver that fails at random, and hurts no other webhook", () =>
      simulate(random, 1)
    )
    it.effect("ends its wait when somebody asks for the next attempt", () => simulate(asked, 2))
  })
})
