/**
 * Measures deliveries with full recording on the embedded store. The deliver stage gets work as route queues it, as
 * fast as it is finished. `deliver.batch` sends up to 100 of them in a request. `deliver.chain` starts from events in
 * the log, with route in the same process. The ceiling is bare undici POSTs of the same signed bodies, as many
 * concurrently, to the same receiver in a separate process.
 */
import { Effect } from "effect"
import { deliver } from "../src/spine/deliver/Deliver.ts"
import { DELIVERIES_TOPIC } from "../src/spine/domain/Delivery.ts"
import type { Batch } from "../src/spine/event/Batch.ts"
import { eventsTopic } from "../src/spine/event/LedgerEvent.ts"
import { partitionOf } from "../src/spine/log/Topics.ts"
import { route } from "../src/spine/route/Route.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { type Cost, costOf } from "./support/cpu.ts"
import { deliveringLayer, queueWorks, requestOf, worksOf } from "./support/delivering.ts"
import { type FeedLimits, makeFeed } from "./support/feed.ts"
import { makePlainRecording } from "./support/plainRecording.ts"
import { makePosts } from "./support/posts.ts"
import { inRounds, medianOf } from "./support/rounds.ts"
import { appendEvents, makeEvents, makeWebhooks, NETWORK } from "./support/webhooks.ts"

const TARGET = 0.5
/** Of the rate of `deliver.1` in the same run. */
const BATCH_TARGET = 4
const LEAST_ROUNDS = 5
/** How many small deliveries all rounds make together. */
const MEASURED = 30_000
/** Warm-up deliveries. After 5,000 an eighth of the process's CPU time still went to V8's compilers. */
const WARM_UP = 16_000
const BODY_BYTES = 1_024
/** A webhook's default. */
const MAX_IN_FLIGHT = 16
/**
 * A partition takes TAKE deliveries while at most its part of AHEAD are unrecorded, so that each starts within a second.
 * Both fit into one lane's memory.
 */
const AHEAD = 400
const TAKE = 100

interface Case {
  readonly name: string
  readonly webhooks: number
  /** How many deliveries a round makes. Those of one partition fit into the log's memory, as when a stage keeps up. */
  readonly deliveries: number
  /** True: route and deliver run. False: deliver alone. */
  readonly chain: boolean
  readonly batch?: Batch
  readonly target: number | null
}

const cases: ReadonlyArray<Case> = [
  { name: "deliver.1", webhooks: 1, deliveries: 2_000, chain: false, target: TARGET },
  {
    name: "deliver.batch",
    webhooks: 1,
    deliveries: 10_000,
    chain: false,
    batch: { max_events: 100, max_wait_ms: 0 },
    target: BATCH_TARGET
  },
  { name: "deliver.10", webhooks: 10, deliveries: 10_000, chain: false, target: TARGET },
  { name: "deliver.100", webhooks: 100, deliveries: 20_000, chain: false, target: TARGET },
  { name: "deliver.chain.10", webhooks: 10, deliveries: 10_000, chain: true, target: null }
]

const SHUT: FeedLimits = {
  topic: DELIVERIES_TOPIC,
  takeRecords: TAKE,
  deliveriesPerRecord: 1,
  aheadRecords: -1,
  partitionOf: () => 0
}

/** In the chain every event comes from one partition, and a batch of events fills several lanes of each actor. */
const limitsOf = ({ chain, webhooks }: Case): FeedLimits =>
  chain
    ? {
        topic: eventsTopic(NETWORK),
        takeRecords: Math.ceil(TAKE / webhooks),
        deliveriesPerRecord: webhooks,
        aheadRecords: Math.ceil(AHEAD / webhooks),
        partitionOf: () => 0
      }
    : SHUT

interface Round {
  readonly bare: Cost
  /** Bare POSTs that are recorded in a plain table. */
  readonly plain: Cost
  readonly recorded: Cost
}

