/**
 * Retries an export that runs until it is stopped: while Kafka, PostgreSQL or the storage is away, up to
 * `exportLimits.retries` times in a row. What an operator must change ends it at once.
 */

import { Effect } from "effect"
import { errorText } from "../../spine/observe/Logging.ts"
import { seconds } from "../../spine/words/Words.ts"
import { CommandFailed, WrongSettings, WrongUsage } from "../../terminal/Failure.ts"
import { printError } from "../../terminal/Output.ts"
import { TargetError } from "./ExportTarget.ts"
import { exportLimits } from "./Limits.ts"

const mayPass = (error: unknown): boolean =>
  error instanceof TargetError
    ? error.mayPass
    : !(error instanceof CommandFailed || error instanceof WrongUsage || error instanceof WrongSettings)

/** Each attempt opens everything anew. It runs `succeeded` whenever all is well. */
export const retried = <E, R>(
  attempt: (succeeded: Effect.Effect<void>) => Effect.Effect<never, E, R>
): Effect.Effect<never, E, R> => {
  let failures = 0
  const succeeded = Effect.sync(() => {
    failures = 0
  })
  const { firstRetryMs, longestRetryMs, retries } = exportLimits
  const once = attempt(succeeded).pipe(
    Effect.catch((error) => {
      if (!mayPass(error) || ++failures > retries) return Effect.fail(error)
      const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1))
      const text = errorText(error).replace(/\.$/, "")
      return Effect.andThen(
        printError(`ledgerhook: ${text}; trying again in ${seconds(waitMs)}.`),
        Effect.sleep(waitMs)
      )
    })
  )
  return Effect.forever(once)
}
