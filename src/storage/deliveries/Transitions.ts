/**
 * Every statement that changes a delivery's status; no other file of src has one. domain/Delivery.ts draws the
 * states. Each statement takes a batch and checks the state of each row: a row in another state stays unchanged, so a
 * statement may be repeated after an unknown result.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { ExchangeDetails } from "../../domain/Delivery.ts"
import type { LedgerEvent } from "../../domain/LedgerEvent.ts"
import type { Network } from "../../domain/Network.ts"
import { CHARGED_NETWORK } from "../../domain/Quota.ts"
import { column } from "../Columns.ts"
import { withoutNul } from "../StoredText.ts"
import { countFailures } from "./FailureRuns.ts"
import { storedDetails } from "./StoredDetails.ts"

export interface NewDelivery {
  readonly id: string
  readonly webhookId: string
  readonly accountId: string
  readonly network: Network
  readonly eventId: string
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
  readonly webhookId: string
  readonly event: LedgerEvent
}

/** An attempt that has ended, and what follows from it. Times are Unix milliseconds. */
export interface AttemptRecord {
  readonly deliveryId: string
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
const amongIds = (sql: Sql, some: ReadonlyArray<{ readonly deliveryId: string }>) =>
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
  accountId: string,
  network: Network,
  nowMs: number
) => sql`
  INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, test_event, status, updated_at)
  VALUES (${id}, ${webhookId}, ${accountId}, ${network}, ${event.event_id}, ${event.event_type},
          ${JSON.stringify(event)}, 'pending', ${timestamp(sql, nowMs)})`

const outcomeColumns = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>) => sql`
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
  ${column(attempts.map((a) => (a.details === undefined ? null : storedDetails(a.details))))}::text[]`
const OUTCOME_COLUMNS = `delivery_id, attempt, status, response_status, response_time_ms, response_body, error,
  attempted_ms, ended_ms, next_delay_ms, details`
/** Few attempts have a flag, so their ids are passed instead of a value for each attempt. */
const outcomeFlags = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>) => {
  const among = (has: (attempt: AttemptRecord) => boolean | undefined) =>
    sql`o.delivery_id = ANY(${column(attempts.filter((a) => has(a) === true).map((a) => a.deliveryId))}::text[])`
  return sql`
    o.status = 'delivered' OR ${among((a) => a.answered)} AS answered, ${among((a) => a.manual)} AS manual,
    to_timestamp(attempted_ms / 1000) AS attempted_at, to_timestamp(ended_ms / 1000) AS ended_at`
}
const NEXT_ATTEMPT_AT = "o.ended_at + o.next_delay_ms * interval '1 millisecond'"

/**
 * What follows from the attempts in the CTE `moved`: the history of those that failed, the accounts' usage and what
 * they say about the webhooks. Returns the webhooks whose consecutive failures have reached `disableAfter`, and null for
 * others.
 */
// Usage is updated in the order of accounts, so that writers cannot deadlock.
// A batch has attempts of the same day of two months only if the clock was changed by a month. The usage of days then
// keeps the later one, because ON CONFLICT accepts each key once.
const consequences = (sql: Sql, disableAfter: number) => sql`
    history AS (
      INSERT INTO attempts (delivery_id, attempt, status, response_status, response_time_ms, response_body,
                            error, attempted_at, next_delay_ms, details)
      SELECT delivery_id, attempt, 'failed', response_status, response_time_ms,
             left(response_body, ${Limits.shownCharacters}), error, attempted_at, next_delay_ms, details
      FROM moved WHERE status <> 'delivered'
      ON CONFLICT DO NOTHING
    ), charges AS (
      SELECT charged_to, day, count(*) AS deliveries FROM moved WHERE charged_to IS NOT NULL GROUP BY charged_to, day
    ), charged AS (
      INSERT INTO delivery_usage (account_id, month, deliveries)
      SELECT charged_to, date_trunc('month', day)::date AS month, sum(deliveries) FROM charges
      GROUP BY charged_to, month ORDER BY charged_to, month
      ON CONFLICT (account_id, month) DO UPDATE SET deliveries = delivery_usage.deliveries + excluded.deliveries
    ), charged_days AS (
      INSERT INTO delivery_usage_days AS kept (account_id, day_of_month, day, deliveries)
      SELECT DISTINCT ON (charged_to, day_of_month) charged_to, extract(day FROM day) AS day_of_month, day, deliveries
      FROM charges ORDER BY charged_to, day_of_month, day DESC
      ON CONFLICT (account_id, day_of_month) DO UPDATE SET
        day = excluded.day,
        deliveries = excluded.deliveries + CASE WHEN kept.day = excluded.day THEN kept.deliveries ELSE 0 END
      WHERE kept.day <= excluded.day
    ), ${countFailures(sql, disableAfter)}`

/**
 * Records the outcomes of attempts of pending and retrying deliveries. The row, its attempt, the webhook's failure
 * counter and the account's usage change together, and only once. An attempt that delivers is stored only in the
 * delivery's row. A delivery that was ended while its attempt was in flight stays failed unless the attempt delivered
 * it; a delivered one never changes.
 */
