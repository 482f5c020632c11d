/**
 * Retries without a limit while the database or the log is unavailable: a stage must not skip its input. What fails for
 * long is shown (Troubles.ts).
 */
import { Effect, Schedule } from "effect"
import { Limits } from "../config/Limits.ts"
import { printable } from "../words/Printable.ts"
import { errorText } from "./Logging.ts"
import { asTask, noTrouble, noteTrouble } from "./Troubles.ts"

export const storeRetrySchedule = Schedule.min([
  Schedule.exponential(Limits.storeRetryMs.first),
  Schedule.spaced(Limits.storeRetryMs.longest)
])

/** Retries `self` until it succeeds, and logs `what` with each failure. `self` must be safe to run again. */
export const retryUntilSuccess =
  (what: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
    Effect.suspend(() => {
      const run = {}
      return self.pipe(
        Effect.tapError((error) =>
          Effect.andThen(
            Effect.logWarning(`${what} failed; retrying`, error),
            noteTrouble(run, what, printable(errorText(error), Limits.errorLength))
          )
        ),
        Effect.retry(storeRetrySchedule),
        Effect.orDie,
        Effect.ensuring(noTrouble(run))
      )
    })

/**
 * Runs `self` again `pauseMs` after each success, without end, as a part of its own: `upkeep.<what>`. A failure is retried
 * as above, and a defect too: it would end the tasks that run beside this one.
 */
export const repeatEvery =
  (what: string, pauseMs: number) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<never, never, R> =>
    self.pipe(
      Effect.catchDefect((defect) => Effect.fail(defect)),
      retryUntilSuccess(what),
      Effect.andThen(Effect.sleep(pauseMs)),
      Effect.forever,
      asTask(what)
    )
