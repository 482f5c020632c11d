/** How the stages wait for a database or a log that is away: for ever, since nothing may be lost, but not in a hurry. */
import { Effect, Schedule } from "effect"
import { Limits } from "../config/Limits.ts"

export const storeRetrySchedule = Schedule.min([
  Schedule.exponential(Limits.storeRetryMs.first),
  Schedule.spaced(Limits.storeRetryMs.longest)
])

/** Repeats `self` until it succeeds; `what` says in the log what is waiting. Only for what may safely be repeated. */
export const retryUntilSuccess =
  (what: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
    self.pipe(
      Effect.tapError((error) => Effect.logWarning(`${what}: trying again`, error)),
      Effect.retry(storeRetrySchedule),
      Effect.orDie
    )

/** Does `self` again and again, `pauseMs` after it has succeeded. Never ends by itself. */
export const repeatEvery =
  (what: string, pauseMs: number) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<never, never, R> =>
    Effect.forever(Effect.andThen(retryUntilSuccess(what)(self), Effect.sleep(pauseMs)))
