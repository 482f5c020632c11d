/**
 * The database: DATABASE_URL, or the embedded server. Connected, of a version that will do, and migrated when the layer
 * is there; what stands in the way is one sentence that names the setting and never holds the password. Two pools:
 * `SqlClient` for everything, and `ReadSql` for what the API looks up, which has no connection while nobody asks.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
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

/**
 * Rows are looked up by keys, some hundred at a time. A plan is kept that was made while a table was empty, and then reads
 * it whole for each of them until PostgreSQL has counted it: a new store was a hundred times as slow for its first minute.
 */
const byIndex = {
  enable_seqscan: "off",
  // What such settings add to a plan's cost would have PostgreSQL before 18 compile it.
  jit: "off"
}

/** Of the pool that reads and writes. */
export const pool = {
  maxConnections: Limits.databaseConnections,
  applicationName: "ledgerhook",
  // It would read the whole of an index, in the order of the few that are looked up.
  startupParameters: { ...byIndex, enable_mergejoin: "off" }
}

const readPool = {
  maxConnections: Limits.databaseReadConnections,
  // Lookups that come together share a message to the server, and each message a system call there and here.
  multiplex: true,
  multiplexConcurrency: Limits.databaseReadsPerConnection,
  applicationName: "ledgerhook read",
  startupParameters: {
    plan_cache_mode: "force_generic_plan",
    // Each of them is written for the order of an index. Of a partition that is new, and of which PostgreSQL knows nothing
    // yet, it would otherwise sort all rows for the first few.
    enable_bitmapscan: "off",
    ...byIndex,
    // It takes a range of an index for a large part of it, and starting helpers takes ten times what reading it does.
    max_parallel_workers_per_gather: "0",
    default_transaction_read_only: "on",
    statement_timeout: String(Limits.databaseReadMs)
  }
}

/**
 * The same database, for statements that only read and whose plan is good whatever their values. Planning for a month of
 * partitions takes far longer than running: a session here plans a statement once. For all sessions, writing deliveries
 * cost the database ten times as much.
 */
export class ReadSql extends Context.Service<ReadSql, SqlClient.SqlClient>()("ledgerhook/storage/ReadSql") {
  static readonly layer = Layer.effect(
    ReadSql,
    Effect.flatMap(PgClient.PgClient, ({ config }) => PgClient.make({ ...config, ...readPool }))
  ).pipe(Layer.provide(Reactivity.layer))
}

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

/** `SqlClient` (and `PgClient`) and `ReadSql` on a migrated database. */
export const layer = (options: SqlOptions) =>
  Layer.provideMerge(
    ReadSql.layer,
    PgClient.layerFrom(
      connect(options).pipe(
        Effect.tap((client) => migrate.pipe(Effect.provideService(SqlClient.SqlClient, client)))
      )
    )
  )
