/**
 * Connects to the database: DATABASE_URL, or the embedded server. The layer checks the version and migrates. An error
 * is one sentence that names the setting and never contains the password. There are two pools: `SqlClient` for
 * everything, and `ReadSql` for the API's lookups, which opens no connection while nobody calls.
 */

import { hostname } from "node:os"
import { PgClient, type PgConnection } from "@effect/sql-pg"
import { Cause, Context, Effect, Layer, Redacted, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { roles } from "../config/Definitions.ts"
import { Limits } from "../config/Limits.ts"
import { errorText } from "../observe/Logging.ts"
import { tlsOf } from "./DatabaseTls.ts"
import { DatabaseTrouble } from "./DatabaseTrouble.ts"
import { addressOf, databaseUrlFault } from "./DatabaseUrl.ts"
import { start } from "./embedded/EmbeddedPostgres.ts"
import { storeLimits } from "./Limits.ts"
import { migrate } from "./Migrations.ts"
import { standby } from "./Sessions.ts"
import * as SqlPool from "./SqlPool.ts"

export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export interface SqlOptions {
  /** Shown to another process that finds the embedded database in use: `ledgerhook start`. */
  readonly command: string
  /** A service is the only user of the embedded database; commands may share it. */
  readonly owner: boolean
  /** For a service: a statement that gets no answer for a minute fails. A command's statement may take longer. */
  readonly answerLimit?: boolean
  /** For a command that only reads: it may use a standby. */
  readonly mayBeStandby?: boolean
  /** For the restore of a backup: it may use a DATA_DIR that is not complete yet. */
  readonly restoring?: boolean
}

const OLDEST_VERSION_NUM = 150_000

/** How sessions plan. No kind of plan is switched off. */
const planning = {
  // Statements look rows up by key, in tables on SSDs or in memory. PostgreSQL's default is for disks that turn.
  random_page_cost: "1.1",
  // Compiling a plan takes longer than running it.
  jit: "off"
}

export const pool = { maxConnections: storeLimits.databaseConnections }

export const readPool = {
  maxConnections: storeLimits.databaseReadConnections,
  // Concurrent lookups share one message to the server, which saves system calls on both sides.
  multiplex: true,
  multiplexConcurrency: storeLimits.databaseReadsPerConnection,
  applicationName: "ledgerhook read"
}

export const sessionSettings = {
  main: planning,
  read: {
    plan_cache_mode: "force_generic_plan",
    ...planning,
    // PostgreSQL overestimates a range of an index, and starting workers takes ten times as long as reading it.
    max_parallel_workers_per_gather: "0",
    default_transaction_read_only: "on",
    statement_timeout: String(storeLimits.databaseReadMs)
  }
}

/**
 * The same database, for reading statements whose plan suits all values. Planning over a month of partitions takes
 * far longer than running, so these sessions plan a statement once (`force_generic_plan`). Other sessions do not use
 * this setting: writing deliveries with it cost the database ten times as much.
 */
export class ReadSql extends Context.Service<ReadSql, SqlClient.SqlClient>()("ledgerhook/storage/ReadSql") {
  static readonly layer = Layer.effect(
    ReadSql,
    Effect.flatMap(PgClient.PgClient, ({ config }) =>
      SqlPool.make(
        "read",
        { ...config, ...readPool },
        {
          answerMs: storeLimits.databaseAnswerMs,
          asksAbout: isRemote(config),
          settings: sessionSettings.read
        }
      )
    )
  ).pipe(Layer.provide(Reactivity.layer))
}

/** No network can forget a connection to the embedded server's socket. */
const isRemote = ({ path }: PgConnection.Config): boolean => path === undefined

const checkServer = (sql: SqlClient.SqlClient, where: string, { mayBeStandby }: SqlOptions) =>
  Effect.gen(function* () {
    const [row] = yield* sql<{ readonly version: number; readonly standby: boolean }>`
      SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby`
    const version = row?.version ?? 0
    if (version < OLDEST_VERSION_NUM) {
      return yield* new DatabaseError({
        message: `DATABASE_URL: ${where} is PostgreSQL ${Math.floor(version / 10_000)}; accepted: 15 or later.`
      })
    }
    if (row?.standby === true && mayBeStandby !== true)
      return yield* new DatabaseError({
        message: `DATABASE_URL: ${where} is a standby, which takes no writes; it must be the primary.`,
        cause: standby()
      })
  })

/**
 * A pooler in transaction mode gives a session's next statement to any server. Settings, locks and prepared statements
 * of a session would be lost. While one session is in a transaction, another one must have a server of its own.
 */
const checkSessions = (sql: SqlClient.SqlClient, where: string) =>
  Effect.gen(function* () {
    const [first, second] = [yield* sql.reserve, yield* sql.reserve]
    const serverOf = (session: typeof first) =>
      Effect.map(
        session.executeUnprepared("SELECT pg_backend_pid() AS pid", [], undefined),
        ([row]) => row?.pid
      )
    const own = yield* serverOf(first)
    yield* second.executeUnprepared("BEGIN", [], undefined)
    const other = yield* serverOf(second)
    const later = yield* serverOf(first)
    yield* second.executeUnprepared("ROLLBACK", [], undefined)
    if (own !== other && own === later) return
    return yield* new DatabaseError({
      message: `DATABASE_URL: ${where} is a pooler that shares servers between sessions. Set pool_mode = session in its settings (PgBouncer), or name the PostgreSQL itself.`
    })
  }).pipe(Effect.scoped)

/**
 * A connection to DATABASE_URL over which nothing came for so long is probed. If its peer is gone without a word (a
 * machine that lost its power, a firewall that forgot the connection), its statement fails some 10 s later.
 */
const KEEP_ALIVE_MS = 10_000

/** PostgreSQL cuts longer names. */
const APPLICATION_NAME_LENGTH = 63

/** Shown in `pg_stat_activity`. */
const applicationName = Effect.fnUntraced(function* ({ answerLimit }: SqlOptions) {
  const { roles: own } = yield* Settings
  if (answerLimit !== true) return "ledgerhook command"
  const shown = own.length === roles.length ? "all" : own.join(",")
  return `ledgerhook ${shown} ${hostname()}`.slice(0, APPLICATION_NAME_LENGTH)
})

/** The parameters that a pooler refuses come from the URL: `options`. */
const poolerAdvice = (error: Error): string =>
  errorText(error).includes("unsupported startup parameter")
    ? ". Leave it out of DATABASE_URL, or add it to ignore_startup_parameters in the settings of PgBouncer"
    : ""

const connectTo = Effect.fnUntraced(function* (url: string, options: SqlOptions) {
  const fault = databaseUrlFault(url)
  if (fault !== undefined) return yield* new DatabaseError({ message: `DATABASE_URL: ${fault}.` })
  const where = addressOf(url)
  const unusable = (reason: string, cause: Error) =>
    new DatabaseError({ message: `DATABASE_URL: ${where} ${reason}.`, cause })
  const ssl = yield* Effect.mapError(tlsOf(url), ({ message }) => new DatabaseError({ message }))
  return yield* Effect.gen(function* () {
    const client = yield* PgClient.make({
      ...pool,
      ssl,
      applicationName: yield* applicationName(options),
      url: Redacted.make(url),
      keepAlive: KEEP_ALIVE_MS
    })
    yield* checkServer(client, where, options)
    yield* checkSessions(client, where)
    return client
  }).pipe(
    Effect.timeoutOrElse({
      duration: Limits.databaseConnectMs,
      orElse: () => Effect.fail(unusable("does not answer", new Cause.TimeoutError()))
    }),
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(unusable(`cannot be used: ${errorText(error)}${poolerAdvice(error)}`, error))
    )
  )
})

