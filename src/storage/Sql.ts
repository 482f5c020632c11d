/**
 * The database: DATABASE_URL, or the embedded server. Connected, of a version that will do, and migrated when the layer
 * is there; what stands in the way is one sentence that names the setting and never holds the password.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { start } from "./embedded/EmbeddedPostgres.ts"
import { migrate } from "./Migrations.ts"

export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  message: Schema.String
}) {}

export interface SqlOptions {
  /** What this process is, for whoever finds the embedded store in use: `ledgerhook start`. */
  readonly command: string
  /** A service has the embedded store to itself; a command may share it. */
  readonly owner: boolean
}

const OLDEST_VERSION_NUM = 150_000

const pool = { maxConnections: Limits.databaseConnections, applicationName: "ledgerhook" }

/** Host, port and database: what an operator needs to recognise, without user and password. */
const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`
}

const reasonOf = (error: SqlError.SqlError): string => {
  const cause = error.reason.cause
  if (cause instanceof Error && "code" in cause)
    return `${cause.message || error.message} (${String(cause.code)})`
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}

const checkVersion = (sql: SqlClient.SqlClient, where: string) =>
  Effect.gen(function* () {
    const [row] = yield* sql<{ readonly version: number }>`
      SELECT current_setting('server_version_num')::int AS version`
    const version = row?.version ?? 0
    if (version < OLDEST_VERSION_NUM) {
      return yield* new DatabaseError({
        message: `DATABASE_URL: ${where} is PostgreSQL ${Math.floor(version / 10_000)}; accepted: 15 or later.`
      })
    }
  })

const connectTo = Effect.fnUntraced(function* (url: string) {
  const where = addressOf(url)
  const unusable = (reason: string) => new DatabaseError({ message: `DATABASE_URL: ${where} ${reason}.` })
  return yield* Effect.gen(function* () {
    const client = yield* PgClient.make({ ...pool, url: Redacted.make(url) })
    yield* checkVersion(client, where)
    return client
  }).pipe(
    Effect.timeoutOrElse({
      duration: Limits.databaseConnectMs,
      orElse: () => Effect.fail(unusable("does not answer"))
    }),
    Effect.catchTag("SqlError", (error) => Effect.fail(unusable(`cannot be used: ${reasonOf(error)}`)))
  )
})

const startEmbedded = Effect.fnUntraced(function* (dataDir: string, options: SqlOptions) {
  const { path, username, database } = yield* start({ dataDir, ...options })
  return yield* PgClient.make({ ...pool, path, username, database }).pipe(
    Effect.mapError(
      (error) =>
        new DatabaseError({
          message: `DATA_DIR: the database in ${dataDir} cannot be used: ${reasonOf(error)}.`
        })
    )
  )
})

const connect = Effect.fnUntraced(function* (options: SqlOptions) {
  const { databaseUrl, dataDir } = yield* Settings
  return yield* databaseUrl === undefined ? startEmbedded(dataDir, options) : connectTo(databaseUrl)
})

/** `SqlClient` (and `PgClient`) on the database as it is: for commands that look at it or migrate it. */
export const unmigratedLayer = (options: SqlOptions) => PgClient.layerFrom(connect(options))

/** `SqlClient` (and `PgClient`) on a migrated database. */
export const layer = (options: SqlOptions) =>
  PgClient.layerFrom(
    connect(options).pipe(
      Effect.tap((client) => migrate.pipe(Effect.provideService(SqlClient.SqlClient, client)))
    )
  )
