/**
 * Brings the database's tables to this program's version: each migration once, in order, in one transaction, also when
 * two processes start at once. A landed migration never changes; a database of a newer program is refused.
 */
import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import foundation from "./migrations/0001_foundation.ts"
import eventLog from "./migrations/0002_event_log.ts"
import detectionAlerts from "./migrations/0003_detection_alerts.ts"
import keysAndPlans from "./migrations/0004_keys_and_plans.ts"
import webhookSecrets from "./migrations/0005_webhook_secrets.ts"
import deliveryTotals from "./migrations/0006_delivery_totals.ts"
import events from "./migrations/0007_events.ts"
import usageAndMail from "./migrations/0008_usage_and_mail.ts"
import leases from "./migrations/0009_leases.ts"
import replay from "./migrations/0010_replay.ts"
import history from "./migrations/0012_history.ts"
import workNotices from "./migrations/0013_work_notices.ts"
import deletedQueues from "./migrations/0016_deleted_queues.ts"
import quarantine from "./migrations/0019_quarantine.ts"
import logIdentity from "./migrations/0020_log_identity.ts"
import webhookLimits from "./migrations/0021_webhook_limits.ts"

const migrations = {
  "0001_foundation": foundation,
  "0002_event_log": eventLog,
  "0003_detection_alerts": detectionAlerts,
  "0004_keys_and_plans": keysAndPlans,
  "0005_webhook_secrets": webhookSecrets,
  "0006_delivery_totals": deliveryTotals,
  "0007_events": events,
  "0008_usage_and_mail": usageAndMail,
  "0009_leases": leases,
  "0010_replay": replay,
  "0012_history": history,
  "0013_work_notices": workNotices,
  "0016_deleted_queues": deletedQueues,
  "0019_quarantine": quarantine,
  "0020_log_identity": logIdentity,
  "0021_webhook_limits": webhookLimits
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
      message: `The database was migrated by a newer ledgerhook (migration ${row?.newest}; this one knows ${newest}). Start that one, or use another database.`
    })
  }
})

/** The names of the migrations applied now. */
export const migrate: Effect.Effect<ReadonlyArray<string>, MigrationsError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    yield* refuseNewer
    const applied = yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: TABLE }).pipe(
      // Another process is at it: what is left to do afterwards is nothing.
      Effect.retry({
        while: (error) => error._tag === "MigrationError" && error.kind === "Locked",
        schedule: Schedule.spaced(Limits.embeddedPollMs),
        times: Limits.embeddedStartMs / Limits.embeddedPollMs
      })
    )
    return applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
  }
).pipe(
  Effect.mapError((error) =>
    error instanceof MigrationsError
      ? error
      : new MigrationsError({
          message: "The database's tables could not be brought up to date.",
          cause: error
        })
  )
)
