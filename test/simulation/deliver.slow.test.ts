/**
 * Deliver and delay on a virtual clock and a real database, with receivers of every kind and chance by seed. Limits
 * are small, so that few deliveries reach all of them. In the quiet phase at the end, all receivers but the failing
 * ones recover, and every delivery must settle.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom, type SeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { delay } from "../../src/spine/delay/Delay.ts"
import { deliver } from "../../src/spine/deliver/Deliver.ts"
import { retryNow } from "../../src/spine/deliveries/Transitions.ts"
import { newWork } from "../../src/spine/domain/Delivery.ts"
import type { Batch } from "../../src/spine/event/Batch.ts"
import {
  appendWork,
  eventOf,
  makeWebhook,
  queueEvents,
  queueWithRows,
  setStatus
} from "../support/deliver/delivering.ts"
import { TestDatabase } from "../support/store/postgres.ts"
import { allStages } from "./world/limits.ts"
import { assertUnhurt, BEGAN_MS, layerOf, type Machinery, webhookId } from "./world/machinery.ts"
import { type Kind, kinds, makeReceivers, type Receiver } from "./world/receivers.ts"
import { makeVirtualClock } from "./world/virtualClock.ts"
import { makeWatchedStore } from "./world/watchedStore.ts"

const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1)
const ATTEMPTS = 10
const PARTITIONS = 2
const ROUNDS = 6
/** Enough time to settle every delivery after the quiet phase begins, including all attempts at failing receivers. */
const QUIET_MS = 3_600_000

const limits = {
  ...allStages,
  partitionDeliveries: 40,
  takeBatchRecords: 20,
  lanePageRows: 8,
  unrecordedMost: 4,
  delayBatchRecords: 10
}

interface Webhook {
  /** It was disabled for a while. */
  paused: boolean
  readonly id: string
  readonly receiver: Receiver
  readonly maxInFlight: number
  readonly maxPerSecond: number | undefined
  readonly batch: Batch | undefined
  /** Deliveries in ledger order, and when each was queued. */
  readonly queued: Map<string, number>
}

interface World extends Machinery {
  readonly seed: number
  readonly chance: SeededRandom
  readonly webhooks: Array<Webhook>
  /** The webhook of each delivery. */
  readonly owners: Map<string, string>
  /** When the stage was restarted. */
  readonly restartsMs: Array<number>
}

/** Runs half a minute of faults chosen by the seed, and returns the rows when everything has settled. */
const scenario = Effect.fnUntraced(function* (world: World) {
  const { seed, chance, clock, receivers, store, webhooks, owners, restartsMs } = world
  const count = chance.int(4, 8)
  for (let i = 0; i < count; i++) {
    const kind: Kind = i < 2 ? "fast" : chance.pick(kinds)
    const id = webhookId(`${seed}W${i}`, i % PARTITIONS)
    const maxInFlight = chance.pick([1, 1, 2, 4, 16])
    const maxPerSecond = chance.flip(0.3) ? chance.pick([1, 5, 10]) : undefined
    const batch = chance.flip(0.5)
      ? { max_events: chance.pick([2, 5, 20]), max_wait_ms: chance.pick([0, 100, 2_000]) }
      : undefined
    yield* clock.outside(
      makeWebhook(`https://receiver.example/${id}`, {
        id,
        maxInFlight,
        ...(maxPerSecond === undefined ? {} : { maxPerSecond }),
        ...(batch === undefined ? {} : { batch })
      })
    )
    webhooks.push({
      paused: false,
      id,
      receiver: receivers.add(`/${id}`, kind),
      maxInFlight,
      maxPerSecond,
      batch,
      queued: new Map()
    })
  }
  const queue = Effect.fnUntraced(function* (webhook: Webhook, events: number) {
    // Some as a retry by hand queues them, with the row first.
    const queueAs = chance.flip(0.8) ? queueEvents : queueWithRows
    const queued = yield* clock.outside(queueAs(webhook.id, events))
    for (const id of queued) {
      owners.set(id, webhook.id)
      webhook.queued.set(id, clock.nowMs())
    }
    return queued
  })
  /** Retries as the API and the outbox do, and sometimes as a retry job, whose work is marked as replay work. */
  const retryEarly = Effect.fnUntraced(function* () {
    const rows = yield* store.states([...owners.keys()])
    const waiting = [...rows].filter(([, { status }]) => status === "retrying" && chance.flip(0.2))
    const sql = yield* SqlClient.SqlClient
    const asked = clock.outside(
      retryNow(
        sql,
        waiting.map(([id]) => id),
        clock.nowMs()
      )
    )
    const works = yield* Effect.forEach(yield* asked, ({ id, attempt, seriesAttempt }) =>
      Effect.map(clock.outside(eventOf(id)), (event) => ({
        ...newWork(id, owners.get(id)!, event, attempt, seriesAttempt),
        ...(chance.flip(0.3) ? { replay: true as const } : {})
      }))
    )
    yield* appendWork(works)
  })
  const start = Effect.forkScoped(Effect.raceFirst(deliver, delay))
  let stage = yield* start

  for (let round = 0; round < ROUNDS; round++) {
    for (const webhook of webhooks)
      if (chance.flip(0.5)) yield* queue(webhook, chance.flip(0.15) ? chance.int(20, 40) : chance.int(1, 6))
    yield* Effect.sleep(chance.int(1, 40) * 100)
    if (chance.flip(0.5)) yield* retryEarly()
    if (chance.flip(0.1)) {
      yield* Fiber.interrupt(stage)
      stage = yield* start
      restartsMs.push(clock.nowMs())
    }
    if (chance.flip(0.1)) {
      const webhook = chance.pick(webhooks)
      const { id } = webhook
      webhook.paused = true
      yield* clock.outside(setStatus(id, "disabled"))
      yield* Effect.sleep(chance.int(1, 40) * 100)
      yield* clock.outside(setStatus(id, "active"))
    }
  }

  receivers.recover(false)
  const states = Effect.suspend(() => store.states([...owners.keys()]))
  /** Those that have no row yet, too. */
  const open = Effect.map(states, (rows) =>
    [...owners.keys()].filter((id) => !["delivered", "failed"].includes(rows.get(id)?.status ?? "pending"))
  )
  while ((yield* open).length > 0) yield* Effect.sleep(5_000)
  const ended = yield* states

  const last: Array<string> = []
  for (const webhook of webhooks) last.push(...(yield* queue(webhook, 1)))
  while ((yield* open).length > 0) yield* Effect.sleep(5_000)
  yield* Fiber.interrupt(stage)
  return { ended, last }
})

