/**
 * Measures the harm of responses that never end. The receivers of eight webhooks send floods of informational responses
 * or of chunk extensions; 20 others answer at once. The same run measures eight whose attempts end the same way without
 * a flood. Events come at a steady pace. At the end the stage is stopped during the flood.
 */
import { Effect, Fiber } from "effect"
import { delay } from "../../src/spine/delay/Delay.ts"
import { deliver } from "../../src/spine/deliver/Deliver.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { startChild } from "../support/Child.ts"
import { deliveringLayer } from "../support/delivering.ts"
import { makeFeed } from "../support/feed.ts"
import { deliverPaced, type PacedOptions } from "../support/pacedDeliveries.ts"
import { timed } from "../support/rounds.ts"
import { makeWebhooks } from "../support/webhooks.ts"

const GOOD = 20
const EACH = 4
const floodPaths = [...new Array<string>(EACH).fill("/hints"), ...new Array<string>(EACH).fill("/extensions")]
/** How attempts under the two floods end: failed, and delivered. */
const plainPaths = [...new Array<string>(EACH).fill("/fail"), ...new Array<string>(EACH).fill("/harmless")]
const EVENTS = 100
const EVERY_MS = 100
const THROUGHPUT_TARGET = 0.9
/** How long a process may take to stop. */
const STOP_TARGET_MS = 15_000

/** Seconds of CPU that this process uses for each second of `work`. */
const withCpu = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const [began, cpu] = [performance.now(), process.cpuUsage()]
    const result = yield* work
    const { user, system } = process.cpuUsage(cpu)
    return { ...result, cpu: (user + system) / 1_000 / (performance.now() - began) }
  })

const measure = Effect.gen(function* () {
  const receiver = yield* startChild("arrivalsProgram.ts")
  const flood = yield* startChild("endlessResponsesProgram.ts")
  const [port, floodPort] = [yield* receiver.ask(), yield* flood.ask()]
  const work = Effect.gen(function* () {
    const good = yield* makeWebhooks(
      Array.from({ length: GOOD }, (_, i) => `http://127.0.0.${i + 1}:${port}/hook`)
    )
    const plain = yield* makeWebhooks(
      plainPaths.map((path, i) => `http://127.0.0.${GOOD + i + 1}:${port}${path}`)
    )
    const bad = yield* makeWebhooks(floodPaths.map((path) => `http://127.0.0.1:${floodPort}${path}`))
    const stage = yield* Effect.forkScoped(Effect.raceFirst(deliver, delay))
    const options: PacedOptions = { receiver, accountId: good.accountId, good: GOOD }
    const run = (others: ReadonlyArray<string>, series: number) =>
      withCpu(deliverPaced(options, [...good.ids, ...others], EVENTS, EVERY_MS, series))
    yield* run(plain.ids, 0)
    const without = yield* run(plain.ids, 1)
    const during = yield* run(bad.ids, 2)
    const stopMs = yield* timed(Fiber.interrupt(stage))
    return { without, during, stopMs }
  })
  return yield* work.pipe(Effect.scoped, Effect.provide(deliveringLayer(makeFeed())))
})

const figures = ({ without, during, stopMs }: Effect.Success<typeof measure>): ReadonlyArray<Figure> => {
  const lower = (part: string, value: number, unit: string, ratio: number | null, target: number | null) =>
    ({ name: `attacks.flood.${part}`, value, unit, ratio, target, better: "lower" }) as const
  return [
    {
      name: "attacks.flood",
      value: during.perSecond,
      unit: "deliveries/s",
      ratio: during.perSecond / without.perSecond,
      target: THROUGHPUT_TARGET,
      better: "higher"
    },
    lower("p99", during.p99Ms, "ms", during.p99Ms / without.p99Ms, null),
    lower("cpu", during.cpu * 100, "% of a core", during.cpu / without.cpu, null),
    lower("stop", stopMs, "ms", stopMs / STOP_TARGET_MS, 1)
  ]
}

export const informationalFlood: Benchmark = {
  description: `deliveries to ${GOOD} webhooks beside ${floodPaths.length} whose responses never end`,
  target: `throughput at least ${THROUGHPUT_TARGET} ×, stops within ${STOP_TARGET_MS / 1_000} s`,
  run: Effect.fnUntraced(function* (report) {
    for (const figure of figures(yield* measure)) report(figure)
  })
}
