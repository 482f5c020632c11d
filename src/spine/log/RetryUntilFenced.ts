/**
 * Retries while the log is unavailable. Ends with the error `fence`: another process has taken over. `self` must be safe
 * to run again.
 */
import { Effect } from "effect"
import { storeRetrySchedule } from "../observe/RetryUntilSuccess.ts"
import type { LogError } from "./Log.ts"

/** `onFailure` is called with each failure before it is retried. */
export const retryUntilFenced =
  (onFailure: (error: LogError) => Effect.Effect<void>) =>
  <A, R>(self: Effect.Effect<A, LogError, R>): Effect.Effect<A, LogError, R> =>
    self.pipe(
      Effect.tapError(onFailure),
      Effect.retry({ schedule: storeRetrySchedule, while: ({ operation }) => operation !== "fence" })
    )

/** For a commit of a consumed partition. */
export const retryCommit = retryUntilFenced((error) =>
  error.operation === "fence" ? Effect.void : Effect.logWarning("committing failed; retrying", error)
)
