/**
 * Replayed deliveries of all of a process's actors take turns: some start, one of each webhook that has some, then
 * everything else has the event loop. While nothing live leaves, that is all. Else only a few start at a time, and how long
 * the event loop was kept waiting tells how busy the process is: the next few start after a multiple of it, so that a
 * replay takes what is free and leaves live deliveries their latency.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { StageLimits } from "../config/StageLimits.ts"

const NANOS_PER_MS = 1_000_000

/** Starts one delivery, if one may start now, and asks for another turn if it wants one. */
export type ReplayTurn = () => void

export class ReplayPace extends Context.Service<
  ReplayPace,
  {
    /** The turn will come. */
    readonly ask: (turn: ReplayTurn) => void
    /** A live delivery leaves. */
    readonly live: () => void
  }
>()("ledgerhook/deliver/ReplayPace") {
  static readonly layer = Layer.effect(
    ReplayPace,
    Effect.gen(function* () {
      /** In the order of their turns. */
      const asking = new Set<ReplayTurn>()
      const wanted = Latch.makeUnsafe()
      const clock = yield* Clock.Clock
      const limits = yield* StageLimits
      const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
      let lastLive = Number.NEGATIVE_INFINITY

      /** Returns how many had their turn; when none asks any more, the next one opens the latch. */
      const start = (most: number): number => {
        for (let turns = 0; turns < most; turns++) {
          const turn = asking.values().next().value
          if (turn === undefined) {
            wanted.closeUnsafe()
            return turns
          }
          asking.delete(turn)
          turn()
        }
        return most
      }
      const beside = Effect.gen(function* () {
        const part = start(limits.replayStarts) / limits.replayStarts
        const slept = nowMs()
        yield* Effect.sleep(limits.replayStartsEveryMs)
        const lateMs = Math.max(0, nowMs() - slept - limits.replayStartsEveryMs)
        yield* Effect.sleep(Math.min(limits.replayPauseMs, lateMs * limits.replayYield * part))
      })
      const alone = Effect.suspend(() => {
        start(limits.replayIdleStarts)
        return Effect.yieldNow
      })
      const round = Effect.andThen(
        Latch.await(wanted),
        Effect.suspend(() => (nowMs() - lastLive < limits.replayLiveMs ? beside : alone))
      )
      yield* Effect.forkScoped(Effect.forever(round))

      return ReplayPace.of({
        ask: (turn) => {
          asking.add(turn)
          wanted.openUnsafe()
        },
        live: () => {
          lastLive = nowMs()
        }
      })
    })
  )
}
