/** Past events sent again, and failed deliveries retried, as jobs. */

import { command, makeFeature } from "../Feature.ts"
import { replay } from "./command/Replay.ts"
import { retry } from "./command/Retry.ts"
import { replayJobsEnded } from "./Metrics.ts"

export const feature = makeFeature({
  name: "replay",
  metrics: [{ metric: replayJobsEnded, after: "ledgerhook_replay_jobs" }],
  commands: [command(140, replay), command(150, retry)],
  service: () => import("./service.ts")
})
