/** `/v1/activity/stream`: checks the request and answers it with a stream of `LedgerStreams`. */

import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings, watchedNetworks } from "../../spine/config/Config.ts"
import { networksFor } from "../events/EventsHandlers.ts"
import { streamed } from "../events/stream/EventStreamHandlers.ts"
import { Activity } from "./ActivityContract.ts"
import { activityRules } from "./LedgerRules.ts"
import { LedgerStreams } from "./stream/LedgerStreams.ts"

export const activityLayer = HttpApiBuilder.group(
  contractOf(Activity),
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const watched = watchedNetworks(settings)
    const streams = yield* LedgerStreams

    return handlers.handleAll({
      stream: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* Caller
        yield* checkRules(activityRules, query, settings)
        const networks = networksFor(caller.environment, query.network).filter((network) =>
          watched.includes(network)
        )
        return yield* streamed((connection) => streams.open({ caller, connection }, networks))
      }, orUnavailable)
    })
  })
)
