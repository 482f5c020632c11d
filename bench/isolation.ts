/**
 * Whom a bad receiver hurts: 80 webhooks that answer at once, with 20 others and without them: 10 that hang, 5 that drip
 * headers, 5 that answer 503. Events come at a steady pace that the 80 alone leave half idle; each goes to all. Rounds of
 * both alternate in one store and process, and the bad ones' retries and backlogs go on from round to round.
 */
import { Effect } from "effect"
import { delay } from "../src/delay/Stage.ts"
import { deliver } from "../src/deliver/Stage.ts"
import type { Arrival } from "./support/arrivalsProgram.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { startChild } from "./support/Child.ts"
import { deliveringLayer, queueWorks, worksOf } from "./support/delivering.ts"
import { makeFeed } from "./support/feed.ts"
import { medianOf, quantile } from "./support/rounds.ts"
import { appendEvents, makeEvents, makeWebhooks } from "./support/webhooks.ts"

const THROUGHPUT_TARGET = 0.9
const P99_TARGET = 1.5
const ROUNDS = 5
const GOOD = 80
const paths = [
  ...new Array<string>(GOOD).fill("/hook"),
  ...new Array<string>(10).fill("/hang"),
  ...new Array<string>(5).fill("/drip"),
  ...new Array<string>(5).fill("/fail")
]
const BODY_BYTES = 1_024
/** Events of the burst that tells how fast the 80 are alone. */
const BURST_EVENTS = 25
/** For how long events come in a round. */
const ROUND_MS = 5_000
/** Of what they are capable of alone. */
const LOAD = 0.4

interface Side {
  /** Deliveries to the 80, a second. */
  readonly perSecond: number
  /** From the work's landing in the log to its request's arrival. */
  readonly p50Ms: number
  readonly p99Ms: number
}

const now = () => performance.timeOrigin + performance.now()

const measure = Effect.gen(function* () {
  const receiver = yield* startChild("arrivalsProgram.ts")
  const port = yield* receiver.ask()
  const feed = makeFeed()
  const work = Effect.gen(function* () {
    const { accountId, ids } = yield* makeWebhooks(
      paths.map((path, i) => `http://127.0.0.${i + 1}:${port}${path}`)
    )
    yield* Effect.forkScoped(Effect.raceFirst(deliver, delay))

    /** Queues events for the first `webhooks`, one every `everyMs`, and waits until the good ones have theirs. */
    const run = Effect.fnUntraced(function* (
      webhooks: number,
      count: number,
      everyMs: number,
      series: number
    ) {
      const events = makeEvents(count, BODY_BYTES, series)
      const offsets = yield* appendEvents(events)
      const queuedAt = new Map<string, number>()
      const arrived: Array<Arrival> = []
      const take = Effect.map(receiver.ask("arrivals"), (answer) => {
        // Sent by support/arrivalsProgram.ts.
        for (const one of answer as ReadonlyArray<Arrival>)
          if (one[1] === "/hook" && queuedAt.has(one[0])) arrived.push(one)
      })
      const began = now()
      for (const [i, event] of events.entries()) {
        const waitMs = began + i * everyMs - now()
        if (waitMs > 0) yield* Effect.sleep(waitMs)
        const works = worksOf([event], ids.slice(0, webhooks))
        yield* queueWorks(works, accountId, new Map([[event.event_id, offsets[i]!]]))
        const queued = now()
        for (const { delivery_id } of works.slice(0, GOOD)) queuedAt.set(delivery_id, queued)
      }
      while (arrived.length < count * GOOD) {
        yield* take
        yield* Effect.sleep(20)
      }
      const waited = arrived.map(([id, , atMs]) => atMs - queuedAt.get(id)!)
      const side: Side = {
        perSecond: (count * GOOD * 1_000) / (Math.max(...arrived.map(([, , atMs]) => atMs)) - began),
        p50Ms: quantile(waited, 0.5),
        p99Ms: quantile(waited, 0.99)
      }
      return side
    })

    yield* run(GOOD, BURST_EVENTS, 0, 0)
    const alone = yield* run(GOOD, BURST_EVENTS, 0, 1)
    const everyMs = (GOOD * 1_000) / (alone.perSecond * LOAD)
    const count = Math.ceil(ROUND_MS / everyMs)
    // The bad ones' trouble begins here, outside of what is measured.
    yield* run(paths.length, count, everyMs, 2)
    const rounds: Array<{ readonly without: Side; readonly with: Side }> = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({
        without: yield* run(GOOD, count, everyMs, 3 + 2 * round),
        with: yield* run(paths.length, count, everyMs, 4 + 2 * round)
      })
    return rounds
  })
  return yield* work.pipe(Effect.scoped, Effect.provide(deliveringLayer(feed)))
})

const figures = (rounds: Effect.Success<typeof measure>): ReadonlyArray<Figure> => {
  const milliseconds = (name: string, value: number): Figure => ({
    name,
    value,
    unit: "ms",
    ratio: null,
    target: null,
    better: "lower"
  })
  return [
    {
      name: "isolation",
      value: medianOf(rounds, (round) => round.with.perSecond),
      unit: "deliveries/s",
      ratio: medianOf(rounds, (round) => round.with.perSecond / round.without.perSecond),
      target: THROUGHPUT_TARGET,
      better: "higher"
    },
    {
      ...milliseconds(
        "isolation.p99",
        medianOf(rounds, (round) => round.with.p99Ms)
      ),
      ratio: medianOf(rounds, (round) => round.with.p99Ms / round.without.p99Ms),
      target: P99_TARGET
    },
    {
      name: "isolation.without",
      value: medianOf(rounds, (round) => round.without.perSecond),
      unit: "deliveries/s",
      ratio: null,
      target: null,
      better: "higher"
    },
    milliseconds(
      "isolation.p99.without",
      medianOf(rounds, (round) => round.without.p99Ms)
    ),
    milliseconds(
      "isolation.p50",
      medianOf(rounds, (round) => round.with.p50Ms)
    ),
    milliseconds(
      "isolation.p50.without",
      medianOf(rounds, (round) => round.without.p50Ms)
    )
  ]
}

const benchmark: Benchmark = {
  description: `deliveries to ${GOOD} webhooks beside ${paths.length - GOOD} that hang, drip or answer 503, and without them`,
  target: `throughput at least ${THROUGHPUT_TARGET} ×, p99 at most ${P99_TARGET} ×`,
  run: Effect.fnUntraced(function* (report) {
    for (const figure of figures(yield* measure)) report(figure)
  })
}

export default benchmark
