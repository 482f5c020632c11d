/** Markers of made-up ledgers, written to a log without ingest. */
import { Effect } from "effect"
import { isoTime } from "../../src/domain/Ledger.ts"
import { type LedgerMarker, ledgersTopic } from "../../src/domain/LedgerEvent.ts"
import type { Network } from "../../src/domain/Network.ts"
import { Log, type NewRecord } from "../../src/log/Log.ts"
import { chain } from "./chain.ts"

export const markers = (from: number, to: number, name?: string): ReadonlyArray<LedgerMarker> =>
  chain(from, to, name === undefined ? {} : { name }).map((ledger) => ({
    ledger_index: ledger.ledger_index,
    ledger_hash: ledger.ledger_hash,
    parent_hash: ledger.parent_hash,
    close_time: isoTime(ledger.close_time),
    transaction_count: ledger.transactions.length,
    event_count: 0,
    first_event_offset: null,
    detected_at: 1_700_000_000_000 + ledger.ledger_index
  }))

export const markerRecords = (
  network: Network,
  all: ReadonlyArray<LedgerMarker>,
  timestamp?: number
): ReadonlyArray<NewRecord> =>
  all.map((marker) => ({
    topic: ledgersTopic(network),
    key: network,
    value: JSON.stringify(marker),
    ...(timestamp === undefined ? {} : { timestamp })
  }))

export const appendMarkers = Effect.fnUntraced(function* (
  network: Network,
  all: ReadonlyArray<LedgerMarker>,
  timestamp?: number
) {
  const log = yield* Log
  yield* log.transaction({ append: markerRecords(network, all, timestamp) })
})
