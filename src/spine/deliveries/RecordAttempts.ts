/**
 * Records the outcomes of attempts, in one transaction: the delivery's row, the history of what failed, the account's
 * usage, and the webhook's failures and incidents change together, and only once. An attempt that delivers is stored
 * only in the delivery's row. Test attempts count nowhere. A webhook whose attempts change nothing is read, and not
 * written.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { CHARGED_NETWORK } from "../domain/Quota.ts"
import { column } from "../store/Columns.ts"
import { afterAttempts, type IncidentChange, isAnswered, type WebhookFailures } from "./FailureRuns.ts"
import {
  type AttemptRecord,
  type CountedAttempt,
  type FirstAttempt,
  insertAttempted,
  OUTCOME_COLUMNS,
  outcomeColumns,
  updateAttempted
} from "./Transitions.ts"

type Sql = SqlClient.SqlClient
type ByWebhook = ReadonlyMap<string, ReadonlyArray<CountedAttempt>>

/**
 * Adds to the accounts' usage. Locks and returns the webhooks whose rows may have to change. `insert` is part of the
 * same statement, because at batches of 50 a
 * message to PostgreSQL is the most of what recording costs the program.
 */
// Writers lock webhooks before usage, because PostgreSQL runs the SELECT before what only writes, and rows of a table in
// the order of their keys, so writers cannot deadlock.
// A batch has attempts of the same day of two months only if the clock was changed by a month. The usage of days then
// keeps the later one, because ON CONFLICT accepts each key once.
const charge = (
  sql: Sql,
  counted: ReadonlyArray<CountedAttempt>,
  attempts: ByWebhook,
  insert: Statement.Fragment | undefined
) => {
  const charged = counted.filter(({ isTest, network }) => network === CHARGED_NETWORK && !isTest)
  const has = (what: (attempt: AttemptRecord) => boolean) =>
    column([...attempts.values()].map((some) => (some.some(({ attempt }) => what(attempt)) ? 1 : 0)))
  const ms = (name: string) => sql.literal(`(extract(epoch FROM w.${name}) * 1000)::float8 AS ${name}`)
  return sql<WebhookFailures>`
    WITH ${insert === undefined ? sql`` : sql`made AS (${insert}),`} charges AS (
      SELECT account_id COLLATE "C" AS account_id, (to_timestamp(attempted_ms / 1000) AT TIME ZONE 'UTC')::date AS day,
             count(*) AS deliveries
      FROM unnest(
        ${column(charged.map(({ accountId }) => accountId))}::text[],
        ${column(charged.map(({ attempt }) => attempt.attemptedAt))}::float8[]
      ) AS charged (account_id, attempted_ms)
      GROUP BY 1, 2
    ), charged AS (
      INSERT INTO delivery_usage (account_id, month, deliveries)
      SELECT account_id, date_trunc('month', day)::date AS month, sum(deliveries) FROM charges
      GROUP BY account_id, month ORDER BY account_id, month
      ON CONFLICT (account_id, month) DO UPDATE SET deliveries = delivery_usage.deliveries + excluded.deliveries
    ), charged_days AS (
      INSERT INTO delivery_usage_days AS kept (account_id, day_of_month, day, deliveries)
      SELECT DISTINCT ON (account_id, day_of_month) account_id, extract(day FROM day) AS day_of_month, day, deliveries
      FROM charges ORDER BY account_id, day_of_month, day DESC
      ON CONFLICT (account_id, day_of_month) DO UPDATE SET
        day = excluded.day,
        deliveries = excluded.deliveries + CASE WHEN kept.day = excluded.day THEN kept.deliveries ELSE 0 END
      WHERE kept.day <= excluded.day
    )
    SELECT w.id, w.status = 'active' AND w.deleted_at IS NULL AS is_active, ${ms("attempted_at")},
           w.consecutive_failures, ${ms("failing_since")}, ${ms("last_failed_at")}, w.failed_attempts, w.failed_deliveries,
           w.last_error, w.failing_from, w.incident_id, ${ms("incident_ended_at")}
    FROM unnest(
      ${column([...attempts.keys()])}::text[],
      ${has((attempt) => attempt.status === "failed" || !isAnswered(attempt))}::boolean[],
      ${has(({ status }) => status === "delivered")}::boolean[]
    ) AS attempted (id, failed, delivered) JOIN webhooks w ON w.id = ANY(ARRAY[attempted.id])
    WHERE attempted.failed OR w.failing_since IS NOT NULL OR w.attempted_at IS NULL
      OR (w.consecutive_failures > 0 AND attempted.delivered)
    ORDER BY w.id FOR NO KEY UPDATE OF w`
}

