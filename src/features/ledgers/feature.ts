/** Which ledgers the service has processed, and what happens now. */
import { makeFeature } from "../Feature.ts"

export const feature = makeFeature({
  name: "ledgers",
  service: () => import("./service.ts")
})
