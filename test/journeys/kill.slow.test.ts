/** kill -9 of a service, also of one that sends batches. faults.slow.test.ts kills the database alone, and both. */
import { it } from "@effect/vitest"
import { HANG_MS, killRun } from "../support/journeys/killRun.ts"

const run = { deliveries: 1_000, killsAt: [300, 700] }
const webhooks = [
  {},
  { max_in_flight: 1, batch: { max_events: 20, max_wait_ms: 100 } },
  { max_in_flight: 4, batch: { max_events: 10, max_wait_ms: 0 } }
]

it.live(
  "kill -9 of the whole process tree loses nothing, repeats next to nothing, and leaves a delivery log that agrees with the receiver",
  () => killRun({ deliveries: 300, killsAt: [100] }),
  HANG_MS
)

it.live("kill -9, twice, loses nothing and repeats next to nothing", () => killRun(run), HANG_MS)

it.live(
  "kill -9 with batches loses nothing, keeps the order of a window of 1, and repeats at most the windows and 40 more",
  () => killRun({ ...run, webhooks }),
  HANG_MS
)

it.live(
  "kill -9, twenty times, leaves a strict webhook in the order of the ledger",
  () =>
    killRun({
      deliveries: 210,
      killsAt: Array.from({ length: 20 }, (_, i) => 10 * (i + 1)),
      webhooks: [{ ordering: "strict" }]
    }),
  HANG_MS
)
