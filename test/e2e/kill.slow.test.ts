/** kill -9 of the database alone, which the service must bring back. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { killRun } from "../support/killRun.ts"
import { killDatabase } from "../support/serviceProcess.ts"

it.live(
  "kill -9 of the database alone loses nothing, repeats next to nothing, and leaves a delivery log that is true",
  () => killRun((service, environment) => Effect.as(killDatabase(String(environment["DATA_DIR"])), service)),
  120_000
)
