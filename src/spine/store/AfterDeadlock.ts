/** Options of `Effect.retry` for a statement whose rows other statements, such as the recorder's, lock in another order. */
import type { SqlError } from "effect/sql"

export const afterDeadlock = {
  times: 3,
  while: (error: SqlError.SqlError) => error.reason._tag === "DeadlockError"
} as const
