/** kill -9 of the whole process tree, which is started again on the same folder; kill.slow.test.ts has the database's. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { killRun } from "../support/killRun.ts"
import { startService } from "../support/serviceProcess.ts"

it.live(
  "kill -9 of the whole process tree loses nothing, repeats next to nothing, and leaves a delivery log that is true",
  () => killRun((service, environment) => Effect.andThen(service.kill, startService(environment))),
  120_000
)
