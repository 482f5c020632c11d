/**
 * Replay jobs as the API sees them: create, show, cancel. Creating a job checks the webhook, the number of open jobs
 * and the quota in the same transaction, with the account's row locked. So concurrent requests never make more jobs
 * than the plan allows. ReplayWork.ts is the workers' side.
 */

import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { lockedLimits } from "../../http/guard/AccountLimits.ts"
import { quotaUsedUp } from "../../spine/deliveries/UsageStore.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import { CHARGED_NETWORK } from "../../spine/domain/Quota.ts"
import type { ReplayFilters, ReplayMode, ReplayStatus, RetryFilters } from "../../spine/domain/Replay.ts"
import type { WebhookStatus } from "../../spine/domain/Webhook.ts"
import type { Network } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import type { EventId, WebhookId } from "../../spine/words/Ids.ts"
import { endJob } from "./ReplayWork.ts"
import { countRetryable, type RetryTarget } from "./Retryable.ts"

/** How long a cancelled job's worker may take to end its batch. */
const CANCEL_MS = 900

/** How often the request to cancel checks whether the batch has ended. */
const CANCEL_POLL_MS = 20

/** Times are ISO 8601 texts as the driver gives them. */
export interface ReplayJobRow {
  readonly id: string
  readonly webhook_id: WebhookId
  readonly mode: ReplayMode
  readonly status: ReplayStatus
  readonly total_events: number
  readonly processed_events: number
  readonly failed_events: number
  readonly error: string | null
  /** How many of its deliveries have these outcomes; null for a job from before they were counted. */
  readonly deliveries: Readonly<Record<"delivered" | "waiting" | "failed", number>> | null
  /** The part of the job that has been read, from 0 to 1. */
  readonly part: number
  /** Which events or deliveries it takes, without accounts and payload filter; null for event ids. */
  readonly requested: Partial<RetryFilters> | null
  readonly created_at: string
  readonly started_at: string | null
  /** Ledgers before the service's first one that the job needs; null if it needs none. */
  readonly history: {
    /** How many of these ledgers the log did not have; null until that is known. */
    readonly ledgers: number | null
    readonly fetched: number
    /** When the request was settled. */
    readonly settled_at: string | null
  } | null
  /** The ledgers of its period that an operator skipped. */
  readonly skipped_ledgers: ReadonlyArray<number>
  readonly completed_at: string | null
  readonly cancelled_at: string | null
  /** When it had ended and none of its deliveries waited. */
  readonly finished_at: string | null
}

/** The columns of a `ReplayJobRow`, from `replay_jobs`. */
export const replayJobColumns = (sql: SqlClient.SqlClient) => sql`
  id, webhook_id, CASE WHEN retry IS NULL THEN 'replay' ELSE 'retry' END AS mode, status,
  greatest(total_events, processed_events)::float8 AS total_events,
  processed_events::float8 AS processed_events, failed_events::float8 AS failed_events, error,
  CASE WHEN by_ledger OR retry IS NOT NULL THEN processed_events::float8 / greatest(1, total_events, processed_events)
    WHEN cursor IS NULL THEN 0
    ELSE (cursor - start_offset)::float8 / greatest(1, end_offset - start_offset) END AS part,
  coalesce(retry, filters - ARRAY['accounts', 'payload_filter']) AS requested,
  created_at, started_at, completed_at, cancelled_at, finished_at, CASE WHEN waiting IS NOT NULL THEN (
    SELECT jsonb_build_object(
      'delivered', delivered + coalesce(sum(count) FILTER (WHERE outcome = 'delivered'), 0),
      'waiting', waiting + coalesce(sum(count) FILTER (WHERE outcome = 'waiting'), 0),
      'failed', failed + coalesce(sum(count) FILTER (WHERE outcome = 'failed'), 0)
    ) FROM job_changes WHERE job_id = replay_jobs.id AND finished_at IS NULL
  ) END AS deliveries, (
    SELECT jsonb_build_object('ledgers', ledgers, 'fetched', fetched, 'settled_at', settled_at)
    FROM history_requests WHERE job_id = replay_jobs.id
  ) AS history, (
    SELECT coalesce(jsonb_agg(ledger_index ORDER BY ledger_index), '[]') FROM skipped_ledgers AS skipped
    WHERE skipped.network = replay_jobs.network AND skipped_at IS NOT NULL AND filters IS NOT NULL
      AND closed_at >= coalesce(to_timestamp((filters->>'since')::float8 / 1000), '-infinity')
      AND closed_at < coalesce(to_timestamp((filters->>'until')::float8 / 1000), created_at)
  ) AS skipped_ledgers`

export interface NewReplayJob {
  readonly id: string
  readonly webhookId: WebhookId
  /** Exactly one of the three. */
  readonly eventIds?: ReadonlyArray<EventId> | undefined
  readonly filters?: ReplayFilters | undefined
  readonly retry?: RetryFilters
  readonly estimatedEvents: number
  /** The end of the events topic now: the job does not send later events. A retry job does not use it. */
  readonly endOffset: number
}

/** Why a job was not made. */
export type RefusedJob = "not found" | "webhook disabled" | "limit reached" | "quota used up"

