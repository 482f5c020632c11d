/** `/v1/activity/stream`: checks the request and answers it with a stream of `LedgerStreams`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../http/ContractParts.ts"
import { ValidationError } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings, unwatched, watchedNetworks } from "../../spine/config/Config.ts"
import { networksFor } from "../events/EventsHandlers.ts"
import { streamed } from "../events/stream/EventStreamHandlers.ts"
import { Activity } from "./ActivityContract.ts"
import { LedgerStreams } from "./stream/LedgerStreams.ts"

export const activityLayer = HttpApiBuilder.group(
  contractOf(Activity),
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const watched = watchedNetworks(yield* Settings)
    const streams = yield* LedgerStreams

    return handlers.handleAll({
      stream: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* Caller
        const visible = yield* networksFor(caller.environment, query.network)
        const networks = visible.filter((network) => watched.includes(network))
        if (networks.length === 0) {
          // Every environment has a network.
          return yield* ValidationError.because(unwatched(visible[0]!), { param: "network" })
        }
        return yield* streamed((connection) => streams.open({ caller, connection }, networks))
      }, orUnavailable)
    })
  })
)
