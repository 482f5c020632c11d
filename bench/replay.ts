/**
 * Measures replays of a log of a million events: how fast a job skips events that it does not want, compared with
 * reading the log alone; how fast events are replayed, compared with live delivery; and how long live deliveries to a
 * webhook take during a replay, compared with no replay.
 */
import { Clock, Effect, Layer, Option } from "effect"
import { EventCounts } from "../src/features/events/EventCounts.ts"
import { READ_RECORDS } from "../src/features/replay/EventReader.ts"
import { replay } from "../src/features/replay/ReplayJobs.ts"
import { runJob } from "../src/features/replay/ReplayRunner.ts"
import { ReplayStore } from "../src/features/replay/ReplayStore.ts"
import { ReplayWork } from "../src/features/replay/ReplayWork.ts"
import { RetryWork } from "../src/features/replay/RetryWork.ts"
import { deliver } from "../src/spine/deliver/Deliver.ts"
import { LIVE_MS } from "../src/spine/deliver/queue/ReplayPace.ts"
import type { EventType } from "../src/spine/event/EventType.ts"
import { eventsTopic } from "../src/spine/event/LedgerEvent.ts"
import { BackfillRequests } from "../src/spine/ledger/backfill/BackfillRequests.ts"
import { BackfillStore } from "../src/spine/ledger/backfill/BackfillStore.ts"
import { Log } from "../src/spine/log/Log.ts"
import { StoredEvents } from "../src/spine/log/ledgers/StoredEvents.ts"
import { WorkNotices } from "../src/spine/store/outbox/WorkNotices.ts"
import { randomId } from "../src/spine/words/Ids.ts"
import type { Arrival } from "./support/arrivalsProgram.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { deliveringLayer, queueWorks, worksOf } from "./support/delivering.ts"
import { makeFeed } from "./support/feed.ts"
import { inRounds, medianOf, quantile, timed } from "./support/rounds.ts"
import { appendEvents, makeEvents, makeWebhooks, NETWORK } from "./support/webhooks.ts"

const SCAN_TARGET = 0.5
const P99_TARGET = 2
const EVENTS = 1_000_000
const BODY_BYTES = 1_024
/** Where the series of a size begin, so that no two events are the same. */
const PAST_SERIES = 100
const LIVE_SERIES = 1_000_000
/** Events that are appended at once. */
const CHUNK = 2_000
const SCAN_ROUNDS = 3
/** No event has this type. */
const ABSENT: EventType = "check.cancelled"
const RATE_ROUNDS = 3
const RATE_EVENTS = 5_000
const WEBHOOKS = 20
const LIVE_ROUNDS = 3
/** Events of a round, each to all webhooks. */
const LIVE_EVENTS = 50
/** The pace of live events, as a part of the rate that a burst of them reached. */
const LOAD = 0.25
const LOOK_MS = 20

const now = () => performance.timeOrigin + performance.now()

const perSecond = (count: number, ms: number): number => (count / ms) * 1_000

/** Arrivals since the last call, by delivery id. */
const makeArrivals = (receiver: Child) => {
  const arrived = new Map<string, number>()
  const look = Effect.map(receiver.ask("arrivals"), (answer) => {
    // Sent by support/arrivalsProgram.ts.
    for (const [id, , atMs] of answer as ReadonlyArray<Arrival>) if (!arrived.has(id)) arrived.set(id, atMs)
  })
  return {
    arrived,
    until: (holds: () => boolean) =>
      Effect.andThen(look, Effect.sleep(LOOK_MS)).pipe(Effect.repeat({ until: () => Effect.sync(holds) }))
  }
}

