/** Runs faults as `npm run faults` does, and fails if one of them broke a promise. */
import { assert } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { type FaultResult, runCampaign } from "../../../bench/reliability/support/Campaign.ts"
import type { Store } from "../../../bench/reliability/support/Cluster.ts"
import { isBroken } from "../../../bench/reliability/support/Report.ts"

export interface FaultRun {
  readonly store: Store
  readonly faults: ReadonlyArray<string>
  readonly rounds: number
}

const SEED = 3

export const strikes = (run: FaultRun) =>
  Effect.gen(function* () {
    const results: Array<FaultResult> = []
    const ignore = () => undefined
    yield* runCampaign({ ...run, seed: SEED, clockLibrary: undefined, progress: ignore }, (result) => {
      results.push(result)
    })
    assert.deepStrictEqual(
      results.map(({ fault }) => fault),
      run.faults
    )
    for (const result of results) {
      if (result.leftOut !== undefined) continue
      assert.isAbove(result.deliveries, 0)
      assert.isFalse(isBroken(result), JSON.stringify(result, null, 2))
    }
    // The database's launcher logs each of its ends, which are wanted here.
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
