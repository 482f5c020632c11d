/** kill -9 of the whole process tree, which is started again on the same folder. kill.slow.test.ts does more of it. */
import { it } from "@effect/vitest"
import { HANG_MS, killRun } from "../support/killRun.ts"

it.live(
  "kill -9 of the whole process tree loses nothing, repeats next to nothing, and leaves a delivery log that agrees with the receiver",
  () => killRun({ deliveries: 300, killsAt: [100] }),
  HANG_MS
)
