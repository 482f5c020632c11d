/**
 * A million deliveries wait in PostgreSQL for receivers that are down and then come up. Measures how much the process's
 * memory grows, how fast the backlog is drained, and whether each webhook's first requests arrive in ledger order. The
 * same run measures the rate without a backlog before and after.
 */
import { Effect } from "effect"
import { delay } from "../src/spine/delay/Delay.ts"
import { deliver } from "../src/spine/deliver/Deliver.ts"
import { DeliveryStore } from "../src/spine/deliveries/DeliveryStore.ts"
import { DELIVERIES_TOPIC } from "../src/spine/domain/Delivery.ts"
import { partitionOf } from "../src/spine/log/Topics.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { startChild } from "./support/Child.ts"
import { type Cost, costOf } from "./support/cpu.ts"
import { deliveringLayer, insertRows, queueWorks, worksOf } from "./support/delivering.ts"
import { type FeedLimits, makeFeed } from "./support/feed.ts"
import type { Order } from "./support/orderProgram.ts"
import { inRounds, medianOf } from "./support/rounds.ts"
import { appendEvents, makeEvents, makeWebhooks } from "./support/webhooks.ts"

const RATE_TARGET = 0.8
const MIB = 2 ** 20
const MEMORY_TARGET_BYTES = 150 * MIB
const WEBHOOKS = 100
/** One request at a time, so that requests arrive in the order in which they were sent. */
const MAX_IN_FLIGHT = 1
const DELIVERIES = 1_000_000
const EVENTS = DELIVERIES / WEBHOOKS
const BODY_BYTES = 1_024
const STEADY_ROUNDS = 3
const STEADY_EVENTS = 50
/** Events of different rounds differ. */
const ROUNDS_AFTER = 100
/** Events that become rows at once while the backlog is made. */
const CHUNK_EVENTS = 100
/** A partition for work that began before the round. Its records come late and must let no partition take more. */
const NO_PARTITION = -1
/** A limit with which a partition takes nothing. */
const SHUT: FeedLimits = {
  topic: DELIVERIES_TOPIC,
  takeRecords: 300,
  deliveriesPerRecord: 1,
  aheadRecords: -1,
  partitionOf: () => NO_PARTITION
}
/** In this time two attempts of each webhook end. */
const DOWN_MS = 21_000
const LOOK_MS = 100

/** Returns the largest size of this process while `work` ran. */
const peakOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let peak = 0
    const look = Effect.sync(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    })
    const result = yield* Effect.raceFirst(work, Effect.forever(Effect.andThen(look, Effect.sleep(LOOK_MS))))
    return { result, peak }
  })

