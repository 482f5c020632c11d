/** Counts of deliveries, for lists and overviews. */
import { makeFeature } from "../Feature.ts"

export const feature = makeFeature({
  name: "statistics",
  service: () => import("./service.ts")
})