const measure = Effect.fnUntraced(function* (one: Case, receiver: Child, port: unknown) {
  const feed = makeFeed()
  const limits = limitsOf(one)
  const { deliveries } = one
  feed.hold({ ...limits, aheadRecords: SHUT.aheadRecords })
  const work = Effect.gen(function* () {
    // Each webhook has its own origin, as customers' webhooks have.
    const urls = Array.from({ length: one.webhooks }, (_, i) => `http://127.0.0.${i + 1}:${port}/hook`)
    const { accountId, ids } = yield* makeWebhooks(urls, { batch: one.batch })
    const posts = yield* makePosts
    const plainly = yield* makePlainRecording
    yield* Effect.forkScoped(one.chain ? Effect.raceFirst(route([NETWORK]), deliver) : deliver)

    const round = Effect.fnUntraced(function* (index: number) {
      const works = worksOf(makeEvents(deliveries / one.webhooks, BODY_BYTES, index), ids)
      const partitions = new Map(
        works.map((each) => [each.delivery_id, partitionOf(DELIVERIES_TOPIC, each.webhook_id)])
      )
      const requests = ids.map((id, i) =>
        works.filter((each) => each.webhook_id === id).map((each) => requestOf(each, urls[i]!))
      )
      if (one.chain)
        yield* appendEvents(works.filter((each) => each.webhook_id === ids[0]).map(({ event }) => event))
      else yield* queueWorks(works, accountId)

      const cost = costOf(deliveries, [receiver.process.pid])
      const bare = yield* cost(posts.send(requests, MAX_IN_FLIGHT))
      yield* plainly.queue(requests)
      const plain = yield* cost(plainly.send(posts, requests, MAX_IN_FLIGHT))
      const target = feed.recorded() + deliveries
      const open = {
        ...limits,
        aheadRecords: Math.ceil(AHEAD / new Set(partitions.values()).size),
        partitionOf: (id: string) => partitions.get(id) ?? 0
      }
      feed.hold(one.chain ? limits : open)
      const recorded = yield* cost(feed.until(target))
      feed.hold({ ...limits, aheadRecords: SHUT.aheadRecords })
      const result: Round = { bare, plain, recorded }
      return result
    })
    return yield* inRounds(
      Math.max(LEAST_ROUNDS, MEASURED / deliveries),
      round,
      Math.ceil(WARM_UP / deliveries)
    )
  })
  // The stage ends before the services that it uses.
  return yield* work.pipe(Effect.scoped, Effect.provide(deliveringLayer(feed)))
})

const figures = ({ name, target }: Case, rounds: ReadonlyArray<Round>): ReadonlyArray<Figure> => {
  const reported = { target: null, better: "lower" } as const
  const ready = rounds.some(({ bare }) => bare.ready === 0)
    ? []
    : [
        {
          ...reported,
          name: `${name}.ready`,
          value: medianOf(rounds, ({ recorded }) => recorded.ready * 100),
          unit: "% of the time",
          ratio: medianOf(rounds, ({ bare, recorded }) => recorded.ready / bare.ready)
        }
      ]
  return [
    {
      name,
      value: medianOf(rounds, ({ recorded }) => recorded.perSecond),
      unit: "deliveries/s",
      ratio: medianOf(rounds, ({ bare, recorded }) => recorded.perSecond / bare.perSecond),
      target,
      better: "higher"
    },
    {
      ...reported,
      name: `${name}.ceiling`,
      value: medianOf(rounds, ({ bare }) => bare.perSecond),
      unit: "POSTs/s",
      ratio: null,
      better: "higher"
    },
    {
      ...reported,
      name: `${name}.plain`,
      value: medianOf(rounds, ({ plain }) => plain.perSecond),
      unit: "POSTs/s",
      ratio: medianOf(rounds, ({ bare, plain }) => plain.perSecond / bare.perSecond),
      better: "higher"
    },
    ...ready,
    {
      ...reported,
      name: `${name}.cpu`,
      value: medianOf(rounds, ({ recorded }) => recorded.process),
      unit: "s/1,000 deliveries",
      ratio: medianOf(rounds, ({ bare, recorded }) => recorded.process / bare.process)
    },
    {
      ...reported,
      name: `${name}.cpu.database`,
      value: medianOf(rounds, ({ recorded }) => recorded.database),
      unit: "s/1,000 deliveries",
      ratio: null
    },
    {
      ...reported,
      name: `${name}.cpu.all`,
      value: medianOf(rounds, ({ recorded }) => recorded.all),
      unit: "s/1,000 deliveries",
      ratio: medianOf(rounds, ({ bare, recorded }) => recorded.all / bare.all)
    }
  ]
}

/** `single`: deliveries a second of `deliver.1`. */
const batchFigures = (
  { name, target }: Case,
  rounds: ReadonlyArray<Round>,
  single: number
): ReadonlyArray<Figure> => {
  const perSecond = medianOf(rounds, ({ recorded }) => recorded.perSecond)
  const cpu = (part: string, of: (cost: Cost) => number): Figure => ({
    name: `${name}.${part}`,
    value: medianOf(rounds, ({ recorded }) => of(recorded)),
    unit: "s/1,000 deliveries",
    ratio: null,
    target: null,
    better: "lower"
  })
  return [
    { name, value: perSecond, unit: "deliveries/s", ratio: perSecond / single, target, better: "higher" },
    cpu("cpu", (cost) => cost.process),
    cpu("cpu.database", (cost) => cost.database),
    cpu("cpu.all", (cost) => cost.all)
  ]
}

const benchmark: Benchmark = {
  description:
    "deliveries with full recording, 1 KB bodies, 1, 10 and 100 webhooks, against bare undici POSTs",
  target: `at least ${TARGET} × the POSTs; with batches at least ${BATCH_TARGET} × deliver.1`,
  run: Effect.fnUntraced(function* (report) {
    const receiver = yield* startChild("receiverProgram.ts")
    const port = yield* receiver.ask()
    let single = Number.NaN
    for (const one of cases) {
      const rounds = yield* measure(one, receiver, port)
      const all = one.batch === undefined ? figures(one, rounds) : batchFigures(one, rounds, single)
      if (one.webhooks === 1 && one.batch === undefined) single = all[0]!.value
      for (const figure of all) report(figure)
    }
  })
}

export default benchmark
