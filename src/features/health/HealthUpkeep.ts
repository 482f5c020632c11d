/**
 * Upkeep of webhooks' health: stores the outcomes of incidents, and completes what version 0.2 does not record: which
 * webhooks it has attempted, the ends of incidents, and the index of deliveries that wait, for partitions from before
 * the update. Each step may be repeated at any point.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import type { IncidentEnd } from "../../spine/domain/HealthState.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { storeOutcomes } from "./IncidentStore.ts"
import { endIncidents } from "./Incidents.ts"

/** Webhooks in a statement that looks, after an update, for their last attempts. */
const WEBHOOKS_READ = 500

/** After an update: the oldest deliveries of each webhook in which an attempt is searched. */
const DELIVERIES_READ = 100

/**
 * Ends incidents that are over without a version that knows them: 0.2 recorded an answer, or disabled or deleted the
 * webhook.
 */
export const endForgotten = Effect.fnUntraced(function* (nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const over = yield* sql<{ readonly id: string; readonly endedBy: IncidentEnd }>`
    SELECT w.id, CASE WHEN w.deleted_at IS NOT NULL THEN 'deleted' WHEN w.status = 'disabled' THEN 'disabled'
                 ELSE 'attempt' END AS "endedBy"
    FROM incidents i JOIN webhooks w ON w.id = i.webhook_id
    WHERE i.ended_at IS NULL AND (w.failing_since IS NULL OR w.status = 'disabled' OR w.deleted_at IS NOT NULL)`
  for (const { endedBy, id } of over) yield* endIncidents(sql, [id], endedBy, nowMs)
})

/** Fills `attempted_at` of webhooks from before the update, of which 0.2 attempted deliveries. */
export const fillAttempted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after = ""
  for (;;) {
    // A few of the oldest deliveries are enough: if a webhook was attempted at all, they were.
    const rows = yield* sql<{ readonly id: string }>`
      WITH chosen AS (
        SELECT id FROM webhooks WHERE attempted_at IS NULL AND deleted_at IS NULL AND id > ${after}
          AND created_at < (SELECT created_at FROM migrations WHERE name = 'webhook_health')
        ORDER BY id LIMIT ${WEBHOOKS_READ}
      ), found AS (
        SELECT chosen.id, (
          SELECT delivery_created_at(min(id)) FROM (
            SELECT id, attempts, test_event FROM deliveries WHERE webhook_id = chosen.id ORDER BY id
            LIMIT ${DELIVERIES_READ}
          ) AS oldest WHERE attempts > 0 AND test_event IS NULL
        ) AS at FROM chosen
      ), filled AS (
        UPDATE webhooks w SET attempted_at = coalesce(found.at, w.failing_since) FROM found
        WHERE w.id = found.id AND w.attempted_at IS NULL AND (found.at IS NOT NULL OR w.failing_since IS NOT NULL)
      )
      SELECT id FROM chosen ORDER BY id`
    if (rows.length < WEBHOOKS_READ) return
    after = rows.at(-1)!.id
  }
})

/**
 * Builds the index `deliveries_unfinished` for partitions that do not have it, newest first, while they are in use. False
 * if one is still being built.
 */
export const indexUnfinished = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const missing = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'deliveries'::regclass AND NOT EXISTS (
      SELECT FROM pg_inherits made JOIN pg_index n ON n.indexrelid = made.inhrelid
      WHERE made.inhparent = 'deliveries_unfinished'::regclass AND n.indrelid = c.oid
    ) ORDER BY c.relname DESC`
  for (const { name } of missing) {
    const index = sql(`${name}_unfinished`)
    const [found] = yield* sql<{ readonly valid: boolean; readonly building: boolean }>`
      SELECT indisvalid AS valid,
             EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid) AS building
      FROM pg_index WHERE indexrelid = to_regclass(${`${name}_unfinished`})`
    // A statement that took longer than its answer is waited for continues in the database.
    if (found?.building === true) return false
    // A process died while it built the index.
    if (found?.valid === false) yield* sql`DROP INDEX CONCURRENTLY ${index}`
    if (found?.valid !== true)
      yield* sql`
        CREATE INDEX CONCURRENTLY ${index} ON ${sql(name)} (webhook_id, id) INCLUDE (next_attempt_at)
        WHERE (parked OR next_attempt_at IS NOT NULL) AND replay_job_id IS NULL AND test_event IS NULL`
    yield* sql`ALTER INDEX deliveries_unfinished ATTACH PARTITION ${index}`
  }
  return true
})

/** What 0.2 left is completed once, at the start of a process that has the lease. The rest is done every minute. */
export const keepHealth = Effect.gen(function* () {
  const { retentionDeliveriesMs } = yield* Settings
  let completed = false
  const pass = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    yield* endForgotten(nowMs)
    yield* storeOutcomes(nowMs, nowMs - retentionDeliveriesMs)
    if (completed) return
    yield* fillAttempted
    completed = yield* indexUnfinished
  })
  return yield* pass.pipe(repeatEvery("health of webhooks", Limits.sweepMs))
})