const firsts = (webhook: Webhook): ReadonlyArray<string> => [
  ...new Set(webhook.receiver.requests.map(({ deliveryId }) => deliveryId))
]

/** The tokens of one second at once, and again after each restart, which begins with a full bucket. */
const assertRate = ({ maxPerSecond, receiver: { arrivals } }: Webhook, restartsMs: ReadonlyArray<number>) => {
  if (maxPerSecond === undefined) return
  for (const [from, { atMs: fromMs }] of arrivals.entries())
    for (const [count, { atMs }] of arrivals.slice(from).entries()) {
      const bursts = 1 + restartsMs.filter((ms) => ms >= fromMs && ms <= atMs).length
      assert.isAtMost(count + 1, maxPerSecond * (bursts + (atMs - fromMs) / 1_000) + 1e-6)
    }
}

const simulate = Effect.fnUntraced(function* (seed: number) {
  const chance = makeSeededRandom(seed)
  const clock = makeVirtualClock(BEGAN_MS)
  const owners = new Map<string, string>()
  const world: World = {
    seed,
    chance,
    clock,
    receivers: makeReceivers(clock, chance),
    store: makeWatchedStore(clock),
    webhooks: [],
    owners,
    restartsMs: []
  }
  const { ended, last } = yield* clock.run(
    // The stage ends before the services that it uses.
    scenario(world).pipe(Effect.scoped, Effect.provide(layerOf(world, limits)), Random.withSeed(seed)),
    QUIET_MS
  )

  for (const webhook of world.webhooks) {
    const { queued, receiver } = webhook
    assert.deepStrictEqual(firsts(webhook), [...queued.keys()], "first attempts leave in ledger order")
    assert.isAtMost(receiver.mostOpen, webhook.maxInFlight, "the window is never exceeded")
    for (const { deliveries } of receiver.arrivals)
      assert.isAtMost(deliveries, webhook.batch?.max_events ?? 1, "no request carries more than it may")
    assertRate(webhook, world.restartsMs)
    const sent = Map.groupBy(receiver.requests, ({ deliveryId }) => deliveryId)
    for (const id of queued.keys()) {
      if (last.includes(id)) continue
      const row = ended.get(id)!
      assert.strictEqual(sent.get(id)?.length, row.attempts, "every attempt is recorded, and made once")
      if (row.status !== "delivered") assert.deepInclude(row, { status: "failed", attempts: ATTEMPTS })
    }
    if (receiver.kind === "fast" && webhook.maxPerSecond === undefined && !webhook.paused)
      if (world.restartsMs.length === 0) assertUnhurt(webhook)
  }
  for (const id of last) assert.isFalse(world.store.wasPaged(id), "a lane that has recovered is live again")
})

describe("deliveries", () => {
  it.layer(TestDatabase, { excludeTestServices: true })("on a virtual clock", (it) => {
    for (const seed of SEEDS)
      it.effect(
        `seed ${seed}: order, window, rate and memory hold, and all settle, whatever receivers do`,
        () => simulate(seed)
      )
  })
})
