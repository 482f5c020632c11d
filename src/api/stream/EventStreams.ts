/**
 * The open event streams of this process. It limits the number of streams, for each account and in total. It ends a
 * stream when its key or session may no longer be used, when its reader is too slow, or when the server stops. The last event of
 * a stream says why it ends. If the reader reads nothing, the service closes the connection without a last event.
 */
import { Clock, Context, Deferred, Effect, Layer, Option, RcMap, Semaphore } from "effect"
import { Limits } from "../../config/Limits.ts"
import { StreamLimits } from "../../config/StreamLimits.ts"
import { offsetOfEvent } from "../../coverage/EventPosition.ts"
import type { Identity } from "../../domain/ApiKey.ts"
import type { Includable } from "../../domain/Include.ts"
import { eventsTopic } from "../../domain/LedgerEvent.ts"
import { monotonicNow } from "../../domain/Monotonic.ts"
import type { Network } from "../../domain/Network.ts"
import { Log } from "../../log/Log.ts"
import { Metrics } from "../../observability/Metrics.ts"
import { ApiKeyStore } from "../../storage/accounts/ApiKeyStore.ts"
import { ForRequest } from "../../storage/ForRequest.ts"
import { NotFound, StreamLimitReached, Unavailable } from "../Errors.ts"
import { makeTurns } from "../Turns.ts"
import { type EventTail, makeTail } from "./EventTail.ts"
import { type Ending, streamEventOf } from "./Frames.ts"
import { type EventFilter, makeStreamReader, type Position } from "./StreamReader.ts"

/** An ended stream has this long to send its last event. Then its connection is closed. */
const ENDING_MS = 2_000

/** The part of a connection (`PacedConnection`) that a stream uses. */
export interface StreamConnection {
  endStream: (() => void) | undefined
  readonly destroy: () => void
}

/** The last event that the reader has seen, if it says one, and the parameter that says it. */
interface LastEvent {
  readonly id: string | undefined
  readonly param: string
}

/** Its times are of the monotonic clock. */
interface OpenStream {
  readonly caller: Identity
  readonly connection: StreamConnection
  readonly ended: Deferred.Deferred<Ending>
  /** When the stream made the piece that its reader has not taken yet. */
  handedAt: number | undefined
  /** When it was first seen to be ending. */
  endedAt: number | undefined
  /** When its key or session was last found to be usable. */
  checkedAt: number
  /**
   * Why the service ends the stream, if it does. `endedBecause` returns the reason that the stream's reader has
   * found.
   */
  told: Ending | "stalled" | undefined
  endedBecause: () => Ending | undefined
}

export class EventStreams extends Context.Service<EventStreams>()("ledgerhook/api/EventStreams", {
  make: Effect.gen(function* () {
    const log = yield* Log
    const keys = yield* ApiKeyStore
    const limits = yield* StreamLimits
    const tails = yield* RcMap.make({ lookup: makeTail, idleTimeToLive: limits.stalledMs })
    const reads = yield* Semaphore.make(limits.readsAtOnce)
    const accounts = makeTurns(1)
    const open = new Set<OpenStream>()

    const end = (stream: OpenStream, ending: Ending) => {
      stream.told ??= ending
      Deferred.doneUnsafe(stream.ended, Effect.succeed(ending))
    }

    const closeStalled = Effect.fnUntraced(function* (nowMs: number) {
      for (const stream of open) {
        const { caller, connection, handedAt, told } = stream
        if (told !== undefined) stream.endedAt ??= nowMs
        const isStalled = handedAt !== undefined && nowMs - handedAt > limits.stalledMs
        if (isStalled) {
          stream.told = "stalled"
          yield* Effect.logWarning(
            `closed an event stream of the account ${caller.accountId}: its reader took nothing for ${limits.stalledMs / 1_000} s`
          )
        }
        const isEnding = stream.endedAt !== undefined && nowMs - stream.endedAt > ENDING_MS
        if (isStalled || isEnding) connection.destroy()
      }
    })

    const checkKeys = Effect.fnUntraced(function* (nowMs: number) {
      const hashes = new Set(Array.from(open, ({ caller }) => caller.admittedBy))
      const usable = yield* keys
        .usable([...hashes], yield* Clock.currentTimeMillis)
        .pipe(Effect.timeout(Limits.readyCheckMs), Effect.option)
      for (const stream of open) {
        const { admittedBy } = stream.caller
        // A stream that was opened since has just been admitted.
        if (!hashes.has(admittedBy)) continue
        if (Option.isSome(usable) && usable.value.has(admittedBy)) stream.checkedAt = nowMs
        else if (Option.isSome(usable)) end(stream, "key")
        else if (nowMs - stream.checkedAt > limits.stalledMs) end(stream, "unchecked")
      }
    })

    yield* Effect.gen(function* () {
      yield* Effect.sleep(limits.checkMs)
      if (open.size === 0) return
      const nowMs = yield* monotonicNow
      yield* closeStalled(nowMs)
      yield* checkKeys(nowMs)
    }).pipe(Effect.forever, Effect.forkScoped)

    const register = Effect.fnUntraced(function* (caller: Identity, connection: StreamConnection) {
      const nowMs = yield* monotonicNow
      if (open.size >= limits.inAll) {
        return yield* Unavailable.because(
          `This server has ${limits.inAll} event streams open, and can have no more. Try again.`
        )
      }
      const own = Array.from(open).filter((one) => one.caller.accountId === caller.accountId)
      if (own.length >= limits.perAccount) {
        return yield* StreamLimitReached.because(
          `This account has ${limits.perAccount} event streams open on this server, and may have no more; end one first.`
        )
      }
      const stream: OpenStream = {
        caller,
        connection,
        ended: Deferred.makeUnsafe(),
        handedAt: undefined,
        endedAt: undefined,
        checkedAt: nowMs,
        told: undefined,
        endedBecause: () => undefined
      }
      open.add(stream)
      connection.endStream = () => {
        // A last event would wait behind the data that the client does not read.
        if (stream.handedAt !== undefined) connection.destroy()
        end(stream, "stop")
      }
      return stream
    })

    const forget = (stream: OpenStream) =>
      Effect.suspend(() => {
        open.delete(stream)
        stream.connection.endStream = undefined
        return Metrics.streamsEnded.add({ reason: stream.told ?? stream.endedBecause() ?? "reader" }, 1)
      })

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
      /**
       * Opens a stream until the scope closes. Run the result to get the next piece; undefined means that the stream
       * has ended.
       */
      open: Effect.fnUntraced(function* (options: {
        readonly caller: Identity
        readonly connection: StreamConnection
        readonly filter: EventFilter
        readonly include: ReadonlyArray<Includable>
        readonly last: LastEvent
      }) {
        const { caller, connection, filter, include, last } = options
        const stream = yield* Effect.acquireRelease(register(caller, connection), forget)
        const tail = yield* RcMap.get(tails, filter.network)
        const from = yield* positionOf(filter.network, tail, last)
        const { endedBecause, piece } = yield* makeStreamReader({
          filter,
          include,
          from,
          tail,
          inTurn: (read) =>
            accounts.run(caller.accountId, Effect.provideService(reads.withPermit(read), ForRequest, true)),
          ended: stream.ended
        })
        stream.endedBecause = endedBecause
        return Effect.gen(function* () {
          stream.handedAt = undefined
          const text = yield* piece
          stream.handedAt = yield* monotonicNow
          return text
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(EventStreams, EventStreams.make)
}
