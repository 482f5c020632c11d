/**
 * What becomes of failures below the API: a database or log that is away is `UNAVAILABLE`, and the caller may try again;
 * any other failure of theirs is a mistake of this program, and a defect.
 */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { EventLogError } from "../log/EventLog.ts"
import { type Unavailable, unavailable } from "./Errors.ts"

/** PostgreSQL's classes "operator intervention" (it stops or starts) and "insufficient resources". */
const AWAY_STATES = /^(?:57P|53)/

const isUnavailable = (error: SqlError.SqlError): boolean => {
  const { cause, operation } = error.reason
  if (error.isRetryable || operation === "connect") return true
  return cause instanceof Error && "code" in cause && AWAY_STATES.test(String(cause.code))
}

type StoreError = SqlError.SqlError | EventLogError

const isStoreError = (error: unknown): error is StoreError =>
  error instanceof EventLogError || error instanceof SqlError.SqlError

/** One line: an outage fails every request, and a stack for each would bury what matters. */
const describe = (error: StoreError): string => {
  const { what, cause } =
    error instanceof EventLogError
      ? { what: `the log is away (${error.operation} ${error.topic})`, cause: error.cause }
      : { what: "the database is away", cause: error.reason.cause }
  return `${what}: ${cause instanceof Error ? cause.message : String(cause)}`
}

export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, StoreError> | Unavailable, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, StoreError> | Unavailable> => {
    // What is no store's error is in E without them; the compiler does not narrow a type parameter.
    if (!isStoreError(error)) return Effect.fail(error as Exclude<E, StoreError>)
    if (error instanceof SqlError.SqlError && !isUnavailable(error)) return Effect.die(error)
    return Effect.andThen(Effect.logWarning(describe(error)), Effect.fail(unavailable()))
  })
