/** A short run of `npm run faults` on the embedded store, so that the command and what it proves do not rot. */
import { it } from "@effect/vitest"
import { strikes } from "../support/journeys/faultRun.ts"

it.live(
  "the embedded service loses nothing by kills of itself and its database, and by a full disk",
  () => strikes({ store: "embedded", faults: ["kill", "disk-full"], rounds: 2 }),
  300_000
)
