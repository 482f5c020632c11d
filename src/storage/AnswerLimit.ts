/**
 * Bounds how long a statement of the service waits for its answer. A database or a pooler may stay alive, so that its
 * connection holds, and never answer: the stage would wait for ever. After some checks the connection is closed, and
 * its statements fail as if the connection was lost: whether they took effect is unknown. Waiting for a free connection
 * of the pool does not count. A frozen process does not check, so it still takes answers that came meanwhile.
 */
import { Effect, type Scope } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/** `Limits` has those of a service. */
export interface AnswerLimits {
  readonly databaseAnswerCheckMs: number
  readonly databaseAnswerChecks: number
}

/** The driver's session. `fatal` closes it and fails its statements. It is internal; AnswerLimit.test.ts checks it. */
interface Session {
  readonly fatal: (error: SqlError.SqlError) => void
}

/** A connection as the pool lends it. That of a transaction has its session one level deeper. */
interface Lent {
  readonly connection: Session | { readonly base: Session }
}

interface Waiting {
  readonly session: Session
  checks: number
}

export interface AnswerLimit {
  /** Runs one statement on that connection. */
  readonly statement: <A, E, R>(
    connection: SqlConnection.Connection,
    self: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** The client's `withTransaction`, also for the statements that begin and end a transaction. */
  readonly transaction: (client: SqlClient.SqlClient) => SqlClient.SqlClient["withTransaction"]
}

const noAnswer = () => {
  const message = "the database did not answer a statement; the connection was closed"
  return new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" })
  })
}

const sessionOf = (connection: SqlConnection.Connection): Session => {
  // The driver's connections have this field; their type does not show it.
  const { connection: session } = connection as unknown as Lent
  return "base" in session ? session.base : session
}

/** What the driver checks too: PostgreSQL answers `ROLLBACK` if the transaction had failed. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as { readonly command: string }).command !== "ROLLBACK") return Effect.void
    const message = "COMMIT rolled back a transaction that had failed"
    return Effect.fail(
      new SqlError.SqlError({
        reason: new SqlError.UnknownError({ cause: new Error(message), message, operation: "commit" })
      })
    )
  })

export const makeAnswerLimit = ({
  databaseAnswerCheckMs,
  databaseAnswerChecks
}: AnswerLimits): Effect.Effect<AnswerLimit, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = new Set<Waiting>()

    const check = Effect.suspend(() => {
      const silent = new Set<Session>()
      for (const one of waiting) if (++one.checks > databaseAnswerChecks) silent.add(one.session)
      for (const session of silent) session.fatal(noAnswer())
      return silent.size === 0
        ? Effect.void
        : Effect.logWarning(
            `the database did not answer within ${databaseAnswerChecks * databaseAnswerCheckMs} ms; closed ${silent.size} connections`
          )
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(databaseAnswerCheckMs), check)))

    const statement: AnswerLimit["statement"] = (connection, self) =>
      Effect.suspend(() => {
        const one: Waiting = { session: sessionOf(connection), checks: 0 }
        waiting.add(one)
        return Effect.ensuring(
          self,
          Effect.sync(() => waiting.delete(one))
        )
      })

    const transaction: AnswerLimit["transaction"] = (client) => {
      const run = (connection: SqlConnection.Connection, sql: string) =>
        Effect.asVoid(statement(connection, connection.execute(sql, [], undefined)))
      // A closed connection has ended its transaction, and the next statement or the commit fails.
      const unlessClosed = (connection: SqlConnection.Connection, sql: string) =>
        Effect.catchIf(
          run(connection, sql),
          ({ reason }) => reason._tag === "ConnectionError",
          () => Effect.void
        )
      return SqlClient.makeWithTransaction({
        transactionService: client.transactionService,
        spanAttributes: [["db.system.name", "postgresql"]],
        acquireConnection: (restore) => restore(client.reserve),
        begin: (connection, begin = "BEGIN") => run(connection, begin),
        savepoint: (connection, id) => run(connection, `SAVEPOINT effect_sql_${id}`),
        releaseSavepoint: (connection, id) => unlessClosed(connection, `RELEASE SAVEPOINT effect_sql_${id}`),
        commit: (connection) => statement(connection, commit(connection)),
        rollback: (connection) => unlessClosed(connection, "ROLLBACK"),
        rollbackSavepoint: (connection, id) =>
          unlessClosed(connection, `ROLLBACK TO SAVEPOINT effect_sql_${id}`)
      })
    }
    return { statement, transaction }
  })
