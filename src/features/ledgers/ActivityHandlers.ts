/** `/v1/activity/stream`: checks the request and answers it with a stream of `LedgerStreams`. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Settings, unwatched, watchedNetworks } from "../../config/Config.ts"
import { Api } from "../Contract.ts"
import { Caller } from "../contract/Common.ts"
import { ValidationError } from "../Errors.ts"
import { orUnavailable } from "../Failures.ts"
import { LedgerStreams } from "../stream/LedgerStreams.ts"
import { streamed } from "./EventStream.ts"
import { networksFor } from "./Events.ts"

export const activityLayer = HttpApiBuilder.group(
  Api,
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
