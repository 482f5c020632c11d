/**
 * The open streams of this process, of events and of ledgers. It limits the number of streams, for each account and in
 * total: of the second half of the places, each account gets one, so no few accounts take all. It ends a stream when its key or session may no longer be used, when its reader is too slow, or when the server
 * stops. The last event of a stream says why it ends. If the reader reads nothing, the service closes the connection
 * without a last event.
 */
import { Clock, Context, Deferred, Effect, Layer, Option } from "effect"
import { StreamLimitReached, Unavailable } from "../../../http/Errors.ts"
import { connectionLimits } from "../../../http/guard/Connections.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import type { Identity } from "../../../spine/domain/ApiKey.ts"
import { OwnOpenFiles } from "../../../spine/observe/OpenFiles.ts"
import { monotonicNow } from "../../../spine/words/Monotonic.ts"
import { seconds } from "../../../spine/words/Words.ts"
import { ApiKeyStore } from "../../accounts/ApiKeyStore.ts"
import type { Ending } from "./Frames.ts"
import { StreamLimits } from "./Limits.ts"
import { StreamMetrics } from "./Metrics.ts"

/** An ended stream has this long to send its last event. Then its connection is closed. */
const ENDING_MS = 2_000

/** The part of a connection (`PacedConnection`) that a stream uses. */
export interface StreamConnection {
  endStream: (() => void) | undefined
  readonly destroy: () => void
}

/** An account may have `StreamLimits.perAccount` of each. */
export type StreamKind = "event" | "ledger"

export interface StreamRequest {
  readonly kind: StreamKind
  readonly caller: Identity
  readonly connection: StreamConnection
}

/** Its times are of the monotonic clock. */
interface OpenStream extends StreamRequest {
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

/** The next piece of a stream; undefined at its end. */
export interface Pieces<E> {
  readonly piece: Effect.Effect<string | undefined, E>
  /** Why the stream ended, if its reader found the reason. */
  readonly endedBecause: () => Ending | undefined
}

export class OpenStreams extends Context.Service<OpenStreams>()("ledgerhook/api/OpenStreams", {
  make: Effect.gen(function* () {
    const keys = yield* ApiKeyStore
    const limits = yield* StreamLimits
    // With few open files there are fewer connections, and a new caller must still get one.
    const inAll = Math.min(limits.inAll, Math.floor(connectionLimits(yield* OwnOpenFiles).api / 4))
    const open = new Set<OpenStream>()

    const end = (stream: OpenStream, ending: Ending) => {
      stream.told ??= ending
      Deferred.doneUnsafe(stream.ended, Effect.succeed(ending))
    }

    const closeStalled = Effect.fnUntraced(function* (nowMs: number) {
      for (const stream of open) {
        const { caller, connection, handedAt, kind, told } = stream
        if (told !== undefined) stream.endedAt ??= nowMs
        const isStalled = handedAt !== undefined && nowMs - handedAt > limits.stalledMs
        if (isStalled) {
          stream.told = "stalled"
          yield* Effect.logWarning(
            `closed one of the ${kind} streams of the account ${caller.accountId}: its reader took nothing for ${seconds(limits.stalledMs)}`
          )
        }
        const isEnding = stream.endedAt !== undefined && nowMs - stream.endedAt > ENDING_MS
        if (isStalled || isEnding) connection.destroy()
      }
    })

    const checkKeys = Effect.fnUntraced(function* (nowMs: number) {
      const credentials = new Set(Array.from(open, ({ caller }) => caller.admittedBy))
      const usable = yield* keys
        .usable([...credentials], yield* Clock.currentTimeMillis)
        .pipe(Effect.timeout(Limits.readyCheckMs), Effect.option)
      for (const stream of open) {
        const { admittedBy } = stream.caller
        // A stream that was opened since has just been admitted.
        if (!credentials.has(admittedBy)) continue
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

    const register = Effect.fnUntraced(function* ({ caller, connection, kind }: StreamRequest) {
      const nowMs = yield* monotonicNow
      if (open.size >= inAll) {
        return yield* Unavailable.because(
          `This server has ${inAll} streams open, and can have no more. Try again.`
        )
      }
      const ofAccount = Array.from(open).filter((one) => one.caller.accountId === caller.accountId)
      const own = ofAccount.filter((one) => one.kind === kind)
      if (own.length >= limits.perAccount) {
        return yield* StreamLimitReached.because(
          `This account has ${limits.perAccount} ${kind} streams open on this server, and may have no more; end one first.`
        )
      }
      if (open.size >= inAll / 2 && ofAccount.length > 0) {
        return yield* StreamLimitReached.because(
          `Half of the ${inAll} streams that this server can have are open, so an account may open one only; end one first, or try again later.`
        )
      }
      const stream: OpenStream = {
        kind,
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
        return StreamMetrics.streamsEnded.add({ reason: stream.told ?? stream.endedBecause() ?? "reader" }, 1)
      })

    return {
      /**
       * Opens a stream until the scope closes. `pieces` gets what completes when the service ends the stream. Run the
       * result to get the next piece; undefined means that the stream has ended.
       */
      open: Effect.fnUntraced(function* <E, E2, R>(
        request: StreamRequest,
        pieces: (ended: Deferred.Deferred<Ending>) => Effect.Effect<Pieces<E>, E2, R>
      ) {
        const stream = yield* Effect.acquireRelease(register(request), forget)
        const { endedBecause, piece } = yield* pieces(stream.ended)
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
  static readonly layer = Layer.effect(OpenStreams, OpenStreams.make)
}
