/** The open event streams of this process: where each begins, and what its reader gets. OpenStreams bounds them. */
import { Context, Effect, Layer, RcMap, Semaphore } from "effect"
import { NotFound } from "../../../http/Errors.ts"
import { makeTurns } from "../../../http/guard/Turns.ts"
import type { Identity } from "../../../spine/domain/ApiKey.ts"
import type { Includable } from "../../../spine/event/Include.ts"
import { eventsTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { Log } from "../../../spine/log/Log.ts"
import { offsetOfEvent } from "../../../spine/log/ledgers/EventPosition.ts"
import { ForRequest } from "../../../spine/store/ForRequest.ts"
import { type EventTail, makeTail } from "./EventTail.ts"
import { streamEventOf } from "./Frames.ts"
import { StreamLimits } from "./Limits.ts"
import { OpenStreams, type StreamConnection } from "./OpenStreams.ts"
import { type EventFilter, makeStreamReader, type Position } from "./StreamReader.ts"

/** The last event that the reader has seen, if it says one, and the parameter that says it. */
interface LastEvent {
  readonly id: string | undefined
  readonly param: string
}

export class EventStreams extends Context.Service<EventStreams>()("ledgerhook/api/EventStreams", {
  make: Effect.gen(function* () {
    const log = yield* Log
    const limits = yield* StreamLimits
    const streams = yield* OpenStreams
    const tails = yield* RcMap.make({ lookup: makeTail, idleTimeToLive: limits.stalledMs })
    const reads = yield* Semaphore.make(limits.readsAtOnce)
    const accounts = makeTurns(1)

    /**
     * Returns the position after the event with that id. Without an id, it returns the end of the log, which the tail
     * may not know yet.
     */
    const positionOf = Effect.fnUntraced(function* (
      network: Network,
      tail: EventTail,
      { id, param }: LastEvent
    ) {
      if (id === undefined) {
        const last = yield* log.last({ topic: eventsTopic(network), partition: 0 })
        return last === undefined
          ? ({ next: tail.end, id: tail.lastId } satisfies Position)
          : ({ next: last.offset + 1, id: streamEventOf(last)?.eventId ?? tail.lastId } satisfies Position)
      }
      const recent = tail.recent.findLast(({ eventId }) => eventId === id)
      const offset = recent?.offset ?? (yield* offsetOfEvent(log, network, id))
      if (offset !== undefined) return { next: offset + 1, id } satisfies Position
      return yield* NotFound.because(
        `There is no event ${id} in the retained log of ${network}. Without Last-Event-ID a stream begins with the next event. The operator sets how long events are kept: RETENTION_EVENTS.`,
        { param }
      )
    })

    return {
      /** Opens a stream, as `OpenStreams.open` does. */
      open: (options: {
        readonly caller: Identity
        readonly connection: StreamConnection
        readonly filter: EventFilter
        readonly include: ReadonlyArray<Includable>
        readonly last: LastEvent
      }) => {
        const { caller, connection, filter, include, last } = options
        return streams.open({ kind: "event", caller, connection }, (ended) =>
          Effect.gen(function* () {
            const tail = yield* RcMap.get(tails, filter.network)
            const from = yield* positionOf(filter.network, tail, last)
            return yield* makeStreamReader({
              filter,
              include,
              from,
              tail,
              inTurn: (read) =>
                accounts.run(
                  caller.accountId,
                  Effect.provideService(reads.withPermit(read), ForRequest, true)
                ),
              ended
            })
          })
        )
      }
    }
  })
}) {
  static readonly layer = Layer.effect(EventStreams, EventStreams.make).pipe(Layer.provide(OpenStreams.layer))
}
