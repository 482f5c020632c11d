/**
 * Finds a ledger by its index in the log, and reads its events. The log of one network may have an index several
 * times: if ingest was started anew from an earlier ledger, or if history has the ledger too.
 */
import { Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { type BackfillRange, eventTopicOf, historyLedgersTopic } from "../../domain/Backfill.ts"
import { type LedgerEvent, type LedgerMarker, parseLedgerEvent } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import type { LogError, LogReader, LogRecord } from "../Log.ts"
import { findInRange, type LedgerRange, markerIn, type NotAMarker } from "./LedgerMarkers.ts"

type Reader = LogReader["Service"]

export interface FoundLedger {
  readonly marker: LedgerMarker
  /** Whether it closed before the service's first ledger and was fetched for a replay. */
  readonly isHistory: boolean
}

/** The places to search for ledgers: the ledgers that the service took, and the history from before its first one. */
export interface HeldLedgers {
  readonly ranges: ReadonlyArray<LedgerRange>
  readonly history: ReadonlyArray<BackfillRange>
}

/** Returns the ledgers with that index: first the one taken last, and history at the end. */
export const findLedgers = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  { history, ranges }: HeldLedgers,
  ledgerIndex: number
): Effect.fn.Return<ReadonlyArray<FoundLedger>, LogError | NotAMarker> {
  const found: Array<FoundLedger> = []
  for (const range of ranges.toReversed()) {
    const placed = yield* findInRange(log, network, range, ledgerIndex)
    if (placed !== undefined) found.push({ marker: placed.marker, isHistory: false })
  }
  for (const { firstLedger, lastLedger, markerOffset } of history) {
    if (ledgerIndex < firstLedger || ledgerIndex > lastLedger) continue
    // Markers of a range have consecutive offsets.
    const offset = markerOffset + ledgerIndex - firstLedger
    const [record] = yield* log.read({ topic: historyLedgersTopic(network), partition: 0, offset }, 1)
    if (record?.offset === offset) found.push({ marker: yield* markerIn(record), isHistory: true })
  }
  return found
})

/** Hands over the records of the ledger's events, in order. Those that retention has dropped are missing. */
const readRecords = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  { isHistory, marker }: FoundLedger,
  use: (record: LogRecord) => void
): Effect.fn.Return<void, LogError> {
  const { event_count: count, first_event_offset: first } = marker
  let offset = first ?? 0
  let left = first === null ? 0 : count
  while (left > 0) {
    const position = { topic: eventTopicOf(network, isHistory), partition: 0, offset }
    const records = yield* log.read(position, Math.min(left, Limits.logReadRecords))
    if (records.length === 0) break
    for (const record of records) use(record)
    left -= records.length
    offset = records.at(-1)!.offset + 1
  }
})

/** In order. Events that retention has dropped are missing. */
export const readLedgerEvents = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  ledger: FoundLedger
): Effect.fn.Return<ReadonlyArray<LedgerEvent>, LogError> {
  const found: Array<LedgerEvent> = []
  yield* readRecords(log, network, ledger, ({ value }) => {
    const event = parseLedgerEvent(value)
    if (event !== undefined && event.ledger_index === ledger.marker.ledger_index) found.push(event)
  })
  return found
})

/** How many events of each type the ledger has. The header has the type, so that most events need not be parsed. */
export const countLedgerEvents = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  marker: LedgerMarker
): Effect.fn.Return<Readonly<Record<string, number>>, LogError> {
  const counts: Record<string, number> = {}
  yield* readRecords(log, network, { marker, isHistory: false }, ({ headers, value }) => {
    const type = headers["event-type"] ?? parseLedgerEvent(value)?.event_type
    if (type !== undefined) counts[type] = (counts[type] ?? 0) + 1
  })
  return counts
})
