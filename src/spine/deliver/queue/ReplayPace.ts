/**
 * When replayed deliveries may start, for all actors of a process. While no live delivery has started for 10 s, up to
 * 32 start in each round of the event loop. Otherwise 4 start at a time, followed by a pause of twice as long as the
 * event loop was late, so replays use only what live deliveries leave free. Webhooks are served round robin: each start
 * is one delivery of one webhook.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { monotonicClock } from "../../words/Monotonic.ts"

/** Live deliveries count as being sent for this long after the last one. They come with ledgers, every 3 to 5 s. */
export const LIVE_MS = 10_000
export const STARTS_ALONE = 32
export const STARTS_BESIDE_LIVE = 4
/** The time between such starts while the event loop is not late. */
export const EVERY_MS = 2
const LATENESS_PAUSED = 2
const LONGEST_PAUSE_MS = 100

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
        const part = start(STARTS_BESIDE_LIVE) / STARTS_BESIDE_LIVE
        const slept = nowMs()
        yield* Effect.sleep(EVERY_MS)
        const lateMs = Math.max(0, nowMs() - slept - EVERY_MS)
        yield* Effect.sleep(Math.min(LONGEST_PAUSE_MS, lateMs * LATENESS_PAUSED * part))
      })
      const alone = Effect.suspend(() => {
        start(STARTS_ALONE)
        return Effect.yieldNow
      })
      const round = Effect.andThen(
        Latch.await(wanted),
        Effect.suspend(() => (nowMs() - lastLive < LIVE_MS ? beside : alone))
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
