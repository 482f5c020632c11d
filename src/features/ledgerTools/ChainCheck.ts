/**
 * Checks of the log's markers and events: each ledger index occurs once, each parent hash is the hash of the ledger
 * before, close times do not decrease, and each ledger's events and recorded transactions are where its marker says. Each
 * check returns the fault, or undefined. Markers and events are given in the order of the log. Pure.
 */
import type { LedgerEvent, LedgerMarker } from "../../spine/event/LedgerEvent.ts"
import { parseTransactionRecord } from "../../spine/event/TransactionRecord.ts"
import type { LogRecord } from "../../spine/log/Log.ts"

export interface ChainFault {
  readonly ledger_index: number
  readonly message: string
}

const fault = (ledger_index: number, message: string): ChainFault => ({ ledger_index, message })

export const missing = (index: number, where: string): ChainFault =>
  fault(index, `ledger ${index} is missing: ${where}`)

/** `previous` is the marker before it in the log; undefined for the first marker. */
export const markerFault = (
  previous: LedgerMarker | undefined,
  marker: LedgerMarker
): ChainFault | undefined => {
  const { close_time, detected_at, event_count, first_event_offset, ledger_index, parent_hash, range_since } =
    marker
  if (previous !== undefined) {
    if (ledger_index <= previous.ledger_index)
      return fault(ledger_index, `ledger ${ledger_index} follows ledger ${previous.ledger_index} in the log`)
    if (ledger_index > previous.ledger_index + 1)
      return missing(previous.ledger_index + 1, `ledger ${ledger_index} follows ${previous.ledger_index}`)
    if (parent_hash !== previous.ledger_hash)
      return fault(
        ledger_index,
        `the parent hash of ledger ${ledger_index} is ${parent_hash}, but the hash of ledger ${previous.ledger_index} is ${previous.ledger_hash}`
      )
    // Equal times are possible: old ledgers closed within the resolution of the close time.
    if (!(Date.parse(close_time) >= Date.parse(previous.close_time)))
      return fault(
        ledger_index,
        `ledger ${ledger_index} closed at ${close_time}, before ledger ${previous.ledger_index} (${previous.close_time})`
      )
    // A new range may begin at any ledger. The hashes above prove that no ledger is missing between the two ranges.
    const isInRange = range_since === previous.range_since || range_since === detected_at
    if (previous.range_since !== undefined && !isInRange)
      return fault(
        ledger_index,
        `range_since of ledger ${ledger_index} is ${range_since}, but that of ledger ${previous.ledger_index} is ${previous.range_since}, and ledger ${ledger_index} was detected at ${detected_at}`
      )
  }
  if (
    !Number.isSafeInteger(event_count) ||
    event_count < 0 ||
    (event_count === 0) !== (first_event_offset === null)
  )
    return fault(
      ledger_index,
      `the marker of ledger ${ledger_index} says ${event_count} events, the first at offset ${first_event_offset}, which cannot be`
    )
  return undefined
}

const eventOf = (record: LogRecord): Partial<LedgerEvent> | undefined => {
  try {
    // Any field may be absent; the caller only compares.
    return record.value === null
      ? undefined
      : ((JSON.parse(record.value) as Partial<LedgerEvent> | null) ?? undefined)
  } catch {
    return undefined
  }
}

/** `record` is the next record of the events topic; it must be the ledger's event number `place`. */
export const eventFault = (
  { event_count, first_event_offset, ledger_index }: LedgerMarker,
  place: number,
  record: LogRecord | undefined
): ChainFault | undefined => {
  const which = `event ${place + 1} of ${event_count} of ledger ${ledger_index}`
  if (record === undefined) return fault(ledger_index, `${which} is missing: the events topic ends before it`)
  if (place === 0 && record.offset !== first_event_offset)
    return fault(
      ledger_index,
      `${which} should be at offset ${first_event_offset}, but the next event is at ${record.offset}`
    )
  const event = eventOf(record)
  if (event?.ledger_index === ledger_index && event.position === place) return undefined
  return fault(
    ledger_index,
    `${which} should be at offset ${record.offset}, but there is ${event === undefined ? "no event" : `event ${(event.position ?? Number.NaN) + 1} of ledger ${event.ledger_index}`}`
  )
}

/** `record` is the next record of the topic of transactions; it must be number `place` of the ledger. */
export const transactionFault = (
  { first_transaction_offset, ledger_hash, ledger_index, transaction_record_count }: LedgerMarker,
  place: number,
  record: LogRecord | undefined
): ChainFault | undefined => {
  const which = `transaction record ${place + 1} of ${transaction_record_count} of ledger ${ledger_index}`
  if (record === undefined) return fault(ledger_index, `${which} is missing: the topic ends before it`)
  if (place === 0 && record.offset !== first_transaction_offset)
    return fault(
      ledger_index,
      `${which} should be at offset ${first_transaction_offset}, but the next one is at ${record.offset}`
    )
  return parseTransactionRecord(record.value)?.ledger_hash === ledger_hash
    ? undefined
    : fault(ledger_index, `${which} should be at offset ${record.offset}, but there is another record`)
}

/** `record` follows the last event that the marker counts; it must belong to a later ledger. */
export const excessFault = (last: LedgerMarker, record: LogRecord | undefined): ChainFault | undefined => {
  const index = record === undefined ? undefined : eventOf(record)?.ledger_index
  return index === undefined || index > last.ledger_index
    ? undefined
    : fault(
        index,
        `at offset ${record?.offset} there is another event of ledger ${index}, which its marker does not count`
      )
}

export const hashFault = (marker: LedgerMarker, server: string, hash: string): ChainFault | undefined =>
  hash === marker.ledger_hash
    ? undefined
    : fault(
        marker.ledger_index,
        `the hash of ledger ${marker.ledger_index} is ${marker.ledger_hash} in the log, but ${hash} at ${server}`
      )
