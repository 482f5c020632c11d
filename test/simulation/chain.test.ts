/** The whole chain in several processes, with faults by seed: see README.md. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { AT_ONCE, type Databases, makeDatabases } from "./databases.ts"
import { simulate } from "./simulate.ts"

/**
 * Seeds that found a bug, and the bug. Each change of the simulated world gives them another run, so each bug has a
 * test of its own too (docs/reliability.md).
 */
const keptSeeds = new Map([
  [1, "a process that waits for a lease could not be stopped"],
  [146, "a delivery that was queued while its webhook was deleted stayed pending after a jump of the clock"],
  [172, "a retry that a crash kept from the log waited for as long as its process's clock had been ahead"],
  [20_111, "a retry that was being appended while the clock was set back waited for as long as the step"]
])
const MORE = 59
const seeds = new Set([...keptSeeds.keys(), ...Array.from({ length: MORE }, (_, i) => i + 2)])

class Runs extends Context.Service<Runs, Databases>()("test/simulation/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.suspend(() => makeDatabases(inject("postgres"), AT_ONCE))
  )
}

const run = (seed: number, tell?: (line: string) => void) =>
  Effect.gen(function* () {
    const databases = yield* Runs
    return yield* simulate(seed, yield* databases, tell)
  }).pipe(Effect.scoped)

const traceOf = Effect.fnUntraced(function* (seed: number) {
  const lines: Array<string> = []
  yield* run(seed, (line) => lines.push(line))
  return lines
})

describe("the whole chain, with faults by seed", { concurrent: true }, () => {
  it.layer(Runs.layer, { excludeTestServices: true })("on a virtual clock", (it) => {
    for (const seed of seeds)
      it.effect(
        `seed ${seed} keeps every promise`,
        () =>
          Effect.map(run(seed), (problems) =>
            assert.deepStrictEqual(problems, [], `npm run simulate -- --seed ${seed} --trace`)
          ),
        120_000
      )

    it.effect(
      "a seed gives the same run each time, whatever runs beside it",
      () =>
        Effect.gen(function* () {
          const both = yield* Effect.all([traceOf(3), traceOf(3)], { concurrency: 2 })
          assert.isAbove(both[0].length, 10)
          assert.deepStrictEqual(both[0], both[1])
        }),
      120_000
    )
  })
})
