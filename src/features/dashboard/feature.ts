/** The dashboard: the app at `/`. */
import { makeFeature } from "../Feature.ts"
import { frameAncestors } from "./Settings.ts"

export const feature = makeFeature({
  name: "dashboard",
  settings: [frameAncestors],
  service: () => import("./service.ts")
})
