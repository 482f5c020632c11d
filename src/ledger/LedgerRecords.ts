/**
 * Ledgers as log records: a ledger's events in order, and the marker that closes it. Consecutive ledgers make one
 * transaction of the log: the events of all, then a marker for each. While catching up this spares the log a commit per
 * ledger; a live ledger is a batch of one. Pure.
 */
import { isLinked } from "../coverage/LedgerMarkers.ts"
import { isoTime, type Ledger } from "../domain/Ledger.ts"
import {
  type DetectedEvent,
  type Detection,
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  type LedgerTopics,
  ledgersTopic
} from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import type { NewRecord, Transaction } from "../log/EventLog.ts"

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
  /** Each batch is a range of its own, whatever stands before it in the log. */
  readonly startsRange?: boolean
}

export interface LedgerBatch {
  readonly transaction: Transaction
  /** One for each ledger; where its events land is known to the log alone. */
  readonly markers: ReadonlyArray<LedgerMarker>
}

/** `now` and `previous` give the moments of detection: they increase strictly even when the clock goes back. */
export const ledgerBatch = (
  { startsRange = false, network, simulated, topics }: ChainIdentity,
  detected: ReadonlyArray<DetectedLedger>,
  previous: LedgerMarker | undefined,
  now: number
): LedgerBatch => {
  let before = previous
  const parts = detected.map(({ detection: { events }, ledger }) => {
    // Delivery ids sort by it.
    const detectedAt = Math.max(now, (before?.detected_at ?? 0) + 1)
    const mayContinue = before !== undefined && !(startsRange && before === previous)
    const continued = mayContinue && isLinked(before!, ledger) ? before : undefined
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
