/** What waits in the database: the backlog of webhooks, jobs, mails, and retries that no process moves. */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../spine/config/Limits.ts"
import { UsageStore } from "../../../spine/deliveries/UsageStore.ts"
import type { Backlog, StageFact } from "../model/LateStages.ts"
import { readWaiting } from "./WaitingDeliveries.ts"

/** Milliseconds since that column's time; 0 if there is none. */
const AGE = (column: string) =>
  `coalesce(extract(epoch FROM clock_timestamp() - ${column}) * 1000, 0)::float8`

export const readBacklog = Effect.gen(function* () {
  const usage = yield* UsageStore
  const nowMs = yield* Clock.currentTimeMillis
  const { byStatus, inBacklog, oldestDueMs } = yield* readWaiting(yield* usage.holds(nowMs))
  const { deleted, disabled, paused, quota, suspended } = inBacklog
  return {
    oldestDueMs: oldestDueMs === undefined ? 0 : Math.max(0, nowMs - oldestDueMs),
    overflowed: inBacklog.full,
    // What is stopped will not be sent, so it is no backlog that grows or shrinks.
    waiting: byStatus.pending + byStatus.retrying - quota - suspended - disabled - paused - deleted
  } satisfies Backlog
})

export interface OpenJobs {
  readonly queued: number
  readonly running: number
}

/**
 * Jobs that no process works at, and those that wait for their webhooks. A job that waits for history needs no process,
 * but a ledger server.
 */
export const readJobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly queued: number
    readonly running: number
    readonly unowned: number
    readonly unownedMs: number
    readonly owned: number
  }>`
    SELECT count(*) FILTER (WHERE status = 'queued')::float8 AS queued,
           count(*) FILTER (WHERE status = 'running')::float8 AS running,
           count(*) FILTER (WHERE NOT owned AND NOT fetching)::float8 AS unowned,
           ${sql.literal(AGE("min(greatest(created_at, lease_until)) FILTER (WHERE NOT owned AND NOT fetching)"))} AS "unownedMs",
           count(*) FILTER (WHERE owned)::float8 AS owned
    FROM (
      SELECT status, created_at, lease_until, coalesce(lease_until > clock_timestamp(), false) AS owned,
             EXISTS (SELECT FROM history_requests h WHERE h.job_id = j.id AND h.state = 'open') AS fetching
      FROM replay_jobs j WHERE status IN ('queued', 'running')
    ) AS open`
  const { owned, queued, running, unowned, unownedMs } = row!
  const facts: ReadonlyArray<StageFact> = [
    { stage: "replay", network: "", because: "service", oldestMs: unownedMs, waiting: unowned },
    // A job lasts as long as its webhook needs.
    { stage: "replay", network: "", because: "webhook", oldestMs: 0, waiting: owned }
  ]
  return { jobs: { queued, running } satisfies OpenJobs, facts }
})

/** Messages that no process has tried to send although they are due. A URL that refuses notices is its account's. */
export const readNotices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly waiting: number; readonly oldestMs: number }>`
    SELECT count(*)::float8 AS waiting, ${sql.literal(AGE("min(next_attempt_at)"))} AS "oldestMs"
    FROM (SELECT next_attempt_at FROM mails UNION ALL SELECT next_attempt_at FROM notices) AS messages
    WHERE next_attempt_at < clock_timestamp()`
  return [{ stage: "notices", network: "", because: "service", ...row! }] satisfies ReadonlyArray<StageFact>
})

/** Retries of live deliveries that are due and were not moved to their lanes: only if no process has the role `delay`. */
export const readOverdue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly waiting: number; readonly oldestMs: number }>`
    SELECT count(*)::float8 AS waiting, ${sql.literal(AGE("min(next_attempt_at)"))} AS "oldestMs" FROM (
      SELECT next_attempt_at FROM deliveries
      WHERE (parked OR next_attempt_at IS NOT NULL) AND replay_job_id IS NULL AND test_event IS NULL
        AND next_attempt_at < clock_timestamp() AND NOT parked
      LIMIT ${Limits.countedRows}
    ) AS overdue`
  return row!
})
