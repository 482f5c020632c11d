/**
 * Reads events by offset for deliveries that are sent from their rows. All users in the process share it. The log is
 * read in pieces of `eventPieceRecords`, and the last `eventPieces` used are cached: webhooks that fell behind
 * together read the same events. If a cached piece lacks an event, it is read again before the event counts as gone:
 * the last piece of the log grows. At the event's place may be another one, if the topic was deleted and made again.
 */
import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import { type EventPosition, eventTopicOf } from "../../domain/Backfill.ts"
import { type LedgerEvent, parseLedgerEvent } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import { logLimits } from "../Limits.ts"
import { Log, type LogError } from "../Log.ts"

/** A run of `eventPieceRecords` offsets of an events topic: its place among them. */
interface Piece {
  readonly topic: string
  readonly number: number
}

export class StoredEvents extends Context.Service<
  StoredEvents,
  {
    /** Reads these events of the network. One that the log no longer has is undefined. */
    readonly at: (
      network: Network,
      wanted: ReadonlyArray<EventPosition>
    ) => Effect.Effect<(wanted: EventPosition) => LedgerEvent | undefined, LogError>
  }
>()("ledgerhook/coverage/StoredEvents") {
  static readonly layer = Layer.effect(
    StoredEvents,
    Effect.gen(function* () {
      const { eventPieceRecords, eventPieces } = logLimits
      const log = yield* Log

      const read = Effect.fnUntraced(function* ({ number, topic }: Piece) {
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

      const pieces = yield* Cache.makeWith(read, {
        capacity: eventPieces,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero)
      })

      const isAt = (events: ReadonlyMap<number, LedgerEvent>, { eventId, offset }: EventPosition) =>
        events.get(offset)?.event_id === eventId

      /** From the cache if it has all that are wanted, otherwise read again. */
      const eventsOf = (piece: Piece, wanted: ReadonlyArray<EventPosition>) =>
        Effect.andThen(
          Cache.invalidateWhen(pieces, piece, (events) => wanted.some((one) => !isAt(events, one))),
          Cache.get(pieces, piece)
        )

      return StoredEvents.of({
        at: Effect.fnUntraced(function* (network, wanted) {
          const found = new Map<string, ReadonlyMap<number, LedgerEvent>>()
          const topicOf = ({ fromHistory }: EventPosition) => eventTopicOf(network, fromHistory)
          const numberOf = ({ offset }: EventPosition) => Math.floor(offset / eventPieceRecords)
          const keyOf = (position: EventPosition) => `${topicOf(position)} ${numberOf(position)}`
          for (const [key, together] of Map.groupBy(wanted, keyOf)) {
            const piece = { topic: topicOf(together[0]!), number: numberOf(together[0]!) }
            found.set(key, yield* eventsOf(piece, together))
          }
          return (one) => {
            const events = found.get(keyOf(one))
            return events !== undefined && isAt(events, one) ? events.get(one.offset) : undefined
          }
        })
      })
    })
  )
}
