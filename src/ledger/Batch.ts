/**
 * Consecutive ledgers as one transaction of the log: the events of all, then a marker for each. While catching up this
 * spares the log a commit per ledger; a live ledger is a batch of one. Pure.
 */

import { isLinked } from "../coverage/LedgerMarkers.ts"
import type { Detection, LedgerMarker, LedgerTopics } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import type { Transaction } from "../log/EventLog.ts"
import { eventRecords, type LedgerHeader, markerOf, markerRecord } from "./Records.ts"

export interface DetectedLedger {
  readonly ledger: LedgerHeader
  readonly detection: Detection
}

/** Whose ledgers they are. */
export interface ChainIdentity {
  readonly network: Network
  /** Made by the simulated ledger. */
  readonly simulated: boolean
  /** By default those of the network's own ledgers. */
  readonly topics?: LedgerTopics
}

export interface LedgerBatch {
  readonly transaction: Transaction
  /** One for each ledger; where its events land is known to the log alone. */
  readonly markers: ReadonlyArray<LedgerMarker>
}

/** `now` and `previous` give the moments of detection: they increase strictly even when the clock goes back. */
export const ledgerBatch = (
  { network, simulated, topics }: ChainIdentity,
  detected: ReadonlyArray<DetectedLedger>,
  previous: LedgerMarker | undefined,
  now: number
): LedgerBatch => {
  let before = previous
  const parts = detected.map(({ detection: { events }, ledger }) => {
    // Delivery ids sort by it.
    const detectedAt = Math.max(now, (before?.detected_at ?? 0) + 1)
    const continued = before !== undefined && isLinked(before, ledger) ? before : undefined
    const marker: LedgerMarker = {
      ...markerOf(ledger, events.length, null, detectedAt),
      range_since: continued?.range_since ?? detectedAt,
      ...(simulated && { simulated: true })
    }
    before = marker
    return { marker, records: eventRecords(network, ledger, events, detectedAt, topics?.events) }
  })
  return {
    markers: parts.map(({ marker }) => marker),
    transaction: {
      append: parts.flatMap(({ records }) => records),
      appendThen: (positions) => {
        let next = 0
        return parts.map(({ marker, records }) => {
          const first = records.length === 0 ? null : positions[next]!.offset
          next += records.length
          return markerRecord(network, { ...marker, first_event_offset: first }, topics?.ledgers)
        })
      }
    }
  }
}
