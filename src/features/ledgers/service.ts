/** What a running service gets from the feature. */
import { Layer } from "effect"
import { makeService } from "../Feature.ts"
import { Activity } from "./ActivityContract.ts"
import { activityLayer } from "./ActivityHandlers.ts"
import { Ledgers } from "./LedgersContract.ts"
import { ledgersLayer } from "./LedgersHandlers.ts"
import { LedgerStreams } from "./stream/LedgerStreams.ts"

export const service = makeService({
  api: {
    groups: [Ledgers, Activity],
    handlers: Layer.merge(ledgersLayer, activityLayer.pipe(Layer.provide(LedgerStreams.layer)))
  }
})
