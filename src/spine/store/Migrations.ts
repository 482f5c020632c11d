/**
 * Migrates the database's tables to this program's version: each migration once, in order, in one transaction, also
 * if two processes start at once. Processes of the version before may be running: a migration never waits long for a
 * lock, because their statements would queue behind it. A database of a newer version is refused, and one of a version
 * before 0.3. A released migration never changes.
 */

import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { errorText } from "../observe/Logging.ts"
import { storeLimits } from "./Limits.ts"
import accounts from "./migrations/0001_accounts.ts"
import webhooks from "./migrations/0002_webhooks.ts"
import deliveries from "./migrations/0003_deliveries.ts"
import deliveryTotals from "./migrations/0004_delivery_totals.ts"
import replays from "./migrations/0005_replays.ts"
import events from "./migrations/0006_events.ts"
import log from "./migrations/0007_log.ts"
import coordination from "./migrations/0008_coordination.ts"
import ledgerOrders from "./migrations/0009_ledger_orders.ts"
import accountUsage from "./migrations/0010_account_usage.ts"
import webhookHealth from "./migrations/0011_webhook_health.ts"
import processes from "./migrations/0012_processes.ts"
import report from "./migrations/0013_report.ts"
import networks from "./migrations/0014_networks.ts"
import webhookProgress from "./migrations/0015_webhook_progress.ts"
import notices from "./migrations/0016_notices.ts"
import rulesVersion2 from "./migrations/0017_rules_version_2.ts"
import pauseAndOrder from "./migrations/0018_pause_and_order.ts"
import jobDeliveries from "./migrations/0019_job_deliveries.ts"
import sessions from "./migrations/0020_sessions.ts"
import transactions from "./migrations/0021_transactions.ts"
import replicaIdentity from "./migrations/0022_replica_identity.ts"
import noticeLines from "./migrations/0023_notice_lines.ts"
import deletedAccounts from "./migrations/0024_deleted_accounts.ts"
import gapReasons from "./migrations/0025_gap_reasons.ts"
import lostLedgers from "./migrations/0026_lost_ledgers.ts"

/** How often a migration tries to lock a table. A dump may hold its locks for minutes: 60 tries take five. */
export const TRIES = 60

/** In one list, because they have one order. The first eight have a group of tables each. A change of released tables is a new migration. */
const migrations = {
  "0001_accounts": accounts,
  "0002_webhooks": webhooks,
  "0003_deliveries": deliveries,
  "0004_delivery_totals": deliveryTotals,
  "0005_replays": replays,
  "0006_events": events,
  "0007_log": log,
  "0008_coordination": coordination,
  "0009_ledger_orders": ledgerOrders,
  "0010_account_usage": accountUsage,
  "0011_webhook_health": webhookHealth,
  "0012_processes": processes,
  "0013_report": report,
  "0014_networks": networks,
  "0015_webhook_progress": webhookProgress,
  "0016_notices": notices,
  "0017_rules_version_2": rulesVersion2,
  "0018_pause_and_order": pauseAndOrder,
  "0019_job_deliveries": jobDeliveries,
  "0020_sessions": sessions,
  "0021_transactions": transactions,
  "0022_replica_identity": replicaIdentity,
  "0023_notice_lines": noticeLines,
  "0024_deleted_accounts": deletedAccounts,
  "0025_gap_reasons": gapReasons,
  "0026_lost_ledgers": lostLedgers
}
const TABLE = "migrations"
const newestOf = (names: ReadonlyArray<string>): number =>
  Math.max(...names.map((name) => Number.parseInt(name, 10)))

export class MigrationsError extends Schema.TaggedError<MigrationsError>()("MigrationsError", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

const refuseNewer = (found: number, newest: number) =>
  found <= newest
    ? Effect.void
    : new MigrationsError({
        message: `The database was migrated by a newer version of ledgerhook (to migration ${found}; this version knows ${newest}). Start the newer version, or use another database.`
      })

/** The newest migration of release 0.3. What 0.2 left unfinished is completed by 0.3, not by this version. */
const OLDEST_UPGRADED = 21

const refuseOlder = (found: number) =>
  found >= OLDEST_UPGRADED
    ? Effect.void
    : new MigrationsError({
        message:
          "The database was made by ledgerhook 0.2. Start ledgerhook 0.3 on it first, and wait until it is ready."
      })

/** Upkeep of release 0.3 builds this index after the last of what it completes. */
const refuseUnfinished = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unfinished = yield* sql`
    SELECT FROM pg_index WHERE indexrelid = to_regclass('deliveries_unfinished') AND NOT indisvalid`
  if (unfinished.length === 0) return
  return yield* new MigrationsError({
    message:
      "ledgerhook 0.3 has not completed its upgrade of the database yet. Start ledgerhook 0.3 again, let it run for a few minutes, and then start this version."
  })
})

