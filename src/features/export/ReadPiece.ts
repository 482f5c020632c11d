/**
 * Reads the ledgers of a piece of the log with their events, in order, and checks that each ledger links to the one
 * before and that no event is missing or added (ledgerTools/ChainCheck.ts). A fault ends the export. Ledgers whose
 * events retention has dropped are left out and returned; they are always the first ones.
 */
import { Effect } from "effect"
import { type EventType, isEventType } from "../../spine/event/EventType.ts"
import { type LedgerMarker, parseLedgerEvent } from "../../spine/event/LedgerEvent.ts"
import { makeCursor } from "../../spine/log/Cursor.ts"
import { LogReader } from "../../spine/log/Log.ts"
import { markerIn } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { failed } from "../../terminal/Failure.ts"
import { type Interval, joinSpan, type Span, spanOf } from "../events/command/Coverage.ts"
import type { Piece } from "../events/command/Sources.ts"
import { type ChainFault, eventFault, markerFault, missing } from "../ledgerTools/ChainCheck.ts"

export interface ReadOptions<E, R> {
  readonly types: ReadonlySet<EventType>
  /** Takes an event of a wanted type, as the JSON text of its record. */
  readonly add: (type: EventType, value: string) => Effect.Effect<void, E, R>
  readonly onLedger: Effect.Effect<void>
}

export interface ReadPiece {
  readonly spans: ReadonlyArray<Span>
  readonly dropped: Interval | undefined
}

export const readPiece = Effect.fnUntraced(function* <E, R>(
  piece: Piece,
  { add, onLedger, types }: ReadOptions<E, R>
) {
  const log = yield* LogReader
  const broken = ({ message }: ChainFault) =>
    failed(`the log is not complete: ${message}. \`ledgerhook ledger verify\` shows where it is.`)
  const orBroken = (fault: ChainFault | undefined) =>
    fault === undefined ? Effect.void : Effect.fail(broken(fault))
  const { marker: markerOf, topics } = piece.source
  const kept = (yield* log.offsets({ topic: topics.events, partition: 0 })).start
  const start = yield* markerOf(piece.first)
  if (start === undefined) return yield* broken(missing(piece.first, "its range has no marker for it"))
  const markers = makeCursor(log, { topic: topics.ledgers, partition: 0, offset: start.offset })
  let events: ReturnType<typeof makeCursor> | undefined
  let previous: LedgerMarker | undefined
  let spans: ReadonlyArray<Span> = []
  let dropped: Interval | undefined

  const readEvents = Effect.fnUntraced(function* (marker: LedgerMarker, offset: number) {
    events ??= makeCursor(log, { topic: topics.events, partition: 0, offset })
    for (let place = 0; place < marker.event_count; place++) {
      const record = yield* events.next
      yield* orBroken(eventFault(marker, place, record))
      const value = record?.value ?? ""
      const type = parseLedgerEvent(value)?.event_type ?? ""
      if (!isEventType(type))
        return yield* failed(
          `event ${place + 1} of ledger ${marker.ledger_index} has the type "${type}", which this version does not know; use the version of the service.`
        )
      if (types.has(type)) yield* add(type, value)
    }
  })

  for (let index = piece.first; index <= piece.last; index++) {
    const record = yield* markers.next
    if (record === undefined) return yield* broken(missing(index, "the log ends before it"))
    const marker = yield* markerIn(record)
    yield* orBroken(markerFault(previous, marker))
    previous = marker
    const offset = marker.first_event_offset
    if (offset !== null && offset < kept) {
      dropped = { first: piece.first, last: index }
      spans = []
    } else {
      if (offset !== null) yield* readEvents(marker, offset)
      spans = joinSpan(spans, spanOf(marker))
    }
    yield* onLedger
  }
  return { spans, dropped } satisfies ReadPiece
})
