/**
 * Events by their offsets, for deliveries that wait in PostgreSQL, all of a process's. They are read in pieces, and those
 * used last are kept: webhooks that fell behind together page through the same events, which then are read and in memory
 * once. What a kept piece lacks is read again before it counts as gone, since a piece at the log's end still grows.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import { type EventPosition, eventTopicOf } from "../domain/History.ts"
import { type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { EventLog, type EventLogError } from "../log/EventLog.ts"

type Events = ReadonlyMap<number, LedgerEvent>

/** A piece's events by their offsets in the topic. */
interface Piece {
  /** Who wants it while it is read waits for that. */
  readonly reading: Semaphore.Semaphore
  events: Events | undefined
}

const keyOf = (topic: string, number: number): string => `${topic} ${number}`

export class BacklogEvents extends Context.Service<
  BacklogEvents,
  {
    /** Finds the network's events at these positions; one that is not retained is undefined. */
    readonly at: (
      network: Network,
      positions: ReadonlyArray<EventPosition>
    ) => Effect.Effect<(position: EventPosition) => LedgerEvent | undefined, EventLogError>
  }
>()("ledgerhook/deliver/BacklogEvents") {
  static readonly layer = Layer.effect(
    BacklogEvents,
    Effect.gen(function* () {
      const { eventPieceRecords, eventPieces } = yield* StageLimits
      const log = yield* EventLog
      /** The last used are last. */
      const pieces = new Map<string, Piece>()

      const read = Effect.fnUntraced(function* (topic: string, number: number) {
        const end = (number + 1) * eventPieceRecords
        const events = new Map<number, LedgerEvent>()
        let from = number * eventPieceRecords
        // Offsets may have gaps.
        while (from < end) {
          const records = yield* log.read({ topic, partition: 0, offset: from }, end - from)
          const last = records.at(-1)
          if (last === undefined) break
          for (const { offset, value } of records) {
            const event = offset < end ? parseLedgerEvent(value) : undefined
            if (event !== undefined) events.set(offset, event)
          }
          from = last.offset + 1
        }
        return events
      })

      const pieceOf = (key: string): Piece => {
        const piece = pieces.get(key) ?? { reading: Semaphore.makeUnsafe(1), events: undefined }
        pieces.delete(key)
        pieces.set(key, piece)
        const [oldest] = pieces.keys()
        if (pieces.size > eventPieces && oldest !== undefined) pieces.delete(oldest)
        return piece
      }

      /** The piece's events: as kept, if they hold all of `offsets`. */
      const eventsOf = (topic: string, number: number, offsets: ReadonlyArray<number>) => {
        const piece = pieceOf(keyOf(topic, number))
        return piece.reading.withPermits(1)(
          Effect.gen(function* () {
            const { events } = piece
            if (events !== undefined && offsets.every((offset) => events.has(offset))) return events
            const fresh = yield* read(topic, number)
            piece.events = fresh
            return fresh
          })
        )
      }

      return BacklogEvents.of({
        at: Effect.fnUntraced(function* (network, positions) {
          const locate = (position: EventPosition) => {
            const topic = eventTopicOf(network, position.fromHistory)
            const number = Math.floor(position.offset / eventPieceRecords)
            return { topic, number, offset: position.offset, key: keyOf(topic, number) }
          }
          const found = new Map<string, Events>()
          for (const [key, together] of Map.groupBy(positions.map(locate), (place) => place.key)) {
            const { topic, number } = together[0]!
            const offsets = together.map(({ offset }) => offset)
            found.set(key, yield* eventsOf(topic, number, offsets))
          }
          return (position: EventPosition) => {
            const { key, offset } = locate(position)
            return found.get(key)?.get(offset)
          }
        })
      })
    })
  )
}
