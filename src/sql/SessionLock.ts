/** A lock on something of this database, among all processes that use it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../config/Limits.ts"

/** Held for the life of the scope; false when another process holds it. It lives as long as its connection. */
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
  // The server notices a closed connection only after a while: who takes the lock next must not find it held.
  yield* Effect.addFinalizer(() =>
    call("pg_advisory_unlock").pipe(
      Effect.interruptible,
      Effect.timeout(Limits.databaseConnectMs),
      Effect.ignore
    )
  )
  return true
})
