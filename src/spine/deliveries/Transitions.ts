/**
 * Every statement that changes a delivery's status; no other file of src has one. domain/Delivery.ts draws the
 * states. Each statement takes a batch and checks the state of each row: a row in another state stays unchanged, so a
 * statement may be repeated after an unknown result.
 */

import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { ExchangeDetails } from "../domain/Delivery.ts"
import type { LedgerEvent } from "../event/LedgerEvent.ts"
import type { Network } from "../event/Network.ts"
import { column } from "../store/Columns.ts"
import { withoutNul } from "../store/StoredText.ts"
import type { AccountId, DeliveryId, EventId, WebhookId } from "../words/Ids.ts"
import { storedDetails } from "./StoredDetails.ts"

export interface NewDelivery {
  readonly id: string
  readonly webhookId: WebhookId
  readonly accountId: AccountId
  readonly network: Network
  readonly eventId: EventId
  readonly eventType: string
  /** Offset of the event in `xrpl.<network>.events`. */
  readonly eventOffset: number
  /** `eventOffset` is in `xrpl.<network>.history.events`; only in replays. */
  readonly fromHistory?: boolean
  /** Absent for live deliveries. */
  readonly replayJobId?: string
}

export interface NewTestDelivery {
  readonly id: string
  readonly webhookId: WebhookId
  readonly event: LedgerEvent
}

/** An attempt that has ended, and what follows from it. Times are Unix milliseconds. */
export interface AttemptRecord {
  readonly deliveryId: DeliveryId
  readonly attempt: number
  readonly status: "delivered" | "retrying" | "failed"
  readonly responseStatus: number | null
  readonly responseTimeMs: number | null
  readonly responseBody: string | null
  readonly error: string | null
  readonly attemptedAt: number
  readonly endedAt: number
  /** Null if no attempt follows. */
  readonly nextDelayMs: number | null
  readonly details?: ExchangeDetails
  /** The delivery failed, but the webhook answered: its 2xx to a batch lists the delivery as failed. */
  readonly answered?: boolean | undefined
  /** Somebody asked for the attempt, outside the delivery's schedule. */
  readonly manual?: boolean | undefined
  /**
   * The delivery holds back later ones of this lane until its next attempt: it waits in the backlog, and no record asks
   * for that attempt. Undefined unless `retrying`.
   */
  readonly holds?: "live" | "replays" | undefined
}

/** The first attempt of a delivery that has no row yet. */
export interface FirstAttempt {
  readonly attempt: AttemptRecord
  readonly row: NewDelivery
}

type Sql = SqlClient.SqlClient

const timestamp = (sql: Sql, unixMs: number) => sql`${new Date(unixMs).toISOString()}::timestamptz`

/** An attempt follows. */
const queued = (sql: Sql) => sql`status IN ('pending', 'retrying')`

/**
 * The rows of these deliveries. Their ids are a condition of their own, and statements with it run as `unprepared`:
 * PostgreSQL then plans for these ids, so for their days only. It would keep the plan of a prepared statement, and one
 * that was made while a day had few rows reads the whole day for each batch until PostgreSQL analyses it, a minute later.
 */
const amongIds = (sql: Sql, some: ReadonlyArray<{ readonly deliveryId: DeliveryId }>) =>
  sql`d.id = ANY(${column(some.map(({ deliveryId }) => deliveryId))}::text[])`

/** Inserts new deliveries as `pending`. Existing rows stay unchanged. */
export const insertPending = (sql: Sql, deliveries: ReadonlyArray<NewDelivery>, nowMs: number) => sql`
  INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, from_history,
                          replay_job_id, status, updated_at)
  SELECT new.*, 'pending', ${timestamp(sql, nowMs)}
  FROM unnest(
    ${column(deliveries.map((d) => d.id))}::text[],
    ${column(deliveries.map((d) => d.webhookId))}::text[],
    ${column(deliveries.map((d) => d.accountId))}::text[],
    ${column(deliveries.map((d) => d.network))}::text[],
    ${column(deliveries.map((d) => d.eventId))}::text[],
    ${column(deliveries.map((d) => d.eventType))}::text[],
    ${column(deliveries.map((d) => d.eventOffset))}::bigint[],
    ${column(deliveries.map((d) => (d.fromHistory === true ? 1 : 0)))}::boolean[],
    ${column(deliveries.map((d) => d.replayJobId ?? null))}::text[]
  ) AS new
  ON CONFLICT DO NOTHING`

/** Inserts a test delivery as `pending`. Its row contains its event. */
export const insertTest = (
  sql: Sql,
  { id, webhookId, event }: NewTestDelivery,
  accountId: AccountId,
  network: Network,
  nowMs: number
) => sql`
  INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, test_event, status, updated_at)
  VALUES (${id}, ${webhookId}, ${accountId}, ${network}, ${event.event_id}, ${event.event_type},
          ${JSON.stringify(event)}, 'pending', ${timestamp(sql, nowMs)})`

