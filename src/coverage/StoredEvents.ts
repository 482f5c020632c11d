/**
 * Reads events by offset for deliveries that are sent from their rows. All users in the process share it. The log is
 * read in pieces of `eventPieceRecords`, and the last `eventPieces` used are cached: webhooks that fell behind
 * together read the same events. If a cached piece lacks an offset, it is read again before the event counts as gone:
 * the last piece of the log grows.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import { type EventPosition, eventTopicOf } from "../domain/Backfill.ts"
import { type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { Log, type LogError } from "../log/Log.ts"

type Events = ReadonlyMap<number, LedgerEvent>

/** A run of `eventPieceRecords` offsets of an events topic. */
interface Piece {
  /** One permit, so that concurrent requests share one read. */
  readonly reading: Semaphore.Semaphore
  events: Events | undefined
}

const keyOf = (topic: string, number: number): string => `${topic} ${number}`

export class StoredEvents extends Context.Service<
  StoredEvents,
  {
    /** Reads the network's events at these positions. An event that the log no longer has is undefined. */
    readonly at: (
      network: Network,
      positions: ReadonlyArray<EventPosition>
    ) => Effect.Effect<(position: EventPosition) => LedgerEvent | undefined, LogError>
  }
>()("ledgerhook/coverage/StoredEvents") {
  static readonly layer = Layer.effect(
    StoredEvents,
    Effect.gen(function* () {
      const { eventPieceRecords, eventPieces } = yield* StageLimits
      const log = yield* Log
      /** Least recently used first. */
      const pieces = new Map<string, Piece>()

      const read = Effect.fnUntraced(function* (topic: string, number: number) {
        const end = (number + 1) * eventPieceRecords
        const events = new Map<number, LedgerEvent>()
        let from = number * eventPieceRecords
        // Offsets may have gaps, so one read may return fewer records than the piece has offsets.
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

      /** From the cache if it has all of `offsets`, otherwise read again. */
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

      return StoredEvents.of({
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
