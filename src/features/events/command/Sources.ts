/**
 * Where the log has ledgers: in ranges that the service took, and in ranges of history that were fetched later
 * (domain/Backfill.ts). Both are found by index and by close time. `piecesOf` says which ledger is taken from where: the
 * log may have one twice, if ingest was started again at an earlier one; the ledger that was taken last is exported, and
 * history only where the service took none.
 */
import { Effect } from "effect"
import { type BackfillRange, historyTopics } from "../../../spine/domain/Backfill.ts"
import { eventsTopic, type LedgerTopics, ledgersTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { makeCursor } from "../../../spine/log/Cursor.ts"
import type { LogError, LogReader } from "../../../spine/log/Log.ts"
import {
  findInRange,
  firstInRange,
  type LedgerRange,
  markerIn,
  type NotAMarker,
  type PlacedMarker
} from "../../../spine/log/ledgers/LedgerMarkers.ts"
import { type Interval, without } from "./Coverage.ts"

type Found = Effect.Effect<PlacedMarker | undefined, LogError | NotAMarker>

/** Consecutive ledgers in the log, and how to find one. */
export interface Source extends Interval {
  readonly topics: LedgerTopics
  /** When the last one closed: Unix milliseconds. */
  readonly lastClosedAt: number
  readonly marker: (ledgerIndex: number) => Found
  /** The first that closed at or after the time, which is not after `lastClosedAt`. */
  readonly firstClosedAt: (ms: number) => Found
}

/** Ledgers to read from one source. */
export interface Piece extends Interval {
  readonly source: Source
}

const takenSource = (log: LogReader["Service"], network: Network, range: LedgerRange): Source => ({
  first: range.first.marker.ledger_index,
  last: range.last.marker.ledger_index,
  topics: { ledgers: ledgersTopic(network), events: eventsTopic(network) },
  lastClosedAt: Date.parse(range.last.marker.close_time),
  marker: (ledgerIndex) => findInRange(log, network, range, ledgerIndex),
  firstClosedAt: (ms) => firstInRange(log, network, range, ({ close_time }) => Date.parse(close_time) >= ms)
})

/** Markers of a range of history have consecutive offsets. */
const historySource = (log: LogReader["Service"], network: Network, range: BackfillRange): Source => {
  const { firstLedger, lastClosedAt, lastLedger, markerOffset } = range
  const topics = historyTopics(network)
  const markersFrom = (offset: number) => {
    const { next } = makeCursor(log, { topic: topics.ledgers, partition: 0, offset })
    return Effect.flatMap(next, (record) =>
      record === undefined
        ? Effect.succeed(undefined)
        : Effect.map(markerIn(record), (marker) => ({ offset: record.offset, marker }))
    )
  }
  return {
    first: firstLedger,
    last: lastLedger,
    topics,
    lastClosedAt: lastClosedAt * 1_000,
    marker: (ledgerIndex) =>
      Effect.map(markersFrom(markerOffset + ledgerIndex - firstLedger), (found) =>
        found?.marker.ledger_index === ledgerIndex ? found : undefined
      ),
    firstClosedAt: (ms) =>
      Effect.repeat(markersFrom(markerOffset), {
        until: (found) => found === undefined || Date.parse(found.marker.close_time) >= ms
      })
  }
}

/** `ranges` in the order of the log, `history` lowest first. The pieces are in the order of ledgers, without overlaps. */
export const piecesOf = (
  log: LogReader["Service"],
  network: Network,
  ranges: ReadonlyArray<LedgerRange>,
  history: ReadonlyArray<BackfillRange>
): ReadonlyArray<Piece> => {
  let taken: ReadonlyArray<Piece> = []
  for (const range of ranges.toReversed()) {
    const source = takenSource(log, network, range)
    const added = without(source, taken).map((interval) => ({ ...interval, source }))
    taken = [...taken, ...added].sort((a, b) => a.first - b.first)
  }
  const fetched: Array<Piece> = []
  let next = 0
  for (const range of history) {
    const source = historySource(log, network, range)
    const first = Math.max(next, source.first)
    if (first > source.last) continue
    for (const interval of without({ first, last: source.last }, taken)) fetched.push({ ...interval, source })
    next = source.last + 1
  }
  return [...fetched, ...taken].sort((a, b) => a.first - b.first)
}

export const clip = (pieces: ReadonlyArray<Piece>, first: number, last: number): ReadonlyArray<Piece> =>
  pieces.flatMap((piece) =>
    piece.last < first || piece.first > last
      ? []
      : [{ ...piece, first: Math.max(piece.first, first), last: Math.min(piece.last, last) }]
  )

/** The parts of the pieces that are in none of `covered`, which are in order. */
export const uncovered = (
  pieces: ReadonlyArray<Piece>,
  covered: ReadonlyArray<Interval>
): ReadonlyArray<Piece> =>
  pieces.flatMap((piece) => without(piece, covered).map((interval) => ({ ...piece, ...interval })))

/** The first ledger of the pieces that closed at or after the time. */
export const firstClosedAt = Effect.fnUntraced(function* (pieces: ReadonlyArray<Piece>, ms: number) {
  for (const piece of pieces) {
    if (piece.source.lastClosedAt < ms) continue
    const found = yield* piece.source.firstClosedAt(ms)
    if (found === undefined) continue
    const index = Math.max(found.marker.ledger_index, piece.first)
    if (index <= piece.last) return { index, isFirst: index === piece.first }
  }
  return undefined
})