/** Columns of attempts for `unnest`; `OUTCOME_COLUMNS` are their names. */
export const outcomeColumns = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>) => sql`
  ${column(attempts.map((a) => a.deliveryId))}::text[],
  ${column(attempts.map((a) => a.attempt))}::int[],
  ${column(attempts.map((a) => a.status))}::text[],
  ${column(attempts.map((a) => a.responseStatus))}::int[],
  ${column(attempts.map((a) => a.responseTimeMs))}::int[],
  ${column(attempts.map((a) => a.responseBody && withoutNul(a.responseBody)))}::text[],
  ${column(attempts.map((a) => a.error && withoutNul(a.error)))}::text[],
  ${column(attempts.map((a) => a.attemptedAt))}::float8[],
  ${column(attempts.map((a) => a.endedAt))}::float8[],
  ${column(attempts.map((a) => a.nextDelayMs))}::int[],
  ${column(attempts.map((a) => (a.details === undefined ? null : storedDetails(a.details))))}::text[],
  ${column(attempts.map((a) => a.holds ?? null))}::text[]`
export const OUTCOME_COLUMNS = `delivery_id, attempt, status, response_status, response_time_ms, response_body, error,
  attempted_ms, ended_ms, next_delay_ms, details, holds`
const ATTEMPTED_AT = "to_timestamp(o.attempted_ms / 1000)"
const NEXT_ATTEMPT_AT = "to_timestamp((o.ended_ms + o.next_delay_ms) / 1000)"

/** An attempt that changed its delivery's row: only such attempts count. */
export interface CountedAttempt {
  readonly attempt: AttemptRecord
  readonly webhookId: WebhookId
  readonly accountId: AccountId
  readonly network: Network
  readonly isTest: boolean
}

/**
 * Records outcomes in the rows of pending and retrying deliveries, and returns those that changed a row, in the order
 * of `attempts`. A delivery that was ended while its attempt was in flight stays failed unless the attempt delivered
 * it; a delivered one never changes.
 */
// The rows are locked in the order of their ids, so that writers cannot deadlock.
export const updateAttempted = (
  sql: Sql,
  attempts: ReadonlyArray<AttemptRecord>
): Effect.Effect<ReadonlyArray<CountedAttempt>, SqlError.SqlError> =>
  sql<Omit<CountedAttempt, "attempt"> & { readonly place: number }>`
    WITH locked AS (
      SELECT d.id FROM deliveries d WHERE ${amongIds(sql, attempts)} ORDER BY d.id FOR NO KEY UPDATE
    )
    UPDATE deliveries d SET
      status = CASE WHEN d.status = 'failed' AND o.status = 'retrying' THEN 'failed' ELSE o.status END,
      attempts = o.attempt,
      parked = o.holds IS NOT NULL AND d.status <> 'failed',
      after_live = coalesce(o.holds = 'replays', d.after_live),
      next_attempt_at = CASE WHEN o.status = 'retrying' AND d.status <> 'failed'
        THEN ${sql.literal(NEXT_ATTEMPT_AT)} END,
      last_error = o.error,
      response_status = o.response_status,
      response_time_ms = o.response_time_ms,
      response_body = o.response_body,
      attempted_at = CASE WHEN o.status = 'delivered' THEN ${sql.literal(ATTEMPTED_AT)} END,
      details = CASE WHEN o.status = 'delivered' THEN o.details END,
      updated_at = to_timestamp(o.ended_ms / 1000)
    FROM unnest(${outcomeColumns(sql, attempts)}) WITH ORDINALITY AS o (${sql.literal(OUTCOME_COLUMNS)}, n)
      JOIN locked ON locked.id = o.delivery_id
    WHERE ${amongIds(sql, attempts)} AND d.id = o.delivery_id AND d.attempts < o.attempt AND d.status <> 'delivered'
    RETURNING o.n::int AS place, d.webhook_id AS "webhookId", d.account_id AS "accountId", d.network,
              d.test_event IS NOT NULL AS "isTest"`.unprepared.pipe(
    Effect.map((changed) =>
      changed
        .toSorted((one, other) => one.place - other.place)
        .map(({ place, ...row }) => ({ ...row, attempt: attempts[place - 1]! }))
    )
  )

/**
 * Inserts the rows of deliveries whose first attempt has ended. If one of the rows exists, the whole statement fails,
 * so nothing is counted twice.
 */
