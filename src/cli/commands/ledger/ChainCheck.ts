/**
 * Whether the log's markers are one whole chain with its events: every index once, each parent hash the hash before it,
 * close times that do not fall, and the events of each ledger where its marker says, without one too many. Pure: markers
 * and events are given in the order of the log, and the first thing that is wrong is told.
 */
import type { LedgerEvent, LedgerMarker } from "../../../domain/LedgerEvent.ts"
import type { LogRecord } from "../../../log/EventLog.ts"

export interface ChainFault {
  readonly ledger_index: number
  readonly message: string
}

const fault = (ledger_index: number, message: string): ChainFault => ({ ledger_index, message })

export const missing = (index: number, where: string): ChainFault =>
  fault(index, `ledger ${index} is missing: ${where}`)

/** `previous` is the marker before it in the log; undefined for the first. */
export const markerFault = (
  previous: LedgerMarker | undefined,
  marker: LedgerMarker
): ChainFault | undefined => {
  const { close_time, event_count, first_event_offset, ledger_index, parent_hash, range_since } = marker
  if (previous !== undefined) {
    if (ledger_index <= previous.ledger_index)
      return fault(ledger_index, `ledger ${ledger_index} comes again after ledger ${previous.ledger_index}`)
    if (ledger_index > previous.ledger_index + 1)
      return missing(previous.ledger_index + 1, `ledger ${ledger_index} follows ${previous.ledger_index}`)
    if (parent_hash !== previous.ledger_hash)
      return fault(
        ledger_index,
        `ledger ${ledger_index} names ${parent_hash} as its parent, but ledger ${previous.ledger_index} is ${previous.ledger_hash}`
      )
    // Equal times are possible: ledgers once closed within their resolution.
    if (!(Date.parse(close_time) >= Date.parse(previous.close_time)))
      return fault(
        ledger_index,
        `ledger ${ledger_index} closed at ${close_time}, before ledger ${previous.ledger_index} (${previous.close_time})`
      )
    if (previous.range_since !== undefined && range_since !== previous.range_since)
      return fault(
        ledger_index,
        `the marker of ledger ${ledger_index} counts its range from ${range_since}, that of ledger ${previous.ledger_index} from ${previous.range_since}`
      )
  }
  if (
    !Number.isSafeInteger(event_count) ||
    event_count < 0 ||
    (event_count === 0) !== (first_event_offset === null)
  )
    return fault(
      ledger_index,
      `the marker of ledger ${ledger_index} counts ${event_count} events, the first at offset ${first_event_offset}`
    )
  return undefined
}

const eventOf = (record: LogRecord): Partial<LedgerEvent> | undefined => {
  try {
    // Whatever it holds: every field may be absent, and is compared only.
    return record.value === null
      ? undefined
      : ((JSON.parse(record.value) as Partial<LedgerEvent> | null) ?? undefined)
  } catch {
    return undefined
  }
}

/** Whether `record`, the next of the events topic, is the ledger's event at this place. */
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
      `${which} should be at offset ${first_event_offset}, and the next is at ${record.offset}`
    )
  const event = eventOf(record)
  if (event?.ledger_index === ledger_index && event.position === place) return undefined
  return fault(
    ledger_index,
    `${which} should be at offset ${record.offset}, where ${event === undefined ? "no event" : `event ${(event.position ?? Number.NaN) + 1} of ledger ${event.ledger_index}`} is`
  )
}

/** `record` comes after all events of the ledgers up to `last`. */
export const excessFault = (last: LedgerMarker, record: LogRecord | undefined): ChainFault | undefined => {
  const index = record === undefined ? undefined : eventOf(record)?.ledger_index
  return index === undefined || index > last.ledger_index
    ? undefined
    : fault(index, `offset ${record?.offset} holds one more event of ledger ${index} than its marker counts`)
}

export const hashFault = (marker: LedgerMarker, server: string, hash: string): ChainFault | undefined =>
  hash === marker.ledger_hash
    ? undefined
    : fault(
        marker.ledger_index,
        `ledger ${marker.ledger_index} was taken as ${marker.ledger_hash}, but at ${server} it is ${hash}`
      )
