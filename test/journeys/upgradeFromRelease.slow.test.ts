/** The upgrade of one process with the embedded log, from the program of the newest release to the present one. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ownDatabase } from "../support/store/ownDatabase.ts"
import { newestRelease, releaseTitle } from "../support/upgrade/releasedProgram.ts"
import { upgradeRun } from "../support/upgrade/upgradeRun.ts"

describe.skipIf(newestRelease === undefined)(releaseTitle, () => {
  it.live(
    "serves while the present program migrates, and is replaced by it: nothing is lost or sent twice",
    () =>
      Effect.gen(function* () {
        const { url } = yield* ownDatabase
        yield* upgradeRun({ DATABASE_URL: url }, 1)
      }).pipe(Effect.scoped),
    300_000
  )
})
