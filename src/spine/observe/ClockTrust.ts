/**
 * What is deleted because of its age is gone for ever, so a wrong wall clock must not decide it. The clock of a machine
 * may be wrong until NTP sets it. It is trusted when it has run as evenly as the monotonic clock for
 * `observeLimits.clockTrustedMs`, counted from the start of the process or from when the clock was last set.
 */

import { Clock, Effect } from "effect"
import { monotonicClock } from "../words/Monotonic.ts"
import { roughly, seconds } from "../words/Words.ts"
import { observeLimits } from "./Limits.ts"
import { repeatEvery } from "./RetryUntilSuccess.ts"
import { showAge } from "./StageAges.ts"

/** The clock counts as set if it moved by more than this against the monotonic clock. */
const SET_MS = 60_000

/** Whether the clock is trusted. It notices that the clock was set when it is asked. `what` waits for that. */
export const makeClockTrust = Effect.fnUntraced(function* (what: string) {
  const clock = yield* Clock.Clock
  const monotonicMs = yield* monotonicClock
  const aheadMs = () => clock.currentTimeMillisUnsafe() - monotonicMs()
  let known = aheadMs()
  let since = monotonicMs()
  return Effect.gen(function* () {
    const now = aheadMs()
    const setBy = now - known
    known = now
    if (Math.abs(setBy) > SET_MS) {
      since = monotonicMs()
      yield* Effect.logWarning(
        `${what} pauses for ${roughly(observeLimits.clockTrustedMs)}: the clock was set by ${seconds(setBy, 0)}`
      )
    }
    return monotonicMs() - since >= observeLimits.clockTrustedMs
  })
})

/** `repeatEvery` for what deletes by age: does nothing while the clock is not trusted. Shows since when it has been due. */
export const deleteEvery =
  (what: string, pauseMs: number) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<never, never, R> =>
    Effect.gen(function* () {
      const isTrusted = yield* makeClockTrust(what)
      const nowMs = yield* monotonicClock
      let dueAt = nowMs()
      yield* showAge("upkeep", () => Math.max(0, nowMs() - dueAt))
      const once = Effect.gen(function* () {
        if (yield* isTrusted) yield* self
        dueAt = nowMs() + pauseMs
      })
      return yield* once.pipe(repeatEvery(what, pauseMs))
    }).pipe(Effect.scoped) as Effect.Effect<never, never, R>