const measure = Effect.gen(function* () {
  const receiver = yield* startChild("orderProgram.ts")
  const port = yield* receiver.ask()
  // Sent by support/orderProgram.ts.
  const ask = (down: boolean) => Effect.map(receiver.ask({ down }), (order) => order as Order)
  const feed = makeFeed()
  const work = Effect.gen(function* () {
    const store = yield* DeliveryStore
    const { accountId, ids } = yield* makeWebhooks(
      Array.from({ length: WEBHOOKS }, (_, i) => `http://127.0.0.${i + 1}:${port}/${i}`),
      { maxInFlight: MAX_IN_FLIGHT }
    )
    const stage = Effect.forkScoped(Effect.raceFirst(deliver, delay))

    const steadyRound = Effect.fnUntraced(function* (round: number) {
      const works = worksOf(makeEvents(STEADY_EVENTS, BODY_BYTES, round), ids)
      const partitions = new Map(
        works.map((each) => [each.delivery_id, partitionOf(DELIVERIES_TOPIC, each.webhook_id)])
      )
      const limits: FeedLimits = { ...SHUT, partitionOf: (id) => partitions.get(id) ?? NO_PARTITION }
      feed.hold(limits)
      yield* queueWorks(works, accountId)
      const target = feed.recorded() + works.length
      return yield* costOf(works.length, [receiver.process.pid])(
        Effect.suspend(() => {
          feed.hold({ ...limits, aheadRecords: 400 })
          return feed.until(target)
        })
      )
    })
    const steadyRounds = (first: number) =>
      Effect.gen(function* () {
        feed.hold(SHUT)
        yield* stage
        return yield* inRounds(STEADY_ROUNDS, (round) => steadyRound(first + round))
      }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(feed.release)))
    const { result: before, peak: steadyBytes } = yield* peakOf(steadyRounds(0))

    // Make rows as route and the actors leave them when work does not fit into memory.
    const events = Math.ceil(EVENTS / CHUNK_EVENTS)
    for (let chunk = 0; chunk < events; chunk++) {
      const made = makeEvents(
        Math.min(CHUNK_EVENTS, EVENTS - chunk * CHUNK_EVENTS),
        BODY_BYTES,
        1_000 + chunk
      )
      const offsets = yield* appendEvents(made)
      const works = worksOf(made, ids)
      yield* insertRows(works, accountId, new Map(made.map(({ event_id }, i) => [event_id, offsets[i]!])))
      yield* store.moveToBacklog(
        works.map(({ delivery_id, attempt }) => ({ deliveryId: delivery_id, attempt })),
        "live"
      )
    }

    const earlier = yield* ask(true)
    const drain = Effect.gen(function* () {
      yield* stage
      yield* Effect.sleep(DOWN_MS)
      yield* ask(false)
      const target = feed.recorded() + DELIVERIES
      const cost = yield* costOf(DELIVERIES, [receiver.process.pid])(feed.until(target))
      let order = yield* ask(false)
      // Unanswered deliveries are retried when their delay is over.
      while (order.firsts - earlier.firsts < DELIVERIES) {
        yield* Effect.sleep(LOOK_MS)
        order = yield* ask(false)
      }
      return { cost, order }
    })
    const { result, peak } = yield* peakOf(Effect.scoped(drain))
    const { cost: drained, order } = result
    // An earlier attempt may have been cut off when the receivers came up, and deliveries that arrived then may not be
    // recorded yet.
    const states = yield* store.states(order.late)
    const late = order.late.filter((id) => {
      const state = states.get(id)
      return state === undefined || (state.attempts < 2 && state.status !== "retrying")
    })
    if (late.length > 0) throw new Error(`first requests came after later ones of their webhook: ${late}`)
    const rounds = [...before, ...(yield* steadyRounds(ROUNDS_AFTER))]
    const steady: Cost = {
      perSecond: medianOf(rounds, ({ perSecond }) => perSecond),
      ready: medianOf(rounds, ({ ready }) => ready),
      process: medianOf(rounds, ({ process }) => process),
      database: medianOf(rounds, ({ database }) => database),
      all: medianOf(rounds, ({ all }) => all)
    }
    return { steady, drained, growthBytes: Math.max(0, peak - steadyBytes) }
  })
  return yield* work.pipe(Effect.scoped, Effect.provide(deliveringLayer(feed)))
})

const benchmark: Benchmark = {
  description: `${DELIVERIES.toLocaleString("en-US")} deliveries that wait for receivers that are down, then up: order, memory, rate`,
  target: `drained at ${RATE_TARGET} × the rate without waiting, in at most ${MEMORY_TARGET_BYTES / MIB} MiB more memory, in order`,
  run: Effect.fnUntraced(function* (report) {
    const { steady, drained, growthBytes } = yield* measure
    report({
      name: "backlog",
      value: drained.perSecond,
      unit: "deliveries/s",
      ratio: drained.perSecond / steady.perSecond,
      target: RATE_TARGET,
      better: "higher"
    })
    report({
      name: "backlog.steady",
      value: steady.perSecond,
      unit: "deliveries/s",
      ratio: null,
      target: null,
      better: "higher"
    })
    for (const [name, part] of [
      ["backlog.cpu", "process"],
      ["backlog.cpu.database", "database"]
    ] as const) {
      report({
        name,
        value: drained[part],
        unit: "s/1,000 deliveries",
        ratio: drained[part] / steady[part],
        target: null,
        better: "lower"
      })
    }
    report({
      name: "backlog.memory",
      value: growthBytes / MIB,
      unit: "MiB more",
      ratio: growthBytes / MEMORY_TARGET_BYTES,
      target: 1,
      better: "lower"
    })
  })
}

export default benchmark
