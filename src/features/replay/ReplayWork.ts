/**
 * Replay jobs as their workers see them. A worker owns a job while it renews the lease; another worker continues at
 * the cursor. Every write names the owner and sets absolute figures, so it may be repeated, and a write of a former
 * owner changes nothing. When a job ends early, it also ends deliveries that it made but did not count: after a crash
 * there may be rows whose work was never appended.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { endQueued } from "../../spine/deliveries/Transitions.ts"
import { deliveriesLeftInQuota } from "../../spine/deliveries/UsageStore.ts"
import { CHARGED_NETWORK } from "../../spine/domain/Quota.ts"
import {
  firstReplayDeliveryId,
  lastReplayMoment,
  type ReplayFilters,
  type RetryFilters
} from "../../spine/domain/Replay.ts"
import type { Network } from "../../spine/event/Network.ts"
import { JOB_CLEARED } from "../../spine/store/EndedRows.ts"
import { type AccountId, type EventId, firstIdAt, type WebhookId } from "../../spine/words/Ids.ts"
import { JobMetrics } from "./Metrics.ts"

/** The progress of a job. All 0 until it is planned. */
export interface ReplayCursor {
  readonly processedEvents: number
  /** The next place to read; for a job by ledger, the last ledger that was read. */
  readonly cursor: number
  /** The place after the last event that was queued. */
  readonly nextOffset: number
}

export interface ReplayPlan {
  readonly startOffset: number
  readonly endOffset: number
  /** Read only the ledgers that have wanted events, instead of all events from start to end. */
  readonly byLedger: boolean
}

interface ClaimedRow extends ReplayCursor {
  readonly id: string
  readonly owner: string
  readonly accountId: AccountId
  readonly webhookId: WebhookId
  readonly network: Network
  readonly eventIds: ReadonlyArray<EventId> | null
  readonly filters: ReplayFilters | null
  /** The filters of a retry job. Exactly one of `eventIds`, `filters` and `retry` is not null. */
  readonly retry: RetryFilters | null
  /** Where the next batch of a retry job begins; "" at first. */
  readonly nextDeliveryId: string
  /** Estimated, except for event ids. */
  readonly totalEvents: number
  readonly endOffset: number
  readonly startedAt: number
  /** Both null until the job is planned. */
  readonly startOffset: number | null
  readonly byLedger: boolean | null
}

export interface ClaimedJob extends Omit<ClaimedRow, "startOffset" | "byLedger"> {
  readonly plan: ReplayPlan | undefined
}

/** Decides whether a job's next batch may be queued. */
export interface ReplayConditions {
  readonly ownership: JobOwnership
  readonly webhook: "active" | "disabled" | "deleted"
  readonly suspended: boolean
  /** How many more deliveries the month's quota allows; null: any number. */
  readonly quotaLeft: number | null
  /**
   * The job's deliveries that wait for a first attempt, and others of its webhook with ids of the same two minutes.
   */
  readonly waiting: number
}

/** `held`: the asking worker owns the job. `lost`: another worker owns it, or it has ended. */
export type JobOwnership = "held" | "cancelled" | "lost"

export interface JobEnd {
  readonly status: "completed" | "cancelled" | "failed"
  readonly error: string | null
}

const jobOf = ({ startOffset, byLedger, ...row }: ClaimedRow): ClaimedJob => ({
  ...row,
  plan:
    startOffset === null ? undefined : { startOffset, endOffset: row.endOffset, byLedger: byLedger === true }
})

