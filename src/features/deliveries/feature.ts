/** Deliveries and their attempts, shown and retried. */
import { command, makeFeature } from "../Feature.ts"
import { deliveries } from "./DeliveriesCommand.ts"

export const feature = makeFeature({
  name: "deliveries",
  commands: [command(110, deliveries)],
  service: () => import("./service.ts")
})