const makeJobs = Effect.fnUntraced(function* (accountId: string) {
  const log = yield* Log
  const jobs = yield* ReplayStore
  const work = yield* ReplayWork
  const owner = { accountId, networks: [NETWORK] } as const
  const create = Effect.fnUntraced(function* (webhookId: string, eventTypes?: ReadonlyArray<EventType>) {
    const nowMs = yield* Clock.currentTimeMillis
    const id = randomId("rpl_job_", nowMs)
    const { end } = yield* log.offsets({ topic: eventsTopic(NETWORK), partition: 0 })
    const filters = eventTypes === undefined ? {} : { event_types: eventTypes }
    const job = { id, webhookId, eventIds: undefined, filters, estimatedEvents: end, endOffset: end }
    const result = yield* jobs.create(owner, job, nowMs)
    if (result !== "queued") throw new Error(`no job was made: ${result}`)
    return id
  })
  return {
    create,
    /** Creates a job and runs it to its end in this fiber. */
    run: Effect.fnUntraced(function* (webhookId: string, eventTypes?: ReadonlyArray<EventType>) {
      yield* create(webhookId, eventTypes)
      yield* runJob(Option.getOrThrow(yield* work.claim(yield* Clock.currentTimeMillis)))
    }),
    /** Returns how many events the job had queued. */
    cancel: Effect.fnUntraced(function* (id: string) {
      const cancelled = yield* jobs.cancel(owner, id)
      return cancelled.result === "not found" ? 0 : cancelled.job.processed_events
    })
  }
})

/** The log alone, in the runner's own portions. */
const readAll = Effect.gen(function* () {
  const log = yield* Log
  const partition = { topic: eventsTopic(NETWORK), partition: 0 }
  const { end } = yield* log.offsets(partition)
  for (let offset = 0; offset < end; ) {
    const records = yield* log.read({ ...partition, offset }, READ_RECORDS)
    offset = records.at(-1)!.offset + 1
  }
  return end
})

const measure = Effect.gen(function* () {
  const receiver = yield* startChild("arrivalsProgram.ts")
  const port = yield* receiver.ask()
  const { arrived, until } = makeArrivals(receiver)
  const { accountId, ids } = yield* makeWebhooks(
    Array.from({ length: WEBHOOKS }, (_, i) => `http://127.0.0.${i + 1}:${port}/hook`)
  )
  const jobs = yield* makeJobs(accountId)
  yield* Effect.forkScoped(deliver)

  const append = Effect.fnUntraced(function* (count: number, series: number) {
    const events = makeEvents(count, BODY_BYTES, series)
    const offsets = yield* appendEvents(events)
    return { events, offsets: new Map(events.map(({ event_id }, i) => [event_id, offsets[i]!])) }
  })

  // Delivered live and replayed, to another webhook each round.
  const past = yield* append(RATE_EVENTS, 0)
  const rates = yield* inRounds(
    RATE_ROUNDS,
    Effect.fnUntraced(function* (round: number) {
      const webhookId = ids[round]!
      const arriving = <A, E, R>(queue: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const target = arrived.size + RATE_EVENTS
          return Effect.map(
            timed(
              Effect.andThen(
                queue,
                until(() => arrived.size >= target)
              )
            ),
            (ms) => perSecond(RATE_EVENTS, ms)
          )
        })
      const live = yield* arriving(queueWorks(worksOf(past.events, [webhookId]), accountId, past.offsets))
      // Afterwards only the replay uses the service.
      yield* Effect.sleep(LIVE_MS)
      return { live, replay: yield* arriving(jobs.run(webhookId)) }
    })
  )

  for (let chunk = 0; chunk < EVENTS / CHUNK; chunk++) yield* append(CHUNK, PAST_SERIES + chunk)
  const scans = yield* inRounds(
    SCAN_ROUNDS,
    Effect.fnUntraced(function* () {
      let records = 0
      const rawMs = yield* timed(Effect.tap(readAll, (end) => Effect.sync(() => (records = end))))
      const scanMs = yield* timed(jobs.run(ids[0]!, [ABSENT]))
      return { raw: perSecond(records, rawMs), scan: perSecond(records, scanMs) }
    })
  )

  yield* Effect.forkScoped(replay)
  let series = LIVE_SERIES
  /** Milliseconds from each live delivery's landing in the log to its request's arrival. */
  const live = Effect.fnUntraced(function* (everyMs: number) {
    const { events, offsets } = yield* append(LIVE_EVENTS, series++)
    const queuedAt = new Map<string, number>()
    const began = now()
    for (const [i, event] of events.entries()) {
      const waitMs = began + i * everyMs - now()
      if (waitMs > 0) yield* Effect.sleep(waitMs)
      const works = worksOf([event], ids)
      yield* queueWorks(works, accountId, offsets)
      const queued = now()
      for (const { delivery_id } of works) queuedAt.set(delivery_id, queued)
    }
    yield* until(() => [...queuedAt.keys()].every((id) => arrived.has(id)))
    return {
      waited: [...queuedAt].map(([id, atMs]) => arrived.get(id)! - atMs),
      perSecond: perSecond(queuedAt.size, now() - began)
    }
  })
  const burst = yield* live(0)
  const everyMs = (WEBHOOKS * 1_000) / (burst.perSecond * LOAD)
  const rounds = yield* inRounds(
    LIVE_ROUNDS,
    Effect.fnUntraced(function* () {
      const without = yield* live(everyMs)
      const before = arrived.size
      const job = yield* jobs.create(ids[0]!)
      // Wait until the replay is under way.
      yield* until(() => arrived.size > before)
      const beside = yield* live(everyMs)
      const queued = yield* jobs.cancel(job)
      const target = before + beside.waited.length + queued
      if (arrived.size >= target)
        throw new Error("the replay was over before its round: more events are needed")
      yield* until(() => arrived.size >= target)
      return { without: without.waited, with: beside.waited }
    })
  )
  return { rates, scans, rounds }
}).pipe(Effect.scoped)

