/** A ledger as log records: its events in order and the marker that closes it. Pure. */
import { isoTime, type Ledger } from "../domain/Ledger.ts"
import {
  type DetectedEvent,
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  ledgersTopic
} from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import type { NewRecord } from "../log/EventLog.ts"

/** What the log keeps of a ledger besides its events: of the transactions it is their number. */
export interface LedgerHeader {
  readonly ledger_index: number
  readonly ledger_hash: string
  readonly parent_hash: string
  readonly close_time: number
  readonly transactions: { readonly length: number }
}

/** A ledger that has passed its checks. */
export type CheckedLedger = Ledger & LedgerHeader

export const isChecked = (ledger: Ledger): ledger is CheckedLedger =>
  ledger.ledger_hash !== undefined && ledger.parent_hash !== undefined && ledger.close_time !== undefined

const CONTENT_TYPE = { "content-type": "application/json" }

export const eventRecords = (
  network: Network,
  ledger: LedgerHeader,
  events: ReadonlyArray<DetectedEvent>,
  detectedAt: number,
  topic = eventsTopic(network)
): ReadonlyArray<NewRecord> =>
  events.map((event, position) => {
    // Named one by one: the order of the keys is part of the bytes.
    const value: LedgerEvent = {
      event_id: event.event_id,
      event_type: event.event_type,
      ledger_index: event.ledger_index,
      timestamp: isoTime(ledger.close_time),
      network,
      payload: event.payload,
      accounts: event.accounts,
      position,
      detected_at: detectedAt
    }
    return {
      topic,
      key: network,
      value: JSON.stringify(value),
      headers: {
        "event-type": event.event_type,
        "event-id": event.event_id,
        "ledger-index": String(event.ledger_index),
        ...CONTENT_TYPE
      },
      timestamp: detectedAt
    }
  })

export const markerOf = (
  ledger: LedgerHeader,
  eventCount: number,
  firstEventOffset: number | null,
  detectedAt: number
): LedgerMarker => ({
  ledger_index: ledger.ledger_index,
  ledger_hash: ledger.ledger_hash,
  parent_hash: ledger.parent_hash,
  close_time: isoTime(ledger.close_time),
  transaction_count: ledger.transactions.length,
  event_count: eventCount,
  first_event_offset: firstEventOffset,
  detected_at: detectedAt
})

export const markerRecord = (
  network: Network,
  marker: LedgerMarker,
  topic = ledgersTopic(network)
): NewRecord => ({
  topic,
  key: network,
  value: JSON.stringify(marker),
  headers: { "ledger-index": String(marker.ledger_index), ...CONTENT_TYPE },
  timestamp: marker.detected_at
})
