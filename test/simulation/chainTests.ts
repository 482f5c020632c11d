/** The tests of the whole chain in several processes, with faults by seed: see README.md. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { type SimulateOptions, simulate } from "./simulate.ts"
import { AT_ONCE, type Databases, makeDatabases } from "./world/databases.ts"

class Runs extends Context.Service<Runs, Databases>()("test/simulation/Runs") {
  static readonly layer = Layer.effect(
    Runs,
    Effect.suspend(() => makeDatabases(inject("postgres"), AT_ONCE))
  )
}

const run = (seed: number, options?: SimulateOptions) =>
  Effect.gen(function* () {
    const databases = yield* Runs
    return yield* simulate(seed, yield* databases, options)
  }).pipe(Effect.scoped)

const traceOf = Effect.fnUntraced(function* (seed: number, failsOver: boolean) {
  const lines: Array<string> = []
  yield* run(seed, { tell: (line) => lines.push(line), failsOver })
  return lines
})

/** `failovers`: seeds of one process with the embedded log, whose database fails over. */
export const chainTests = (seeds: Iterable<number>, failovers: Iterable<number>) =>
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

      for (const seed of failovers)
        it.effect(
          `seed ${seed} keeps every promise although the database loses its newest transactions`,
          () =>
            Effect.map(run(seed, { failsOver: true }), (problems) =>
              assert.deepStrictEqual(problems, [], `npm run simulate -- --failover --seed ${seed} --trace`)
            ),
          120_000
        )

      it.effect(
        "a seed gives the same run each time, whatever runs beside it",
        () =>
          Effect.gen(function* () {
            for (const failsOver of [false, true]) {
              const both = yield* Effect.all([traceOf(3, failsOver), traceOf(3, failsOver)], {
                concurrency: 2
              })
              assert.isAbove(both[0].length, 10)
              assert.deepStrictEqual(both[0], both[1])
            }
          }),
        120_000
      )
    })
  })
