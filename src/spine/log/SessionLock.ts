/** A named lock that one of the processes that use this database can hold. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../config/Limits.ts"

/** Takes the lock until the scope closes or its connection ends. False if another process holds it. */
export const trySessionLock = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* sql.reserve
  const call = (lock: string) =>
    connection.executeUnprepared(
      `SELECT ${lock}(hashtextextended('ledgerhook.${name}', 0)) AS held`,
      [],
      undefined
    )
  const [row] = yield* call("pg_try_advisory_lock")
  if (row?.["held"] !== true) return false
  // Unlocked explicitly: PostgreSQL notices a closed connection only after a while, and would keep the lock.
  yield* Effect.addFinalizer(() =>
    call("pg_advisory_unlock").pipe(
      Effect.interruptible,
      Effect.timeout(Limits.databaseConnectMs),
      Effect.ignore
    )
  )
  return true
})
