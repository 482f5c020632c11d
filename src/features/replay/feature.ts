/** Past events sent again, and failed deliveries retried, as jobs. */
import { command, makeFeature } from "../Feature.ts"
import { replay } from "./command/ReplayCommand.ts"
import { retry } from "./command/RetryCommand.ts"
import { JobMetrics } from "./Metrics.ts"

export const feature = makeFeature({
  name: "replay",
  metrics: Object.values(JobMetrics),
  commands: [command(140, replay), command(150, retry)],
  service: () => import("./service.ts")
})
