/**
 * Migrates the database's tables to this program's version: each migration once, in order, in one transaction, also
 * if two processes start at once. A released migration never changes. A database of a newer version is refused.
 */
import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import accounts from "./migrations/0001_accounts.ts"
import webhooks from "./migrations/0002_webhooks.ts"
import deliveries from "./migrations/0003_deliveries.ts"
import deliveryTotals from "./migrations/0004_delivery_totals.ts"
import replays from "./migrations/0005_replays.ts"
import events from "./migrations/0006_events.ts"
import log from "./migrations/0007_log.ts"
import coordination from "./migrations/0008_coordination.ts"

/** The first eight have a group of tables each. A change of released tables is a new migration. */
const migrations = {
  "0001_accounts": accounts,
  "0002_webhooks": webhooks,
  "0003_deliveries": deliveries,
  "0004_delivery_totals": deliveryTotals,
  "0005_replays": replays,
  "0006_events": events,
  "0007_log": log,
  "0008_coordination": coordination
}
const TABLE = "migrations"
const newest = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

export class MigrationsError extends Schema.TaggedError<MigrationsError>()("MigrationsError", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

const refuseNewer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ readonly found: boolean }>`SELECT to_regclass(${TABLE}) IS NOT NULL AS found`
  if (table?.found !== true) return
  const [row] = yield* sql<{ readonly newest: number | null }>`
    SELECT max(migration_id) AS newest FROM ${sql(TABLE)}`
  if ((row?.newest ?? 0) > newest) {
    return yield* new MigrationsError({
      message: `The database was migrated by another version of ledgerhook (to migration ${row?.newest}; this version knows ${newest}). Start that version, or use another database.`
    })
  }
})

type Migrations = Readonly<Record<string, (typeof migrations)[keyof typeof migrations]>>

const apply = (
  chosen: Migrations
): Effect.Effect<ReadonlyArray<string>, MigrationsError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    yield* refuseNewer
    const applied = yield* Migrator.make({})({ loader: Migrator.fromRecord(chosen), table: TABLE }).pipe(
      // Another process is migrating: wait for it.
      Effect.retry({
        while: (error) => error._tag === "MigrationError" && error.kind === "Locked",
        schedule: Schedule.spaced(Limits.embeddedPollMs),
        times: Limits.embeddedStartMs / Limits.embeddedPollMs
      })
    )
    return applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
  }).pipe(
    Effect.mapError((error) =>
      error instanceof MigrationsError
        ? error
        : new MigrationsError({
            message: "The database's tables could not be brought up to date.",
            cause: error
          })
    )
  )

/** Returns the names of the migrations that it applied. */
export const migrate = apply(migrations)

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
    return yield* apply(Object.fromEntries(names.map((name) => [name, known[name]!])))
  })