/** Ends the deliveries that a cancelled or failed job made and did not count. */
const endUncounted = (
  sql: SqlClient.SqlClient,
  id: string,
  nowMs: number
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const [job] = yield* sql<{
      readonly webhook_id: WebhookId
      readonly status: string
      readonly started_at: number
      readonly start_offset: number
      readonly next_offset: number
      readonly end_offset: number
    }>`
      SELECT webhook_id, status, (extract(epoch FROM started_at) * 1000)::float8 AS started_at,
        start_offset::float8 AS start_offset, next_offset::float8 AS next_offset, end_offset::float8 AS end_offset
      FROM replay_jobs WHERE id = ${id} AND status IN ('cancelled', 'failed') AND start_offset IS NOT NULL`
    if (job === undefined) return
    const origin = { id, startedAt: job.started_at, startOffset: job.start_offset }
    const uncounted = sql`
      WHERE webhook_id = ${job.webhook_id} AND id >= ${firstReplayDeliveryId(origin, job.next_offset)}
        AND id < ${firstIdAt("dlv_", lastReplayMoment(origin, job.end_offset) + 1)}
        AND replay_job_id = ${id} AND attempts = 0`
    yield* endQueued(sql, uncounted, `replay ${job.status}`, nowMs)
  })

/** Ends a job that has not ended. If `owner` is given, only if that worker owns it. */
export const endJob = (
  sql: SqlClient.SqlClient,
  id: string,
  { status, error }: JobEnd,
  nowMs: number,
  owner?: string
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const now = sql`${new Date(nowMs).toISOString()}::timestamptz`
    // A completed job by filters has sent everything. A completed job by event ids may name unknown events. A retry job
    // counts its failures while it runs.
    const total = sql`CASE WHEN ${status} = 'completed' AND event_ids IS NULL THEN processed_events + failed_events
      ELSE greatest(total_events, processed_events) END`
    const ended = yield* sql`
      UPDATE replay_jobs SET
        status = ${status}, error = ${error}, owner = NULL, lease_until = NULL, ${sql.literal(JOB_CLEARED)},
        completed_at = ${status === "completed" ? now : sql`NULL`},
        cancelled_at = ${status === "cancelled" ? sql`coalesce(cancelled_at, ${now})` : sql`NULL`},
        total_events = ${total},
        failed_events = CASE ${status} WHEN 'cancelled' THEN 0 ELSE ${total} - processed_events END
      WHERE id = ${id} AND status IN ('queued', 'running') AND ${owner === undefined ? sql`true` : sql`owner = ${owner}`}
      RETURNING 1`
    if (ended.length === 0) return 0
    if (status !== "completed") yield* endUncounted(sql, id, nowMs)
    return 1
  }).pipe(
    sql.withTransaction,
    Effect.flatMap((ended) => JobMetrics.ended.add({ state: status }, ended))
  )

