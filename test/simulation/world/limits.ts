/** The limits that stages read from their context, as one value, so that a simulation can make any of them smaller. */
import { Layer } from "effect"
import { WorkLimits, workLimits } from "../../../src/features/progress/Limits.ts"
import { StageLimits, stageLimits } from "../../../src/spine/config/StageLimits.ts"
import { DelayLimits, delayLimits } from "../../../src/spine/delay/Limits.ts"
import { DeliverLimits, deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { RegistryLimits, registryLimits } from "../../../src/spine/registry/Limits.ts"
import { RouteLimits, routeLimits } from "../../../src/spine/route/Limits.ts"

export const allStages = {
  ...stageLimits,
  ...registryLimits,
  ...routeLimits,
  ...deliverLimits,
  ...delayLimits,
  ...workLimits
}
export type AllStages = Readonly<typeof allStages>

export const limitsLayer = (limits: AllStages) =>
  Layer.mergeAll(
    Layer.succeed(StageLimits, limits),
    Layer.succeed(RegistryLimits, limits),
    Layer.succeed(RouteLimits, limits),
    Layer.succeed(DeliverLimits, limits),
    Layer.succeed(DelayLimits, limits),
    Layer.succeed(WorkLimits, limits)
  )
