/** The documentation, as pages and for machines. */
import { makeFeature } from "../Feature.ts"

export const feature = makeFeature({
  name: "docs",
  service: () => import("./service.ts")
})