export class ReplayWork extends Context.Service<ReplayWork>()("ledgerhook/storage/ReplayWork", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lease = sql`clock_timestamp() + ${Limits.leaseMs} * interval '1 millisecond'`
    const number = (value: number) => sql`${String(value)}::bigint`

    const ownershipOf = (rows: ReadonlyArray<{ readonly cancelled: boolean }>): JobOwnership =>
      rows[0] === undefined ? "lost" : rows[0].cancelled ? "cancelled" : "held"
    const mine = ({ id, owner }: ClaimedJob) => sql`
      WHERE id = ${id} AND owner = ${owner} AND status = 'running' RETURNING cancelled_at IS NOT NULL AS cancelled`

    return {
      /** Takes the oldest job that has no worker and does not wait for history. */
      claim: (nowMs: number) => {
        const owner = randomUUID()
        // A lease that ends later than it can was taken before the database's clock was set back: it is shortened.
        return sql<ClaimedRow>`
          WITH shortened AS (
            UPDATE replay_jobs SET lease_until = ${lease} WHERE status = 'running' AND lease_until > ${lease}
          )
          UPDATE replay_jobs SET status = 'running', owner = ${owner}, lease_until = ${lease},
            started_at = coalesce(started_at, ${new Date(nowMs).toISOString()}::timestamptz)
          WHERE id = (
            SELECT id FROM replay_jobs
            WHERE status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < clock_timestamp())
              AND NOT EXISTS (SELECT 1 FROM history_requests WHERE job_id = replay_jobs.id AND state = 'open')
            ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
          )
          RETURNING id, owner, account_id AS "accountId", webhook_id AS "webhookId", network, event_ids AS "eventIds",
            filters, retry, coalesce(next_delivery_id, '') AS "nextDeliveryId", total_events::float8 AS "totalEvents", processed_events::float8 AS "processedEvents",
            end_offset::float8 AS "endOffset", start_offset::float8 AS "startOffset", by_ledger AS "byLedger",
            coalesce(cursor, 0)::float8 AS cursor, coalesce(next_offset, 0)::float8 AS "nextOffset",
            (extract(epoch FROM started_at) * 1000)::float8 AS "startedAt"`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), jobOf))
        )
      },

      /** Stores the job's plan. Like `advance`, it renews the lease. */
      plan: (
        job: ClaimedJob,
        { startOffset, endOffset, byLedger }: ReplayPlan,
        cursor: number,
        totalEvents?: number
      ) =>
        Effect.map(
          sql<{ readonly cancelled: boolean }>`
            UPDATE replay_jobs SET start_offset = ${number(startOffset)}, end_offset = ${number(endOffset)},
              by_ledger = ${byLedger}, cursor = ${number(cursor)}, next_offset = ${number(startOffset)},
              total_events = ${totalEvents === undefined ? sql`total_events` : number(totalEvents)}, lease_until = ${lease} ${mine(job)}`,
          ownershipOf
        ),

      advance: (job: ClaimedJob, { processedEvents, cursor, nextOffset }: ReplayCursor) =>
        Effect.map(
          sql<{ readonly cancelled: boolean }>`
            UPDATE replay_jobs SET processed_events = ${number(processedEvents)}, cursor = ${number(cursor)},
              next_offset = ${number(nextOffset)}, lease_until = ${lease} ${mine(job)}`,
          ownershipOf
        ),

      renew: (job: ClaimedJob) =>
        Effect.map(
          sql<{ readonly cancelled: boolean }>`UPDATE replay_jobs SET lease_until = ${lease} ${mine(job)}`,
          ownershipOf
        ),

      /** Lets another worker take an unfinished job at once. */
      release: ({ id, owner }: ClaimedJob) =>
        Effect.asVoid(
          sql`UPDATE replay_jobs SET owner = NULL, lease_until = NULL WHERE id = ${id} AND owner = ${owner}`
        ),

      end: (job: ClaimedJob, end: JobEnd, nowMs: number) => endJob(sql, job.id, end, nowMs, job.owner),

      /** For a worker that has lost its job: ends the deliveries that it made after the job had ended. */
      abandon: (job: ClaimedJob, nowMs: number) => endUncounted(sql, job.id, nowMs),

      conditions: Effect.fnUntraced(function* (job: ClaimedJob, nowMs: number) {
        // Ids of the job's deliveries carry the time of its start, plus a millisecond for millions of events.
        const began = sql`date_trunc('minute', ${new Date(job.startedAt).toISOString()}::timestamptz, 'UTC')`
        const [row] = yield* sql<Omit<ReplayConditions, "quotaLeft">>`
          SELECT a.suspended_at IS NOT NULL AS suspended,
            CASE WHEN w.id IS NULL OR w.deleted_at IS NOT NULL THEN 'deleted' ELSE w.status END AS webhook,
            CASE WHEN j.id IS NULL THEN 'lost' WHEN j.cancelled_at IS NULL THEN 'held' ELSE 'cancelled' END AS ownership,
            (
              SELECT coalesce(sum(count), 0)::float8 FROM delivery_counts
              WHERE account_id = ${job.accountId} AND network = ${job.network} AND webhook_id = ${job.webhookId}
                AND status = 'pending' AND width = '1 minute' AND at IN (${began}, ${began} + interval '1 minute')
            ) AS waiting
          FROM accounts a LEFT JOIN webhooks w ON w.id = ${job.webhookId}
          LEFT JOIN replay_jobs j ON j.id = ${job.id} AND j.owner = ${job.owner} AND j.status = 'running'
          WHERE a.id = ${job.accountId}`
        const quotaLeft =
          job.network === CHARGED_NETWORK ? yield* deliveriesLeftInQuota(sql, job.accountId, nowMs) : null
        return { ...row!, quotaLeft }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ReplayWork, ReplayWork.make)
}
