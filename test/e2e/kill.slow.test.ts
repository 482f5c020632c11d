/** kill -9 of the database alone, which the service must bring back, and of a service that sends batches. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { killRun, killService } from "../support/killRun.ts"
import { killDatabase } from "../support/serviceProcess.ts"

const webhooks = [
  {},
  { max_in_flight: 1, batch: { max_events: 20, max_wait_ms: 100 } },
  { max_in_flight: 4, batch: { max_events: 10, max_wait_ms: 0 } }
]

it.live(
  "kill -9 of the database alone loses nothing, repeats next to nothing, and leaves a delivery log that is true",
  () => killRun((service, environment) => Effect.as(killDatabase(String(environment["DATA_DIR"])), service)),
  120_000
)

it.live(
  "kill -9 with batches loses nothing, keeps the order of a window of 1, and repeats at most the windows and 40 more",
  () => killRun(killService, webhooks),
  180_000
)
