/** A simulated XRP Ledger, for test networks without servers. */
import { makeFeature } from "../Feature.ts"

export const feature = makeFeature({
  name: "simulator"
})