const insertHistory = (sql: Sql, failed: ReadonlyArray<AttemptRecord>) => sql`
  INSERT INTO attempts (delivery_id, attempt, status, response_status, response_time_ms, response_body,
                        error, attempted_at, next_delay_ms, details)
  SELECT delivery_id, attempt, 'failed', response_status, response_time_ms,
         left(response_body, ${Limits.attemptBodyCharacters}), error, to_timestamp(attempted_ms / 1000),
         next_delay_ms, details
  FROM unnest(${outcomeColumns(sql, failed)}) AS o (${sql.literal(OUTCOME_COLUMNS)})
  ON CONFLICT DO NOTHING`

const writeIncidents = (sql: Sql, incidents: ReadonlyArray<IncidentChange>) => sql`
  INSERT INTO incidents AS kept (id, account_id, network, webhook_id, began_at, ended_at, ended_by, cause,
                                 attempts_failed, failed_deliveries, first_delivery)
  SELECT new.id, w.account_id, w.network, w.id, to_timestamp(began_at / 1000), to_timestamp(ended_at / 1000), ended_by,
         cause, attempts_failed, new.failed_deliveries, first_delivery
  FROM json_to_recordset(${JSON.stringify(incidents)}::json) AS new (
      id text, webhook_id text, began_at float8, ended_at float8, ended_by text, cause text, attempts_failed int,
      failed_deliveries int, first_delivery text)
    JOIN webhooks w ON w.id = ANY(ARRAY[new.webhook_id])
  ON CONFLICT (id) DO UPDATE SET
    ended_at = excluded.ended_at, ended_by = excluded.ended_by, cause = coalesce(excluded.cause, kept.cause),
    attempts_failed = kept.attempts_failed + excluded.attempts_failed,
    failed_deliveries = kept.failed_deliveries + excluded.failed_deliveries,
    notice_state = CASE kept.notice_state WHEN 'closed' THEN 'new' ELSE kept.notice_state END,
    waited = NULL, delivered = NULL, failed = NULL`

const writeWebhooks = (sql: Sql, webhooks: ReadonlyArray<WebhookFailures>) => sql`
  UPDATE webhooks w SET
    attempted_at = to_timestamp(new.attempted_at / 1000),
    consecutive_failures = new.consecutive_failures,
    failing_since = to_timestamp(new.failing_since / 1000),
    last_failed_at = to_timestamp(new.last_failed_at / 1000),
    failed_attempts = new.failed_attempts,
    failed_deliveries = new.failed_deliveries,
    last_error = new.last_error,
    failing_from = new.failing_from,
    incident_id = new.incident_id,
    incident_ended_at = to_timestamp(new.incident_ended_at / 1000)
  FROM json_to_recordset(${JSON.stringify(webhooks)}::json) AS new (
    id text, attempted_at float8, consecutive_failures int, failing_since float8, last_failed_at float8,
    failed_attempts int, failed_deliveries int, last_error text, failing_from text, incident_id text,
    incident_ended_at float8)
  WHERE w.id = ANY(ARRAY[new.id])`

/** Returns the webhooks whose consecutive failures have reached `disableAfter`. */
const record = (
  sql: Sql,
  disableAfter: number,
  ended: Effect.Effect<ReadonlyArray<CountedAttempt>, SqlError.SqlError>,
  insert?: Statement.Fragment
) =>
  Effect.gen(function* () {
    const counted = yield* ended
    const attempts = Map.groupBy(
      counted.filter(({ isTest }) => !isTest),
      ({ webhookId }) => webhookId
    )
    const webhooks = yield* charge(sql, counted, attempts, insert)
    const failed = counted.flatMap(({ attempt }) => (attempt.status === "delivered" ? [] : [attempt]))
    if (failed.length > 0) yield* insertHistory(sql, failed)
    if (webhooks.length === 0) return []
    const changes = webhooks.map((before) =>
      afterAttempts(
        before,
        attempts.get(before.id)!.map(({ attempt }) => attempt)
      )
    )
    const incidents = changes.flatMap(({ incident }) => incident ?? [])
    if (incidents.length > 0) yield* writeIncidents(sql, incidents)
    const changed = changes.map(({ webhook }) => webhook)
    yield* writeWebhooks(sql, changed)
    return changed
      .filter(({ consecutive_failures, is_active }) => is_active && consecutive_failures >= disableAfter)
      .map(({ id }) => id)
  }).pipe(sql.withTransaction)

export const recordAttempts = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>, disableAfter: number) =>
  record(sql, disableAfter, updateAttempted(sql, attempts))

/** The same for the first attempts of deliveries without a row. If one of the rows exists, it fails and changes nothing. */
export const recordFirstAttempts = (sql: Sql, ended: ReadonlyArray<FirstAttempt>, disableAfter: number) => {
  const counted = ended.map(({ attempt, row }) => ({ ...row, attempt, isTest: false }))
  return record(sql, disableAfter, Effect.succeed(counted), insertAttempted(sql, ended))
}