export class ReplayStore extends Context.Service<ReplayStore>()("ledgerhook/storage/ReplayStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = yield* ReadSql
    const at = (unixMs: number) => sql`${new Date(unixMs).toISOString()}::timestamptz`
    const owned = ({ accountId, networks }: Owner) =>
      sql`account_id = ${accountId} AND network = ANY(${column(networks)}::text[])`
    const columns = replayJobColumns(sql)

    const find = (owner: Owner, id: string) =>
      sql<ReplayJobRow>`SELECT ${columns} FROM replay_jobs WHERE id = ${id} AND ${owned(owner)}`.pipe(
        Effect.map(([row]) => Option.fromNullishOr(row))
      )

    const insert = Effect.fnUntraced(function* (owner: Owner, job: NewReplayJob, nowMs: number) {
      // Locks the account's row: a concurrent request then counts this job too.
      const limits = yield* lockedLimits(sql, owner.accountId)
      const [webhook] = yield* sql<{ readonly status: WebhookStatus; readonly network: Network }>`
        SELECT status, network FROM webhooks WHERE id = ${job.webhookId} AND ${owned(owner)} AND deleted_at IS NULL
        FOR SHARE`
      if (limits === undefined || webhook === undefined) return "not found"
      if (webhook.status !== "active") return "webhook disabled"
      const [open] = yield* sql<{ readonly jobs: number }>`
        SELECT count(*)::int AS jobs FROM replay_jobs
        WHERE account_id = ${owner.accountId} AND status IN ('queued', 'running')`
      if (open!.jobs >= limits.concurrentReplays) return "limit reached"
      if (webhook.network === CHARGED_NETWORK && (yield* quotaUsedUp(sql, owner.accountId, nowMs))) {
        return "quota used up"
      }
      const filters = job.filters === undefined ? null : JSON.stringify(job.filters)
      // A retry job takes no delivery that was created after the job. It therefore ends even if new deliveries keep
      // failing.
      const until = Math.min(job.retry?.until ?? Number.POSITIVE_INFINITY, nowMs + 1)
      const retry = job.retry === undefined ? null : JSON.stringify({ ...job.retry, until })
      yield* sql`
        INSERT INTO replay_jobs (id, account_id, webhook_id, network, status, event_ids, filters, total_events,
                                  end_offset, created_at, retry)
        VALUES (${job.id}, ${owner.accountId}, ${job.webhookId}, ${webhook.network}, 'queued',
                ${job.eventIds === undefined ? null : column(job.eventIds)}::text[], ${filters}::text::jsonb,
                ${String(job.estimatedEvents)}::bigint,
                ${String(job.endOffset)}::bigint, ${at(nowMs)}, ${retry}::text::jsonb)`
      return "queued"
    }, sql.withTransaction)

    /** Marks the job: its worker, if it has one, then stops. */
    const askToCancel = (owner: Owner, id: string, nowMs: number) =>
      sql`
        UPDATE replay_jobs SET cancelled_at = coalesce(cancelled_at, ${at(nowMs)})
        WHERE id = ${id} AND ${owned(owner)} AND status IN ('queued', 'running') RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0)
      )
    const waitsForWorker = (id: string) =>
      sql`
        SELECT 1 FROM replay_jobs WHERE id = ${id} AND status = 'running' AND lease_until > clock_timestamp()`.pipe(
        Effect.map((rows) => rows.length > 0)
      )

    const create = (
      owner: Owner,
      job: NewReplayJob,
      nowMs: number
    ): Effect.Effect<"queued" | RefusedJob, SqlError.SqlError> => insert(owner, job, nowMs)

    return {
      create,
      find,

      /** How many deliveries a retry job would take now. */
      countRetries: (target: RetryTarget, filters: RetryFilters) => countRetryable(read, target, filters),

      /** Returns jobs with an id below `beforeId`, newest first. */
      list: (owner: Owner, beforeId: string | undefined, limit: number) =>
        sql<ReplayJobRow>`
          SELECT ${columns} FROM replay_jobs
          WHERE ${owned(owner)} AND ${beforeId === undefined ? sql`true` : sql`id < ${beforeId}`}
          ORDER BY id DESC LIMIT ${limit}`,

      /** Takes up to a second: the worker finishes its batch first, so that its counts match what it queued. */
      cancel: Effect.fnUntraced(function* (owner: Owner, id: string) {
        const asked = yield* askToCancel(owner, id, yield* Clock.currentTimeMillis)
        let tries = CANCEL_MS / CANCEL_POLL_MS
        while (asked && tries-- > 0 && (yield* waitsForWorker(id))) {
          yield* Effect.sleep(CANCEL_POLL_MS)
        }
        if (asked)
          yield* endJob(sql, id, { status: "cancelled", error: null }, yield* Clock.currentTimeMillis)
        const found = yield* find(owner, id)
        if (Option.isNone(found)) return { result: "not found" } as const
        const job = found.value
        // The job may have completed or failed meanwhile.
        const cancelled = asked && job.status === "cancelled"
        return { result: cancelled ? "cancelled" : "not cancellable", job } as const
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ReplayStore, ReplayStore.make)
}