const startEmbedded = Effect.fnUntraced(function* (dataDir: string, options: SqlOptions) {
  const { path, username, database } = yield* start({ dataDir, ...options })
  const named = { ...pool, applicationName: yield* applicationName(options) }
  return yield* PgClient.make({ ...named, path, username, database }).pipe(
    Effect.mapError(
      (error) =>
        new DatabaseError({
          message: `DATA_DIR: the database in ${dataDir} cannot be used: ${errorText(error)}.`
        })
    )
  )
})

const connect = Effect.fnUntraced(function* (options: SqlOptions) {
  const { databaseUrl, dataDir } = yield* Settings
  return yield* databaseUrl === undefined ? startEmbedded(dataDir, options) : connectTo(databaseUrl, options)
})

/** `SqlClient` (and `PgClient`) without migrating: for commands that inspect or migrate the database. */
export const unmigratedLayer = (options: SqlOptions) => PgClient.layerFrom(connect(options))

/** `SqlClient` (and `PgClient`) and `ReadSql` on a migrated database. The stages always have some connections. */
export const layer = (options: SqlOptions) => {
  const main = Effect.flatMap(PgClient.PgClient, ({ config }) =>
    SqlPool.make(
      "main",
      { ...config, maxConnections: pool.maxConnections },
      {
        answerMs: options.answerLimit === true ? storeLimits.databaseAnswerMs : undefined,
        asksAbout: isRemote(config),
        settings: sessionSettings.main,
        requestConnections: storeLimits.databaseRequestConnections
      }
    )
  )
  return Layer.merge(
    Layer.effect(SqlClient.SqlClient, main).pipe(Layer.provide(Reactivity.layer)),
    ReadSql.layer
  ).pipe(
    Layer.provideMerge(DatabaseTrouble.layer),
    Layer.provideMerge(
      PgClient.layerFrom(
        connect(options).pipe(
          Effect.tap((client) => migrate.pipe(Effect.provideService(SqlClient.SqlClient, client)))
        )
      )
    )
  )
}
