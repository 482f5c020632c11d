/** How far webhooks have got, and why they got an event or did not. */
import { command, makeFeature } from "../Feature.ts"
import { explain } from "./command/ExplainCommand.ts"
import { progress } from "./command/ProgressCommand.ts"

export const feature = makeFeature({
  name: "progress",
  commands: [command(120, progress), command(160, explain)],
  service: () => import("./service.ts")
})