// The rows are locked in the order of their ids, so that writers cannot deadlock.
export const recordAttempts = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>, disableAfter: number) =>
  sql<{ readonly id: string | null }>`
    WITH outcome AS (
      SELECT o.*, ${outcomeFlags(sql, attempts)}
      FROM unnest(${outcomeColumns(sql, attempts)}) WITH ORDINALITY AS o (${sql.literal(OUTCOME_COLUMNS)}, n)
    ), locked AS (
      SELECT d.id FROM deliveries d WHERE ${amongIds(sql, attempts)} ORDER BY d.id FOR NO KEY UPDATE
    ), moved AS (
      UPDATE deliveries d SET
        status = CASE WHEN d.status = 'failed' AND o.status = 'retrying' THEN 'failed' ELSE o.status END,
        attempts = o.attempt,
        parked = false,
        next_attempt_at = CASE WHEN o.status = 'retrying' AND d.status <> 'failed'
          THEN ${sql.literal(NEXT_ATTEMPT_AT)} END,
        last_error = o.error,
        response_status = o.response_status,
        response_time_ms = o.response_time_ms,
        response_body = o.response_body,
        attempted_at = CASE WHEN o.status = 'delivered' THEN o.attempted_at END,
        details = CASE WHEN o.status = 'delivered' THEN o.details END,
        updated_at = o.ended_at
      FROM outcome o JOIN locked ON locked.id = o.delivery_id
      WHERE ${amongIds(sql, attempts)} AND d.id = o.delivery_id AND d.attempts < o.attempt AND d.status <> 'delivered'
      RETURNING d.webhook_id, o.*, d.test_event IS NOT NULL AS test,
                (o.attempted_at AT TIME ZONE 'UTC')::date AS day,
                CASE WHEN d.network = ${CHARGED_NETWORK} AND d.test_event IS NULL THEN d.account_id END AS charged_to
    ), ${consequences(sql, disableAfter)}`.unprepared

/**
 * Inserts the rows of deliveries whose first attempt has ended, and what follows from it. If one of the rows exists,
 * the whole statement fails, so nothing is counted twice.
 */
// Rows are inserted in the order of their ids, so that two owners of a partition cannot deadlock.
export const recordFirstAttempts = (sql: Sql, ended: ReadonlyArray<FirstAttempt>, disableAfter: number) => {
  const attempts = ended.map(({ attempt }) => attempt)
  const rows = ended.map(({ row }) => row)
  return sql<{ readonly id: string | null }>`
    WITH outcome AS (
      SELECT o.*, ${outcomeFlags(sql, attempts)}
      FROM unnest(
        ${outcomeColumns(sql, attempts)},
        ${column(rows.map((d) => d.webhookId))}::text[],
        ${column(rows.map((d) => d.accountId))}::text[],
        ${column(rows.map((d) => d.network))}::text[],
        ${column(rows.map((d) => d.eventId))}::text[],
        ${column(rows.map((d) => d.eventType))}::text[],
        ${column(rows.map((d) => d.eventOffset))}::bigint[]
      ) WITH ORDINALITY AS o (${sql.literal(OUTCOME_COLUMNS)}, webhook_id, account_id, network, event_id, event_type,
                              event_offset, n)
    ), made AS (
      INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempts,
                              next_attempt_at, last_error, response_status, response_time_ms, response_body,
                              attempted_at, details, updated_at)
      SELECT delivery_id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempt,
             CASE WHEN status = 'retrying' THEN ${sql.literal(NEXT_ATTEMPT_AT)} END, error, response_status,
             response_time_ms, response_body, CASE WHEN status = 'delivered' THEN attempted_at END,
             CASE WHEN status = 'delivered' THEN details END, ended_at
      FROM outcome o ORDER BY delivery_id COLLATE "C"
    ), moved AS (
      SELECT o.*, false AS test, (attempted_at AT TIME ZONE 'UTC')::date AS day,
             CASE WHEN network = ${CHARGED_NETWORK} THEN account_id END AS charged_to
      FROM outcome o
    ), ${consequences(sql, disableAfter)}`
}

/**
 * Moves pending or retrying deliveries to the backlog. Their status stays. `afterLive`: to the backlog of the lane of
 * replays. A delivery whose attempt has been recorded meanwhile stays where it is.
 */
export const spill = (
  sql: Sql,
  works: ReadonlyArray<{ readonly deliveryId: string; readonly attempt: number }>,
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
 * delivery needs no new work if it is in the backlog (it is due already) or was retried before (its `next_attempt_at`
 * is then not after its `updated_at`). Each has a `next_attempt_at`, so that the index of what waits has it at once.
 */
export const retryNow = (
  sql: Sql,
  ids: ReadonlyArray<string>,
  nowMs: number
): Effect.Effect<ReadonlyArray<RetriedDelivery>, SqlError.SqlError> =>
  sql<RetriedDelivery>`
    UPDATE deliveries SET
      status = CASE status WHEN 'failed' THEN 'pending' ELSE status END,
      series_start = CASE status WHEN 'failed' THEN attempts ELSE series_start END,
      next_attempt_at = ${timestamp(sql, nowMs)},
      updated_at = ${timestamp(sql, nowMs)}
    WHERE id = ANY(${column(ids)}::text[])
      AND (status = 'failed' OR (status = 'retrying' AND NOT parked AND next_attempt_at > updated_at))
    RETURNING id, attempts + 1 AS attempt, attempts + 1 - series_start AS "seriesAttempt"`.unprepared
