/** Synthetic events, sent to a webhook on request. */
import { command, makeFeature } from "../Feature.ts"
import { test, trigger } from "./TestEventCommand.ts"

export const feature = makeFeature({
  name: "testEvents",
  commands: [command(60, test, "webhook"), command(130, trigger)],
  service: () => import("./service.ts")
})
