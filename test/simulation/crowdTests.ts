/**
 * A new webhook beside many webhooks of its partition that hang and have a flood of deliveries: it is served as if it
 * were alone, and the partition's offsets are committed. Time and receivers are simulated,
 * everything else is the program. Limits are small, so that few deliveries reach all of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { makeSeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { delay } from "../../src/spine/delay/Delay.ts"
import { deliver } from "../../src/spine/deliver/Deliver.ts"
import { DELIVERIES_TOPIC } from "../../src/spine/domain/Delivery.ts"
import { Log } from "../../src/spine/log/Log.ts"
import { makeWebhook, queueEvents } from "../support/deliver/delivering.ts"
import { TestDatabase } from "../support/store/postgres.ts"
import { allStages } from "./world/limits.ts"
import { assertUnhurt, BEGAN_MS, layerOf, type Machinery, webhookId } from "./world/machinery.ts"
import { DEADLINE_MS, type Kind, makeReceivers } from "./world/receivers.ts"
import { makeVirtualClock } from "./world/virtualClock.ts"
import { makeWatchedStore } from "./world/watchedStore.ts"

const PARTITION = 0
/** Events for webhooks that hang. The first `FLOODED` get more than memory holds, the others `OTHERS`. */
const FLOOD = [120, 40]
const FLOODED = 20
const OTHERS = 10
const ROUNDS = 5
const ROUND_MS = 1_000
/** Events for the newcomer in each round, like those of a ledger. */
const EVENTS = 20
const LIMIT_MS = 600_000

const limits = {
  ...allStages,
  partitionDeliveries: 200,
  takeBatchRecords: 50,
  lanePageRows: 20,
  unrecordedMost: 4
}

const scenario = Effect.fnUntraced(function* (crowd: number, { clock, receivers }: Machinery) {
  const log = yield* Log
  const make = Effect.fnUntraced(function* (name: string, kind: Kind) {
    const id = webhookId(name, PARTITION)
    // One host for each webhook: sharing connections to one host is tested in
    // test/spine/deliver/send/ConnectionLimiter.test.ts.
    yield* clock.outside(makeWebhook(`https://${id.toLowerCase()}.example/${id}`, { id }))
    return { id, receiver: receivers.add(`/${id}`, kind) }
  })
  const queue = Effect.fnUntraced(function* (id: string, events: number) {
    return yield* clock.outside(queueEvents(id, events))
  })
  const hanging = yield* Effect.forEach(Array.from({ length: crowd }), (_, i) =>
    make(`C${crowd}H${i}`, "hanging")
  )
  const newcomer = {
    ...(yield* make(`C${crowd}FAST`, "fast")),
    maxInFlight: 16,
    queued: new Map<string, number>()
  }
  yield* Effect.forkScoped(Effect.raceFirst(deliver, delay))
  for (const [i, { id }] of hanging.entries())
    yield* queue(id, i < FLOODED ? FLOOD[i % FLOOD.length]! : OTHERS)

  for (let round = 0; round < ROUNDS; round++) {
    for (const id of yield* queue(newcomer.id, EVENTS)) newcomer.queued.set(id, clock.nowMs())
    yield* queue(hanging[round % crowd]!.id, FLOOD[0]!)
    yield* Effect.sleep(ROUND_MS)
  }
  const partition = { topic: DELIVERIES_TOPIC, partition: PARTITION }
  const taken = (yield* log.last(partition))?.offset ?? 0
  yield* Effect.sleep(2 * DEADLINE_MS)
  return { newcomer, taken, committed: yield* log.committed("deliver", partition) }
})

const simulate = Effect.fnUntraced(function* (crowd: number) {
  const clock = makeVirtualClock(BEGAN_MS)
  const machinery: Machinery = {
    clock,
    receivers: makeReceivers(clock, makeSeededRandom(crowd)),
    store: makeWatchedStore(clock)
  }
  const { newcomer, taken, committed } = yield* clock.run(
    // The stage ends before the services that it uses.
    scenario(crowd, machinery).pipe(
      Effect.scoped,
      Effect.provide(layerOf(machinery, limits)),
      Random.withSeed(crowd)
    ),
    LIMIT_MS
  )
  assertUnhurt(newcomer)
  assert.deepStrictEqual(
    newcomer.receiver.requests.map(({ deliveryId }) => deliveryId),
    [...newcomer.queued.keys()],
    "first attempts leave in ledger order"
  )
  assert.isAbove(committed, taken, "what waits for a webhook that hangs keeps no offset from being committed")
})

export const crowdTests = (crowds: ReadonlyArray<number>) =>
  describe("a newcomer", () => {
    it.layer(TestDatabase, { excludeTestServices: true })("on a virtual clock", (it) => {
      for (const crowd of crowds)
        it.effect(
          `is served as if alone beside ${crowd} webhooks that hang and are flooded`,
          () => simulate(crowd),
          240_000
        )
    })
  })
