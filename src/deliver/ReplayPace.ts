/**
 * Replayed deliveries of all of a process's actors take turns: a few start, one of each webhook that has some, then
 * everything else has the event loop. How long that was kept waiting tells how busy the process is; the next few start
 * after a multiple of it, so that a replay takes what is free and leaves live deliveries their latency.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { Limits } from "../config/Limits.ts"

const NANOS_PER_MS = 1_000_000

/** Starts one delivery, if one may start now; true: it wants another turn. */
export type ReplayTurn = () => boolean

export class ReplayPace extends Context.Service<
  ReplayPace,
  {
    /** The turn will come; asking for one that is coming changes nothing. */
    readonly ask: (turn: ReplayTurn) => void
    readonly forget: (turn: ReplayTurn) => void
  }
>()("ledgerhook/deliver/ReplayPace") {
  static readonly layer = Layer.effect(
    ReplayPace,
    Effect.gen(function* () {
      /** In the order of their turns. */
      const asking = new Set<ReplayTurn>()
      const wanted = Latch.makeUnsafe()

      const some = Effect.sync(() => {
        for (let started = 0; started < Limits.replayStarts; started++) {
          const turn = asking.values().next().value
          if (turn === undefined) return wanted.closeUnsafe()
          asking.delete(turn)
          if (turn()) asking.add(turn)
        }
      })
      const clock = yield* Clock.Clock
      const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
      const round = Effect.gen(function* () {
        yield* Latch.await(wanted)
        yield* some
        const slept = nowMs()
        yield* Effect.sleep(Limits.replayStartsEveryMs)
        const lateMs = Math.max(0, nowMs() - slept - Limits.replayStartsEveryMs)
        yield* Effect.sleep(Math.min(Limits.replayPauseMs, lateMs * Limits.replayYield))
      })
      yield* Effect.forkScoped(Effect.forever(round))

      return ReplayPace.of({
        ask: (turn) => {
          asking.add(turn)
          wanted.openUnsafe()
        },
        forget: (turn) => void asking.delete(turn)
      })
    })
  )
}