const measuringLayer = Layer.mergeAll(
  ReplayStore.layer,
  ReplayWork.layer,
  RetryWork.layer,
  StoredEvents.layer,
  EventCounts.layer,
  BackfillStore.layer,
  BackfillRequests.layer,
  WorkNotices.layer
).pipe(Layer.provideMerge(deliveringLayer(makeFeed())))

const figures = ({ rates, scans, rounds }: Effect.Success<typeof measure>): ReadonlyArray<Figure> => {
  const reported = { ratio: null, target: null, better: "higher" } as const
  const late = (name: string, side: "with" | "without", part: number): Figure => ({
    ...reported,
    name,
    value: medianOf(rounds, (round) => quantile(round[side], part)),
    unit: "ms",
    better: "lower"
  })
  return [
    {
      name: "replay.scan",
      value: medianOf(scans, ({ scan }) => scan),
      unit: "events/s",
      ratio: medianOf(scans, ({ scan, raw }) => scan / raw),
      target: SCAN_TARGET,
      better: "higher"
    },
    { ...reported, name: "replay.scan.ceiling", value: medianOf(scans, ({ raw }) => raw), unit: "records/s" },
    {
      ...reported,
      name: "replay",
      value: medianOf(rates, (rate) => rate.replay),
      unit: "deliveries/s",
      ratio: medianOf(rates, (rate) => rate.replay / rate.live)
    },
    { ...reported, name: "replay.live", value: medianOf(rates, (rate) => rate.live), unit: "deliveries/s" },
    {
      ...late("replay.live.p99", "with", 0.99),
      ratio: medianOf(rounds, (round) => quantile(round.with, 0.99) / quantile(round.without, 0.99)),
      target: P99_TARGET
    },
    late("replay.live.p99.without", "without", 0.99),
    late("replay.live.p50", "with", 0.5),
    late("replay.live.p50.without", "without", 0.5)
  ]
}

const benchmark: Benchmark = {
  description: `a log of ${EVENTS.toLocaleString("en-US")} events scanned and replayed, and live deliveries beside a replay of all of them`,
  target: `scan at least ${SCAN_TARGET} × reading the log, p99 of live deliveries at most ${P99_TARGET} ×`,
  run: Effect.fnUntraced(function* (report) {
    for (const figure of figures(yield* Effect.provide(measure, measuringLayer))) report(figure)
  })
}

export default benchmark
