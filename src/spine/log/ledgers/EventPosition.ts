/**
 * Finds the offset of an event in the log. The id names the ledger, the ledger's marker names the offset of the
 * ledger's first event, and the events are read from there. This needs only a few reads, however long the log is. It
 * does not find events of history, which have their own topic.
 */

import { Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { ledgerOfEventId } from "../../event/EventId.ts"
import { eventsTopic, parseLedgerEvent } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import type { EventId } from "../../words/Ids.ts"
import type { LogError, LogReader } from "../Log.ts"
import { findInRange, ledgerRanges, type NotAMarker } from "./LedgerMarkers.ts"

type Reader = LogReader["Service"]

/** The event's offset, if it is one of its ledger's events, which begin at the offset `first`. */
const findInLedger = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  eventId: EventId,
  first: number
): Effect.fn.Return<number | undefined, LogError> {
  const ledgerIndex = ledgerOfEventId(eventId)
  let offset = first
  while (true) {
    const records = yield* log.read(
      { topic: eventsTopic(network), partition: 0, offset },
      Limits.logReadRecords
    )
    for (const record of records) {
      const event = parseLedgerEvent(record.value)
      if (event?.event_id === eventId) return record.offset
      if (event !== undefined && event.ledger_index !== ledgerIndex) return undefined
      offset = record.offset + 1
    }
    if (records.length === 0) return undefined
  }
})

/** Undefined if the log does not hold the event, or no longer holds it. */
export const offsetOfEvent = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  eventId: EventId
): Effect.fn.Return<number | undefined, LogError | NotAMarker> {
  const ranges = yield* ledgerRanges(log, network)
  // After a restart from another ledger, the log may hold a ledger twice. The newest range is searched first.
  for (const range of ranges.toReversed()) {
    const found = yield* findInRange(log, network, range, ledgerOfEventId(eventId))
    const first = found?.marker.first_event_offset ?? null
    if (first === null) continue
    const offset = yield* findInLedger(log, network, eventId, first)
    if (offset !== undefined) return offset
  }
  return undefined
})
