/**
 * The open streams of ledgers of this process. All of them share one reader of each network's ledgers, and those of an
 * account one reader of its answers. Without streams nothing is read. OpenStreams bounds the streams.
 */
import { Context, Effect, Layer, RcMap } from "effect"
import type { Network } from "../../../spine/event/Network.ts"
import type { AccountId } from "../../../spine/words/Ids.ts"
import { OpenStreams, type StreamRequest } from "../../events/stream/OpenStreams.ts"
import { makeLedgerReader } from "./LedgerReader.ts"
import { makeLedgerTail } from "./LedgerTail.ts"
import { makeLedgerView } from "./LedgerView.ts"

interface Viewed {
  readonly accountId: AccountId
  readonly network: Network
}

export class LedgerStreams extends Context.Service<LedgerStreams>()("ledgerhook/api/LedgerStreams", {
  make: Effect.gen(function* () {
    const streams = yield* OpenStreams
    let version = 0
    const tails = yield* RcMap.make({ lookup: makeLedgerTail })
    const views = yield* RcMap.make({
      // Keys are compared by their fields.
      lookup: ({ accountId, network }: Viewed) =>
        Effect.flatMap(RcMap.get(tails, network), (tail) =>
          makeLedgerView(accountId, network, tail, () => ++version)
        )
    })

    return {
      /** Opens a stream, as `OpenStreams.open` does. */
      open: (request: Omit<StreamRequest, "kind">, networks: ReadonlyArray<Network>) =>
        streams.open({ kind: "ledger", ...request }, (ended) =>
          Effect.gen(function* () {
            const { accountId } = request.caller
            const own = yield* Effect.forEach(networks, (network) => RcMap.get(views, { accountId, network }))
            return yield* makeLedgerReader(own, ended)
          })
        )
    }
  })
}) {
  static readonly layer = Layer.effect(LedgerStreams, LedgerStreams.make).pipe(
    Layer.provide(OpenStreams.layer)
  )
}
