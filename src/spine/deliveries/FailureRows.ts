/**
 * Reads and writes what FailureRuns.ts says of webhooks: their columns and their incidents. Statements of
 * RecordAttempts.ts.
 */
import type { SqlClient, Statement } from "effect/sql"
import { column } from "../store/Columns.ts"
import { type IncidentChange, isAnswered, type WebhookFailures } from "./FailureRuns.ts"
import type { AttemptRecord, CountedAttempt } from "./Transitions.ts"

type Sql = SqlClient.SqlClient

/**
 * Locks and returns the webhooks whose rows may have to change by these attempts. A webhook whose attempts change
 * nothing is read, and not locked. The statement also does what stands behind `WITH`, because at batches of 50 a
 * message to PostgreSQL is the most of what recording costs the program.
 */
// Writers lock webhooks before what `also` writes, because PostgreSQL runs the SELECT first, and rows of a table in the
// order of their keys, so writers cannot deadlock.
export const lockWebhooks = (
  sql: Sql,
  attempts: ReadonlyMap<string, ReadonlyArray<CountedAttempt>>,
  also: Statement.Fragment
) => {
  const has = (what: (attempt: AttemptRecord) => boolean) =>
    column([...attempts.values()].map((some) => (some.some(({ attempt }) => what(attempt)) ? 1 : 0)))
  const ms = (name: string) => sql.literal(`(extract(epoch FROM w.${name}) * 1000)::float8 AS ${name}`)
  return sql<WebhookFailures>`
    WITH ${also}
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

export const writeIncidents = (sql: Sql, incidents: ReadonlyArray<IncidentChange>) => sql`
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

export const writeWebhooks = (sql: Sql, webhooks: ReadonlyArray<WebhookFailures>) => sql`
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
