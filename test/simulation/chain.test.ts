/** The whole chain in several processes, with faults by seed: see README.md. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { newDatabase } from "./databases.ts"
import { simulate } from "./simulate.ts"

/** Seeds that found a bug. */
const keptSeeds = new Map([[1, "a process that waits for a lease could not be stopped"]])
const SEEDS = [...keptSeeds.keys(), ...Array.from({ length: 11 }, (_, i) => i + 2)]

describe("the whole chain, with faults by seed", () => {
  for (const seed of SEEDS)
    it.live(
      `seed ${seed} keeps every promise`,
      () =>
        Effect.gen(function* () {
          const connection = yield* newDatabase(inject("postgres"))
          assert.deepStrictEqual(
            yield* simulate(seed, connection),
            [],
            `npm run simulate -- --seed ${seed} --trace`
          )
        }).pipe(Effect.scoped),
      120_000
    )
})