// Rows are inserted in the order of their ids, so that two owners of a partition cannot deadlock.
export const insertAttempted = (sql: Sql, ended: ReadonlyArray<FirstAttempt>): Statement.Fragment => {
  const attempts = ended.map(({ attempt }) => attempt)
  const rows = ended.map(({ row }) => row)
  return sql`
    INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempts,
                            parked, after_live, next_attempt_at, last_error, response_status, response_time_ms, response_body,
                            attempted_at, details, updated_at)
    SELECT delivery_id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempt,
           holds IS NOT NULL, holds IS NOT DISTINCT FROM 'replays', CASE WHEN status = 'retrying' THEN ${sql.literal(NEXT_ATTEMPT_AT)} END, error, response_status,
           response_time_ms, response_body, CASE WHEN status = 'delivered' THEN ${sql.literal(ATTEMPTED_AT)} END,
           CASE WHEN status = 'delivered' THEN details END, to_timestamp(ended_ms / 1000)
    FROM unnest(
      ${outcomeColumns(sql, attempts)},
      ${column(rows.map((d) => d.webhookId))}::text[],
      ${column(rows.map((d) => d.accountId))}::text[],
      ${column(rows.map((d) => d.network))}::text[],
      ${column(rows.map((d) => d.eventId))}::text[],
      ${column(rows.map((d) => d.eventType))}::text[],
      ${column(rows.map((d) => d.eventOffset))}::bigint[]
    ) AS o (${sql.literal(OUTCOME_COLUMNS)}, webhook_id, account_id, network, event_id, event_type, event_offset)
    ORDER BY delivery_id COLLATE "C"`
}

/**
 * Moves pending or retrying deliveries to the backlog. Their status stays. `afterLive`: to the backlog of the lane of
 * replays. A delivery whose attempt has been recorded meanwhile stays where it is.
 */
export const moveToBacklog = (
  sql: Sql,
  works: ReadonlyArray<{ readonly deliveryId: DeliveryId; readonly attempt: number }>,
  afterLive: boolean
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(
    sql`
    UPDATE deliveries d SET parked = true, after_live = ${afterLive}
    FROM unnest(
      ${column(works.map((work) => work.deliveryId))}::text[],
      ${column(works.map((work) => work.attempt))}::int[]
    ) AS work (id, attempt)
    WHERE ${amongIds(sql, works)} AND d.id = work.id AND d.attempts = work.attempt - 1 AND NOT d.parked AND d.${queued(sql)}`
      .unprepared
  )

/** The same for all deliveries from one id on, to before another if it is given, whatever attempt they wait for. */
export const moveRangeToBacklog = (
  sql: Sql,
  fromId: string,
  beforeId?: string
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(
    sql`
    UPDATE deliveries SET parked = true, after_live = replay_job_id IS NOT NULL
    WHERE id >= ${fromId} ${beforeId === undefined ? sql`` : sql`AND id < ${beforeId}`} AND NOT parked AND ${queued(sql)}`
      .unprepared
  )

/**
 * Pending or retrying → failed, without an attempt. `which` is `[FROM …] WHERE …` about deliveries `d`; returns how
 * many were ended.
 */
export const endQueued = (
  sql: Sql,
  which: Statement.Fragment,
  reason: string,
  nowMs: number
): Effect.Effect<number, SqlError.SqlError> =>
  Effect.map(
    sql`
      UPDATE deliveries d SET status = 'failed', last_error = ${reason}, parked = false, next_attempt_at = NULL,
             updated_at = ${timestamp(sql, nowMs)}
      ${which} AND d.${queued(sql)} RETURNING 1`.unprepared,
    (ended) => ended.length
  )

/** A delivery that `retryNow` changed, and the numbers of the attempt that is to be made now. */
export interface RetriedDelivery {
  readonly id: string
  readonly attempt: number
  readonly seriesAttempt: number
}

/**
 * A failed delivery becomes pending and begins a new series; its attempt numbers continue. A retrying delivery stays
 * retrying, and its next attempt is due now. Returns the deliveries whose work must be queued now. A retrying
 * delivery needs no new work if it is due already in the backlog, or was retried before (its `next_attempt_at` is then
 * not after its `updated_at`). One that waits in the backlog for its time is found there by the work. Each has a
 * `next_attempt_at`, so that the index of what waits has it at once. `jobId`: the retry job that asks for it.
 */
export const retryNow = (
  sql: Sql,
  ids: ReadonlyArray<string>,
  nowMs: number,
  jobId: string | null = null
): Effect.Effect<ReadonlyArray<RetriedDelivery>, SqlError.SqlError> =>
  sql<RetriedDelivery>`
    UPDATE deliveries SET
      status = CASE status WHEN 'failed' THEN 'pending' ELSE status END,
      series_start = CASE status WHEN 'failed' THEN attempts ELSE series_start END,
      next_attempt_at = ${timestamp(sql, nowMs)},
      retry_job_id = coalesce(${jobId}, retry_job_id),
      updated_at = ${timestamp(sql, nowMs)}
    WHERE id = ANY(${column(ids)}::text[])
      AND (status = 'failed' OR (status = 'retrying' AND next_attempt_at > updated_at
        AND (NOT parked OR next_attempt_at > ${timestamp(sql, nowMs)})))
    RETURNING id, attempts + 1 AS attempt, attempts + 1 - series_start AS "seriesAttempt"`.unprepared

/** Names the retry job in those of its deliveries that `retryNow` did not change. Their status stays. */
export const nameRetryJob = (sql: Sql, ids: ReadonlyArray<string>, jobId: string) =>
  sql`
    UPDATE deliveries SET retry_job_id = ${jobId}
    WHERE id = ANY(${column(ids)}::text[]) AND retry_job_id IS DISTINCT FROM ${jobId}`.unprepared
