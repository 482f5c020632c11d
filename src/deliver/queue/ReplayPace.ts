/**
 * When replayed deliveries may start, for all actors of a process. While no live delivery has started for
 * `replayLiveMs`, up to `replayIdleStarts` start in each round of the event loop. Otherwise `replayStarts` start at a
 * time, followed by a pause. The pause is a multiple of how late the event loop was, so replays use only what live
 * deliveries leave free. Webhooks are served round robin: each start is one delivery of one webhook.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { StageLimits } from "../../config/StageLimits.ts"
import { monotonicClock } from "../../domain/Monotonic.ts"

/** Starts one delivery of a webhook if its limits allow, and asks again if the webhook has more. */
export type ReplayStart = () => void

export class ReplayPace extends Context.Service<
  ReplayPace,
  {
    /** `start` is called later, once. */
    readonly ask: (start: ReplayStart) => void
    /** A live delivery has started. */
    readonly liveStarted: () => void
  }
>()("ledgerhook/deliver/ReplayPace") {
  static readonly layer = Layer.effect(
    ReplayPace,
    Effect.gen(function* () {
      /** The webhooks that wait for a start, in the order in which they asked. */
      const asking = new Set<ReplayStart>()
      const wanted = Latch.makeUnsafe()
      const limits = yield* StageLimits
      const nowMs = yield* monotonicClock
      let lastLive = Number.NEGATIVE_INFINITY

      /** Starts up to `most` and returns how many. If none is left, the next `ask` opens the latch. */
      const start = (most: number): number => {
        for (let started = 0; started < most; started++) {
          const next = asking.values().next().value
          if (next === undefined) {
            wanted.closeUnsafe()
            return started
          }
          asking.delete(next)
          next()
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
        ask: (start) => {
          asking.add(start)
          wanted.openUnsafe()
        },
        liveStarted: () => {
          lastLive = nowMs()
        }
      })
    })
  )
}
