/** What a running service gets from the feature. */
import { Layer } from "effect"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { EventQueries } from "../events/EventQueries.ts"
import { makeService } from "../Feature.ts"
import { Explain } from "./ExplainContract.ts"
import { explainLayer } from "./ExplainHandlers.ts"
import { Explanations } from "./Explanations.ts"
import { keepGaps } from "./GapUpkeep.ts"
import { ProgressGroup } from "./ProgressContract.ts"
import { progressLayer } from "./ProgressHandlers.ts"

export const service = makeService({
  api: { groups: [ProgressGroup, Explain], handlers: Layer.merge(progressLayer, explainLayer) },
  stores: Explanations.layer.pipe(Layer.provide([EventQueries.layer, BackfillStore.layer])),
  upkeep: [keepGaps]
})
