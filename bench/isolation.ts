/**
 * Measures how bad receivers affect good ones: 80 webhooks that answer at once, with and without 20 others (10 hang, 5
 * drip headers, 5 answer 503). Events come at a pace that leaves the 80 half idle, and each event goes to all webhooks.
 * Rounds alternate in one process. Two more parts put all webhooks behind one host, with the widest windows for the bad
 * ones, in the same account as the good ones or in another.
 */
import { Effect } from "effect"
import { webhookBounds } from "../src/features/webhooks/Limits.ts"
import { delay } from "../src/spine/delay/Delay.ts"
import { deliver } from "../src/spine/deliver/Deliver.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { startChild } from "./support/Child.ts"
import { deliveringLayer } from "./support/delivering.ts"
import { makeFeed } from "./support/feed.ts"
import { deliverPaced, type Paced, type PacedOptions } from "./support/pacedDeliveries.ts"
import { medianOf } from "./support/rounds.ts"
import { makeWebhooks } from "./support/webhooks.ts"

const THROUGHPUT_TARGET = 0.9
const P99_TARGET = 1.5
const ROUNDS = 5
const GOOD = 80
const badPaths = [
  ...new Array<string>(10).fill("/hang"),
  ...new Array<string>(5).fill("/drip"),
  ...new Array<string>(5).fill("/fail")
]
const ALL = GOOD + badPaths.length
/** Events of the burst that measures how fast the 80 are alone. */
const BURST_EVENTS = 25
/** How long events arrive in a round. */
const ROUND_MS = 5_000
/** The pace in the rounds, as a part of the rate that the 80 reach alone. */
const LOAD = 0.4

interface Setting {
  readonly name: string
  /** True: all rounds without the bad receivers come first, because hanging requests would slow them, too. */
  readonly quietFirst: boolean
  /** Returns the host of a webhook, given its number from 1. */
  readonly hostOf: (webhook: number) => string
  readonly bad: Parameters<typeof makeWebhooks>[1]
}

const oneHost = () => "127.0.0.1"
const settings: ReadonlyArray<Setting> = [
  { name: "isolation", quietFirst: false, hostOf: (webhook) => `127.0.0.${webhook}`, bad: {} },
  {
    name: "isolation.host",
    quietFirst: true,
    hostOf: oneHost,
    bad: { maxInFlight: webhookBounds.maxInFlight }
  },
  {
    name: "isolation.host.account",
    quietFirst: true,
    hostOf: oneHost,
    bad: { maxInFlight: webhookBounds.maxInFlight, accountId: "acct_other" }
  }
]

const measure = Effect.fnUntraced(function* ({ quietFirst, hostOf, bad }: Setting) {
  const receiver = yield* startChild("arrivalsProgram.ts")
  const port = yield* receiver.ask()
  const feed = makeFeed()
  const work = Effect.gen(function* () {
    const { accountId, ids } = yield* makeWebhooks(
      Array.from({ length: GOOD }, (_, i) => `http://${hostOf(i + 1)}:${port}/hook`)
    )
    const others = yield* makeWebhooks(
      badPaths.map((path, i) => `http://${hostOf(GOOD + i + 1)}:${port}${path}`),
      bad
    )
    yield* Effect.forkScoped(Effect.raceFirst(deliver, delay))
    const options: PacedOptions = { receiver, accountId, good: GOOD }
    const all = [...ids, ...others.ids]
    const run = (webhooks: number, count: number, everyMs: number, series: number) =>
      deliverPaced(options, all.slice(0, webhooks), count, everyMs, series)

    yield* run(GOOD, BURST_EVENTS, 0, 0)
    const alone = yield* run(GOOD, BURST_EVENTS, 0, 1)
    const everyMs = (GOOD * 1_000) / (alone.perSecond * LOAD)
    const count = Math.ceil(ROUND_MS / everyMs)
    const quiet: Array<Paced> = []
    if (quietFirst)
      for (let round = 0; round < ROUNDS; round++) quiet.push(yield* run(GOOD, count, everyMs, 2 + round))
    const begun = 2 + quiet.length
    // The bad receivers get their first events here, before the measurement begins.
    yield* run(ALL, count, everyMs, begun)
    const rounds: Array<{ readonly without: Paced; readonly with: Paced }> = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({
        without: quiet[round] ?? (yield* run(GOOD, count, everyMs, begun + 1 + 2 * round)),
        with: yield* run(ALL, count, everyMs, begun + 2 + 2 * round)
      })
    return rounds
  })
  return yield* work.pipe(Effect.scoped, Effect.provide(deliveringLayer(feed)))
}, Effect.scoped)

const figures = (name: string, rounds: Effect.Success<ReturnType<typeof measure>>): ReadonlyArray<Figure> => {
  const milliseconds = (part: string, value: number): Figure => ({
    name: `${name}.${part}`,
    value,
    unit: "ms",
    ratio: null,
    target: null,
    better: "lower"
  })
  return [
    {
      name,
      value: medianOf(rounds, (round) => round.with.perSecond),
      unit: "deliveries/s",
      ratio: medianOf(rounds, (round) => round.with.perSecond / round.without.perSecond),
      target: THROUGHPUT_TARGET,
      better: "higher"
    },
    {
      ...milliseconds(
        "p99",
        medianOf(rounds, (round) => round.with.p99Ms)
      ),
      ratio: medianOf(rounds, (round) => round.with.p99Ms / round.without.p99Ms),
      target: P99_TARGET
    },
    {
      name: `${name}.without`,
      value: medianOf(rounds, (round) => round.without.perSecond),
      unit: "deliveries/s",
      ratio: null,
      target: null,
      better: "higher"
    },
    milliseconds(
      "p99.without",
      medianOf(rounds, (round) => round.without.p99Ms)
    ),
    milliseconds(
      "p50",
      medianOf(rounds, (round) => round.with.p50Ms)
    ),
    milliseconds(
      "p50.without",
      medianOf(rounds, (round) => round.without.p50Ms)
    )
  ]
}

const benchmark: Benchmark = {
  description: `deliveries to ${GOOD} webhooks beside ${badPaths.length} that hang, drip or answer 503, and without them; each with a host of its own, and all behind one`,
  target: `throughput at least ${THROUGHPUT_TARGET} ×, p99 at most ${P99_TARGET} ×`,
  run: Effect.fnUntraced(function* (report) {
    for (const setting of settings)
      for (const figure of figures(setting.name, yield* measure(setting))) report(figure)
  })
}

export default benchmark
