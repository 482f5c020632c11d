/**
 * Maps errors of the database and the log to API errors. If either cannot be reached, the caller gets `UNAVAILABLE`
 * and may try again. Any other error of the database or the log is a bug in this program and becomes a defect.
 */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { LogError } from "../spine/log/Log.ts"
import { type Unavailable, unavailable } from "./Errors.ts"

/** SQLSTATE classes 57P (the server stops or starts) and 53 (insufficient resources). */
const AWAY_STATES = /^(?:57P|53)/

const isUnavailable = (error: SqlError.SqlError): boolean => {
  const { cause, operation } = error.reason
  if (error.isRetryable || operation === "connect") return true
  return cause instanceof Error && "code" in cause && AWAY_STATES.test(String(cause.code))
}

type StoreError = SqlError.SqlError | LogError

const isStoreError = (error: unknown): error is StoreError =>
  error instanceof LogError || error instanceof SqlError.SqlError

/** One line: an outage fails every request, and a stack trace for each would hide everything else. */
const describe = (error: StoreError): string => {
  const { what, cause } =
    error instanceof LogError
      ? { what: `the log cannot be reached (${error.operation} ${error.topic})`, cause: error.cause }
      : { what: "the database cannot be reached", cause: error.reason.cause }
  return `${what}: ${cause instanceof Error ? cause.message : String(cause)}`
}

export const orUnavailable = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, StoreError> | Unavailable, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, StoreError> | Unavailable> => {
    // The compiler does not narrow a type parameter.
    if (!isStoreError(error)) return Effect.fail(error as Exclude<E, StoreError>)
    if (error instanceof SqlError.SqlError && !isUnavailable(error)) return Effect.die(error)
    return Effect.andThen(Effect.logWarning(describe(error)), Effect.fail(unavailable()))
  })
