/**
 * What is left of ended replay jobs and deleted webhooks. Their large and secret parts go when they end: the ids and
 * filters of a job, and the secrets, header values, filters, url and description of a webhook. The rows stay while
 * something shows them, which is as long as their deliveries are kept, and are then deleted. Ended incidents and gaps
 * are deleted after 400 days. Each statement changes one batch.
 */

import { Clock, Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { deleteEvery } from "../observe/ClockTrust.ts"
import { eachAlone } from "../words/EachAlone.ts"
import { firstIdAt } from "../words/Ids.ts"
import { storeLimits } from "./Limits.ts"

/**
 * The assignments that end a job by ids or filters. Which of the three modes it had stays known, and its types and its
 * period: the job shows what was asked for, and the ledgers of it that were skipped. The empty name keeps the array of
 * names from being null.
 */
export const JOB_CLEARED = `
  event_ids = event_ids[1:0],
  filters = filters - (SELECT array_agg(name) FROM jsonb_object_keys(filters || '{"": 0}') AS name
    WHERE name NOT IN ('since', 'until', 'event_types'))`

/** The assignments that end a webhook. Its deliveries are shown with the names of its headers. */
export const WEBHOOK_CLEARED = `
  url = '', description = NULL, account_filters = '{}', payload_filter = NULL,
  sealed_secret = '', previous_sealed_secret = NULL, previous_secret_until = NULL,
  headers = (SELECT coalesce(jsonb_object_agg(name, ''), '{}') FROM jsonb_object_keys(headers) AS name)`

const JOB_ENDED = "status IN ('completed', 'cancelled', 'failed')"
const WEBHOOK_ENDED = "deleted_at IS NOT NULL AND NOT ending"

/** Clears what earlier versions have left, and deletes rows that nothing shows any more. Returns how many changed. */
export const forgetEnded = Effect.fnUntraced(function* (retentionMs: number, nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const before = sql`${new Date(nowMs - retentionMs).toISOString()}::timestamptz`
  const most = Limits.largeRows
  const [jobCleared, webhookCleared, jobEnded, webhookEnded] = [
    JOB_CLEARED,
    WEBHOOK_CLEARED,
    JOB_ENDED,
    WEBHOOK_ENDED
  ].map((text) => sql.literal(text))
  const deleteJobs = (chosen: Statement.Fragment) => sql`
    WITH gone AS (${chosen} LIMIT ${most}),
      requests AS (DELETE FROM history_requests WHERE job_id IN (SELECT id FROM gone))
    DELETE FROM replay_jobs WHERE id IN (SELECT id FROM gone) RETURNING 1`
  // In one list, because rows are deleted after those that show them: a job after its deliveries, a gap after its webhook.
  const statements = [
    sql`
      UPDATE replay_jobs SET ${jobCleared!} WHERE id IN (
        SELECT id FROM replay_jobs
        WHERE ${jobEnded!} AND (cardinality(event_ids) > 0 OR filters - '{since,until,event_types}'::text[] <> '{}') LIMIT ${most}
      ) RETURNING 1`,
    sql`
      UPDATE webhooks SET ${webhookCleared!} WHERE id IN (
        SELECT id FROM webhooks WHERE ${webhookEnded!} AND sealed_secret <> '' LIMIT ${most}
      ) RETURNING 1`,
    deleteJobs(sql`
      SELECT id FROM replay_jobs
      WHERE ${jobEnded!} AND coalesce(completed_at, cancelled_at, started_at, created_at) < ${before}`),
    deleteJobs(sql`
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY id DESC) AS place
        FROM replay_jobs WHERE ${jobEnded!}
      ) AS ended WHERE place > ${Limits.newestKept}`),
    sql`
      DELETE FROM webhooks WHERE id IN (
        SELECT id FROM webhooks AS gone WHERE ${webhookEnded!} AND deleted_at < ${before}
          AND NOT EXISTS (SELECT FROM deliveries WHERE webhook_id = gone.id) LIMIT ${most}
      ) RETURNING 1`,
    // A job takes no delivery that was made after it, so the deliveries of these jobs are gone.
    sql`
      DELETE FROM retried_deliveries WHERE (job_id, delivery_id) IN (
        SELECT job_id, delivery_id FROM retried_deliveries
        WHERE job_id < ${firstIdAt("rpl_job_", Math.max(0, nowMs - retentionMs))} LIMIT ${most}
      ) RETURNING 1`,
    sql`
      DELETE FROM incidents WHERE id IN (
        SELECT id FROM incidents
        WHERE id < ${firstIdAt("inc_", Math.max(0, nowMs - storeLimits.incidentsKeptMs))} AND ended_at IS NOT NULL
        LIMIT ${most}
      ) RETURNING 1`,
    sql`
      DELETE FROM webhook_gaps WHERE (webhook_id, reason, began_at) IN (
        SELECT webhook_id, reason, began_at FROM (
          SELECT *, row_number() OVER (PARTITION BY webhook_id ORDER BY began_at DESC) AS place FROM webhook_gaps
        ) AS gap
        WHERE place > ${storeLimits.gapsKept} OR ended_at < ${new Date(nowMs - storeLimits.incidentsKeptMs)}
          OR NOT EXISTS (SELECT FROM webhooks WHERE id = webhook_id) LIMIT ${most}
      ) RETURNING 1`,
    sql`
      DELETE FROM lost_ledgers WHERE (network, from_ledger, found_at) IN (
        SELECT network, from_ledger, found_at FROM lost_ledgers
        WHERE found_at < ${new Date(nowMs - storeLimits.incidentsKeptMs)} LIMIT ${most}
      ) RETURNING 1`
  ]
  const runAll = Effect.fnUntraced(function* (statement: (typeof statements)[number]) {
    let changed = 0
    let rows: number
    do {
      rows = (yield* statement).length
      changed += rows
    } while (rows === most)
    return changed
  })
  // One may fail for long, for example because of a foreign table that references webhooks.
  return (yield* eachAlone(statements, runAll)).reduce((sum, changed) => sum + changed, 0)
})

/** Hourly. */
export const forgetEndedRows = Effect.gen(function* () {
  const { retentionDeliveriesMs } = yield* Settings
  return yield* Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    forgetEnded(retentionDeliveriesMs, nowMs)
  ).pipe(deleteEvery("retention of ended replay jobs and deleted webhooks", Limits.maintenanceMs))
})
