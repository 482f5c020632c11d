/** kill -9 of a service that sends batches. faults.slow.test.ts kills the database alone, and both. */
import { it } from "@effect/vitest"
import { HANG_MS, killRun } from "../support/killRun.ts"

const webhooks = [
  {},
  { max_in_flight: 1, batch: { max_events: 20, max_wait_ms: 100 } },
  { max_in_flight: 4, batch: { max_events: 10, max_wait_ms: 0 } }
]

it.live(
  "kill -9 with batches loses nothing, keeps the order of a window of 1, and repeats at most the windows and 40 more",
  () => killRun(webhooks),
  HANG_MS
)
