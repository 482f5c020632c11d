/** What a running service gets from the feature. */
import { makeService } from "../Feature.ts"
import { keepTotals } from "./DeliveryTotals.ts"

export const service = makeService({ upkeep: [keepTotals] })
