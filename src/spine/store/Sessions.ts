/**
 * The first statement of each connection of a pool. It asks whether the server takes writes: after a failover an address
 * may lead to the old primary for a while, which is a standby now. It also sets what the session needs, because a pooler
 * (PgBouncer) refuses these settings at the start of a connection. One round trip for each new connection.
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"

/** Names and values of settings. Constants of this program: they are written into the statement. */
export type SessionSettings = Readonly<Record<string, string>>

export interface Session {
  /** The server's process. The id that a pooler gives to a connection is its own. */
  readonly pid: number
}

/** SQLSTATE of a write to a standby, or to a server that its operator made read only. */
export const READ_ONLY = "25006"

/** Such an error closes its connection. Whether the statement took effect is unknown. */
export const lost = (message: string, code?: string) => {
  const cause = Object.assign(new Error(message), code === undefined ? {} : { code })
  return new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause,
      message,
      operation: code === undefined ? "query" : "connect"
    })
  })
}

export const standby = () =>
  lost("it is a standby or read only, and takes no writes; it must be the primary", READ_ONLY)

/** Whether PostgreSQL refused a write because the server takes none. */
export const isReadOnly = ({ reason: { cause } }: SqlError.SqlError): boolean =>
  cause instanceof Error && "code" in cause && cause.code === READ_ONLY

/** Whether a connection was refused because its server is a standby. The error may be the cause of another. */
export const isStandby = (error: unknown): error is Error =>
  error instanceof Error &&
  (SqlError.isSqlError(error) ? isReadOnly(error) : error.cause !== error && isStandby(error.cause))

/** `answerMs`: how long the statement may take. Undefined: for ever. */
export const makeSessions = (
  pool: PgPool.PgPool,
  settings: SessionSettings,
  answerMs: number | undefined
) => {
  const sets = Object.entries(settings).map(([name, value]) => `, set_config('${name}', '${value}', false)`)
  const statement = `SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid${sets.join("")}`
  /** With the round in which the connection was last known to work. */
  const known = new WeakMap<
    PgConnection.PgConnection,
    { readonly session: Session; readonly round: number }
  >()
  let round = 0

  const asked = (connection: PgConnection.PgConnection) =>
    Effect.suspend(() => {
      const asking = round
      return Effect.flatMap(connection.query(statement, [], false), ({ rows: [row] }) => {
        if (row?.["standby"] === true) return Effect.fail(standby())
        const session: Session = { pid: Number(row?.["pid"]) }
        known.set(connection, { session, round: asking })
        return Effect.succeed(session)
      })
    })

  return {
    /** The connection's session, if it was opened. A pinned connection must not be passed, only what it is made of. */
    known: (connection: PgConnection.PgConnection): Session | undefined => {
      const found = known.get(connection)
      return found?.round === round ? found.session : undefined
    },
    open: (connection: PgConnection.PgConnection): Effect.Effect<Session, SqlError.SqlError> =>
      (answerMs === undefined
        ? asked(connection)
        : Effect.timeoutOrElse(asked(connection), {
            duration: Math.min(answerMs, Limits.databaseConnectMs),
            orElse: () => Effect.fail(lost("the database did not answer a new connection"))
          })
      ).pipe(Effect.tapError(() => pool.invalidate(connection))),
    /** One connection was lost without a word: each other is asked before its next use. */
    suspectAll: () => {
      round++
    }
  }
}
