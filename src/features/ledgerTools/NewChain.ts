/**
 * `ledgerhook ledger new-chain`: orders that ingest starts a new chain after the last taken ledger, because a test
 * network was reset. The order is a row in the database, which ingest reads when it starts.
 */
import { Clock, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { ledgersTopic } from "../../spine/event/LedgerEvent.ts"
import { logReaderLayer } from "../../spine/LogAdapter.ts"
import { LogReader } from "../../spine/log/Log.ts"
import { markerIn } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { failed } from "../../terminal/Failure.ts"
import { about } from "../../terminal/Help.ts"
import { settings } from "../../terminal/Invocation.ts"
import { print } from "../../terminal/Output.ts"
import { stores } from "../accounts/command/AccountStores.ts"
import { ChainRestarts } from "../events/ChainRestarts.ts"

const restartStores = (() => {
  const database = stores("ledger new-chain")
  return Layer.merge(logReaderLayer(database), ChainRestarts.layer).pipe(
    Layer.provideMerge(database),
    Layer.provideMerge(settings)
  )
})()

export const newChain = Command.make(
  "new-chain",
  {
    network: Flag.Literals("network", ["testnet", "devnet"]).pipe(
      Flag.withDescription("The network that was reset")
    )
  },
  Effect.fnUntraced(function* ({ network }) {
    const log = yield* LogReader
    const record = yield* log.last({ topic: ledgersTopic(network), partition: 0 })
    const last = record === undefined ? undefined : yield* markerIn(record)
    if (last === undefined || last.simulated === true)
      return yield* failed(`no ledger of ${network} was taken from a server, so there is no chain to end.`)
    yield* (yield* ChainRestarts).order(network, last.ledger_hash, yield* Clock.currentTimeMillis)
    yield* print(
      `The chain of ${network} ends with ledger ${last.ledger_index}. Restart the process with the role ingest: it then starts a new chain at XRPL_${network.toUpperCase()}_START.`
    )
  }, Effect.provide(restartStores))
).pipe(
  about(
    "Start a new chain after a reset of a test network",
    'Order that the next start of ingest begins a new chain at XRPL_<NETWORK>_START, instead of continuing after the last taken ledger. For a test network that was reset: its old ledgers will never continue. Webhooks, events and deliveries are kept. If the network was not reset, the ledgers between the last taken one and the new start are lost. See "A test network was reset" in docs/operations.md.',
    { "ledgerhook ledger new-chain --network testnet": "Then restart the process with the role ingest" }
  )
)
