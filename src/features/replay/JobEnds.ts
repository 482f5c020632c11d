/**
 * Adds changes of deliveries to the counts of their jobs, and finishes jobs: one that has ended, and of which nothing
 * waits, gets its `finished_at` and a notice in one transaction, so the notice is queued once, wherever a process dies.
 * The counts of a finished job stay.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { queueNotices } from "../health/notify/NoticeStore.ts"
import { replayNotice } from "../health/notify/Notices.ts"

/** Returns the ids of the jobs that it has finished. */
export const finishJobs = Effect.fnUntraced(
  function* (nowMs: number) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      WITH changes AS (DELETE FROM job_changes RETURNING *), counts AS (
        SELECT job_id, sum(count) FILTER (WHERE outcome = 'delivered') AS delivered,
               sum(count) FILTER (WHERE outcome = 'waiting') AS waiting,
               sum(count) FILTER (WHERE outcome = 'failed') AS failed
        FROM changes GROUP BY 1
      )
      UPDATE replay_jobs j SET delivered = j.delivered + coalesce(counts.delivered, 0),
        waiting = j.waiting + coalesce(counts.waiting, 0), failed = j.failed + coalesce(counts.failed, 0)
      FROM counts WHERE j.id = counts.job_id AND finished_at IS NULL`
    // A job ends after its deliveries are stored: if this statement sees the end, it sees their changes.
    const finished = yield* sql<Parameters<typeof replayNotice>[0]>`
      UPDATE replay_jobs j SET finished_at = ${new Date(nowMs).toISOString()}::timestamptz
      WHERE finished_at IS NULL AND status IN ('completed', 'cancelled', 'failed') AND coalesce(waiting, 0) = 0
        AND NOT EXISTS (SELECT FROM job_changes WHERE job_id = j.id)
      RETURNING account_id, id AS job_id, webhook_id, network, status, error, total_events::float8 AS total_events,
        processed_events::float8 AS processed_events, failed_events::float8 AS failed_events,
        delivered::float8 AS delivered, waiting::float8 AS waiting, failed::float8 AS failed`
    yield* queueNotices(
      sql,
      finished.map((job) => ({
        ...replayNotice(job),
        accountId: job.account_id,
        cause: `replay/${job.job_id}`
      })),
      nowMs
    )
    return finished.map(({ job_id }) => job_id)
  },
  (finish) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(finish))
)

export const keepJobs = Effect.flatMap(Clock.currentTimeMillis, finishJobs).pipe(
  repeatEvery("counts and ends of replay jobs", Limits.deliveryChangesMs)
)