const refuseOthers = Effect.fnUntraced(function* (newest: number) {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ readonly found: boolean }>`SELECT to_regclass(${TABLE}) IS NOT NULL AS found`
  if (table?.found !== true) return
  const [row] = yield* sql<{ readonly newest: number | null }>`
    SELECT max(migration_id) AS newest FROM ${sql(TABLE)}`
  if (row === undefined || row.newest === null) return
  yield* refuseNewer(row.newest, newest)
  yield* refuseOlder(row.newest)
  yield* refuseUnfinished
})

type Migration = (typeof migrations)[keyof typeof migrations]
type Migrations = Readonly<Record<string, Migration>>

/** A statement that waits for a table's lock makes later statements on that table wait as well. */
const withLockTimeout = (migration: Migration): Migration =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET LOCAL lock_timeout = ${sql.literal(String(storeLimits.migrationLockMs))}`
    yield* migration
  })

const isLocked = (error: unknown): boolean =>
  error instanceof Migrator.MigrationError &&
  SqlError.isSqlError(error.cause) &&
  ["LockTimeoutError", "DeadlockError"].includes(error.cause.reason._tag)

/** Between two tries, the statements that had to wait run. A try that failed has changed nothing. */
const retryWhileLocked = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    Effect.tapError((error) =>
      isLocked(error)
        ? Effect.logWarning("a table to migrate is locked by another session; the migration is tried again")
        : Effect.void
    ),
    Effect.retry({
      while: isLocked,
      schedule: Schedule.spaced(storeLimits.migrationLockMs),
      times: TRIES - 1
    })
  )

/** PostgreSQL's words, if this role may not do it. */
const denied = (error: unknown): string | undefined => {
  const cause = error instanceof Migrator.MigrationError ? error.cause : error
  return SqlError.isSqlError(cause) && cause.reason._tag === "AuthorizationError"
    ? errorText(cause)
    : undefined
}

const problemOf = (error: unknown): MigrationsError => {
  if (error instanceof MigrationsError) return error
  const words = denied(error)
  if (words !== undefined) {
    return new MigrationsError({
      message: `This PostgreSQL role may not migrate the database's tables (${words}). Run \`ledgerhook migrate\` with the role that owns them, grant the rights of docs/access.md, and start again.`
    })
  }
  return isLocked(error)
    ? new MigrationsError({
        message: `The database's tables could not be migrated, because other sessions locked them at each of ${TRIES} tries. Nothing was changed. Find the session in pg_stat_activity (a dump, or an open transaction), end it, and start again.`
      })
    : new MigrationsError({ message: "The database's tables could not be brought up to date.", cause: error })
}

/** Applies those of the migrations that the database does not have. */
export const applyMigrations = (
  chosen: Migrations
): Effect.Effect<ReadonlyArray<string>, MigrationsError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    yield* refuseOthers(newestOf([...Object.keys(migrations), ...Object.keys(chosen)]))
    const guarded = Object.fromEntries(
      Object.entries(chosen).map(([name, migration]) => [name, withLockTimeout(migration)])
    )
    const applied = yield* Migrator.make({})({ loader: Migrator.fromRecord(guarded), table: TABLE }).pipe(
      // Another process is migrating: wait for it.
      Effect.retry({
        while: (error) => error._tag === "MigrationError" && error.kind === "Locked",
        schedule: Schedule.spaced(storeLimits.embeddedPollMs),
        times: storeLimits.embeddedStartMs / storeLimits.embeddedPollMs
      }),
      retryWhileLocked
    )
    return applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
  }).pipe(Effect.mapError(problemOf))

/** Returns the names of the migrations that it applied. */
export const migrate = applyMigrations(migrations)

/** Applies only the migrations of these names. Fails if this program does not have them all. */
export const migrateLike = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const known: Migrations = migrations
    const unknown = names.filter((name) => known[name] === undefined)
    if (unknown.length > 0) {
      return yield* new MigrationsError({
        message: `this version of ledgerhook does not have the migrations ${unknown.join(", ")}`
      })
    }
    if (newestOf(names) < OLDEST_UPGRADED) {
      return yield* new MigrationsError({
        message: "restore it with ledgerhook 0.3, start that version until it is ready, and back it up again"
      })
    }
    return yield* applyMigrations(Object.fromEntries(names.map((name) => [name, known[name]!])))
  })
