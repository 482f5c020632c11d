/**
 * A ledger by its index in the log. One network's log may hold the same index more than once: its chain was
 * begun anew, or history holds it too. Makes a few reads however long the log is.
 */
import { Effect } from "effect"
import { type HistoryRange, historyLedgersTopic } from "../domain/History.ts"
import type { LedgerMarker } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import type { EventLogError, EventLogReader } from "../log/EventLog.ts"
import { findInRange, type LedgerRange, markerIn, type NotAMarker } from "./LedgerMarkers.ts"

type Reader = EventLogReader["Service"]

export interface FoundLedger {
  readonly marker: LedgerMarker
  /** It closed before the service's first ledger, and was fetched for a replay. */
  readonly isHistory: boolean
}

/** Where ledgers are looked for: those that the service took, and those of before. */
export interface HeldLedgers {
  readonly ranges: ReadonlyArray<LedgerRange>
  readonly history: ReadonlyArray<HistoryRange>
}

/** The ledgers of that index, the newest taken first and history last. */
export const findLedgers = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  { history, ranges }: HeldLedgers,
  ledgerIndex: number
): Effect.fn.Return<ReadonlyArray<FoundLedger>, EventLogError | NotAMarker> {
  const found: Array<FoundLedger> = []
  for (const range of ranges.toReversed()) {
    const placed = yield* findInRange(log, network, range, ledgerIndex)
    if (placed !== undefined) found.push({ marker: placed.marker, isHistory: false })
  }
  for (const { firstLedger, lastLedger, markerOffset } of history) {
    if (ledgerIndex < firstLedger || ledgerIndex > lastLedger) continue
    // Its markers stand side by side.
    const offset = markerOffset + ledgerIndex - firstLedger
    const [record] = yield* log.read({ topic: historyLedgersTopic(network), partition: 0, offset }, 1)
    if (record?.offset === offset) found.push({ marker: yield* markerIn(record), isHistory: true })
  }
  return found
})
