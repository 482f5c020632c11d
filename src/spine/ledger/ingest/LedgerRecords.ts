/**
 * Turns ledgers into log records: the events of a ledger in order, its transactions where they are wanted, and the
 * marker that closes it. Several consecutive ledgers make one transaction: first all events and transactions, then one
 * marker for each ledger. This saves a commit per ledger during catch-up; at the head, a transaction has one ledger.
 * Pure.
 */

import { isoTime, type Ledger } from "../../event/Ledger.ts"
import {
  type DetectedEvent,
  type Detection,
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  type LedgerTopics,
  ledgersTopic,
  RULES_VERSION
} from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import { transactionsTopic } from "../../event/TransactionRecord.ts"
import type { NewRecord, Transaction } from "../../log/Log.ts"
import { isLinked } from "../../log/ledgers/LedgerMarkers.ts"
import type { RecordedTransaction } from "./TransactionRecords.ts"

/** The header fields that the marker stores, with the number of transactions. */
export interface LedgerHeader {
  readonly ledger_index: number
  readonly ledger_hash: string
  readonly parent_hash: string
  readonly close_time: number
  readonly transactions: { readonly length: number }
  /** Why an operator skipped the ledger. */
  readonly skipped?: string
}

/** A ledger that has passed `checkLedger`: its hashes and close time are set. */
export type CheckedLedger = Ledger & LedgerHeader

export const isChecked = (ledger: Ledger): ledger is CheckedLedger =>
  ledger.ledger_hash !== undefined && ledger.parent_hash !== undefined && ledger.close_time !== undefined

const CONTENT_TYPE = { "content-type": "application/json" }

const booking = ({ balance_changes, memos, memos_truncated }: DetectedEvent) => ({
  ...(memos !== undefined && { memos }),
  ...(memos_truncated !== undefined && { memos_truncated }),
  ...(balance_changes !== undefined && { balance_changes })
})

export const eventRecords = (
  network: Network,
  ledger: LedgerHeader,
  events: ReadonlyArray<DetectedEvent>,
  detectedAt: number,
  topic = eventsTopic(network)
): ReadonlyArray<NewRecord> =>
  events.map((event, position) => {
    // The order of the keys decides the bytes, so they are listed one by one.
    const value: LedgerEvent = {
      event_id: event.event_id,
      event_type: event.event_type,
      ledger_index: event.ledger_index,
      timestamp: isoTime(ledger.close_time),
      network,
      payload: event.payload,
      accounts: event.accounts,
      position,
      detected_at: detectedAt,
      rules_version: RULES_VERSION,
      ...booking(event)
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

/** They need no `detected_at`: the record's timestamp has it. */
const transactionRecords = (
  network: Network,
  { ledger_index }: LedgerHeader,
  transactions: ReadonlyArray<RecordedTransaction>,
  detectedAt: number
): ReadonlyArray<NewRecord> =>
  transactions.map(({ hash, type, value }) => ({
    topic: transactionsTopic(network),
    key: network,
    value,
    headers: {
      "transaction-hash": hash,
      "transaction-type": type,
      "ledger-index": String(ledger_index),
      ...CONTENT_TYPE
    },
    timestamp: detectedAt
  }))

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
  detected_at: detectedAt,
  ...(ledger.skipped !== undefined && { skipped: ledger.skipped }),
  rules_version: RULES_VERSION
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
  /** Undefined: they are not recorded. */
  readonly transactions?: ReadonlyArray<RecordedTransaction>
}

/** The chain that the ledgers belong to, and the topics to which they are written. */
export interface ChainIdentity {
  readonly network: Network
  /** Whether the simulated ledger made them. */
  readonly simulated: boolean
  /** Default: the topics of the network's own ledgers. */
  readonly topics?: LedgerTopics
  /** Whether each batch starts a new range, even if it links to the marker before it (history). */
  readonly startsRange?: boolean
}

export interface LedgerBatch {
  readonly transaction: Transaction
  /** One for each ledger. `first_event_offset` is null here: only the log knows it. */
  readonly markers: ReadonlyArray<LedgerMarker>
}

/** `detected_at` is `now`, but always later than in `previous`, even if the clock was set back. */
export const ledgerBatch = (
  { startsRange = false, network, simulated, topics }: ChainIdentity,
  detected: ReadonlyArray<DetectedLedger>,
  previous: LedgerMarker | undefined,
  now: number
): LedgerBatch => {
  let before = previous
  const parts = detected.map(({ detection: { events }, ledger, transactions }) => {
    // Delivery ids sort by `detected_at`.
    const detectedAt = Math.max(now, (before?.detected_at ?? 0) + 1)
    const mayContinue = before !== undefined && !(startsRange && before === previous)
    const continued = mayContinue && isLinked(before!, ledger) ? before : undefined
    const marker: LedgerMarker = {
      ...markerOf(ledger, events.length, null, detectedAt),
      range_since: continued?.range_since ?? detectedAt,
      ...(simulated && { simulated: true })
    }
    before = marker
    return {
      marker,
      records: eventRecords(network, ledger, events, detectedAt, topics?.events),
      transactions: transactions && transactionRecords(network, ledger, transactions, detectedAt)
    }
  })
  const ofEvents = parts.flatMap(({ records }) => records)
  return {
    markers: parts.map(({ marker }) => marker),
    transaction: {
      append: [...ofEvents, ...parts.flatMap(({ transactions = [] }) => transactions)],
      appendThen: (positions) => {
        let [event, transaction] = [0, ofEvents.length]
        const offsetOf = (place: number, records: ReadonlyArray<NewRecord>) =>
          records.length === 0 ? null : positions[place]!.offset
        return parts.map(({ marker, records, transactions }) => {
          const placed: LedgerMarker = {
            ...marker,
            first_event_offset: offsetOf(event, records),
            ...(transactions !== undefined && {
              transaction_record_count: transactions.length,
              first_transaction_offset: offsetOf(transaction, transactions)
            })
          }
          event += records.length
          transaction += transactions?.length ?? 0
          return markerRecord(network, placed, topics?.ledgers)
        })
      }
    }
  }
}
