/**
 * What attempts say about their webhooks, in the statement that records them. A run is the failed requests since the
 * newest answer. Requests count, so a batch counts once; a batch whose response lists failed deliveries is an answer.
 * An incident is a span in which a webhook was failing (`webhook_is_failing`). Test attempts count nowhere. A webhook
 * whose attempts change nothing is read, and not written.
 */
import type { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { STORED_BATCH_ID } from "./StoredDetails.ts"

/**
 * CTEs that follow `moved`, and the update of `webhooks` at the end. Returns the webhooks whose consecutive failures have
 * reached `disableAfter`, and null for others. A row of `moved` is an attempt, with `n` (its place), `test`, `answered`
 * and `manual`.
 */
// `numbered`: the k-th answer has `run` k and ends the run k - 1; failures after it are of the run k. Run 0 continues
// what the row has. Statements lock the rows in the order of their ids, so that writers cannot deadlock.
// If a statement has several spans of one webhook, they become one incident. They are minutes apart only if the
// database was away for so long.
export const countFailures = (sql: SqlClient.SqlClient, disableAfter: number) => {
  const request = sql.literal(`coalesce(${STORED_BATCH_ID}, n::text)`)
  return sql`
    told AS (
      SELECT webhook_id, bool_or(NOT answered OR status = 'failed') AS failed, count(*) FILTER (WHERE answered) AS answers,
             max(n) FILTER (WHERE status = 'delivered') AS last_delivered, min(ended_at) AS attempted_at
      FROM moved WHERE NOT test GROUP BY webhook_id
    ), before AS (
      SELECT w.id, w.account_id, w.network, w.failing_since, w.failed_attempts, w.last_failed_at, w.last_error,
             w.failed_deliveries, w.failing_from, w.incident_id, w.incident_ended_at,
             w.incident_id IS NOT NULL AND w.incident_ended_at IS NULL AS incident_is_open,
             w.status = 'active' AND w.deleted_at IS NULL AS is_active, told.*
      FROM told JOIN webhooks w ON w.id = ANY(ARRAY[told.webhook_id])
      WHERE told.failed OR w.failing_since IS NOT NULL OR w.attempted_at IS NULL
        OR (w.consecutive_failures > 0 AND told.last_delivered IS NOT NULL)
      ORDER BY w.id FOR NO KEY UPDATE OF w
    ), numbered AS (
      SELECT m.*, count(*) FILTER (WHERE answered) OVER (PARTITION BY m.webhook_id ORDER BY n) AS run
      FROM before b JOIN moved m ON m.webhook_id = b.id WHERE NOT m.test
    ), given_up AS (
      SELECT m.webhook_id, count(*)::int AS deliveries FROM numbered m JOIN before b ON b.id = m.webhook_id
      WHERE m.status = 'failed' AND m.n > coalesce(b.last_delivered, 0) GROUP BY m.webhook_id
    ), answer AS (
      SELECT webhook_id, run - 1 AS run, ended_at, manual FROM numbered WHERE answered
    ), runs AS (
      SELECT webhook_id, run, min(since) AS failing_since, max(last_failed_at) AS last_failed_at,
             sum(attempts)::int AS failed_attempts, sum(attempts) FILTER (WHERE fresh)::int AS fresh_attempts,
             sum(deliveries)::int AS failed_deliveries, sum(deliveries) FILTER (WHERE fresh)::int AS fresh_deliveries,
             (array_agg(last_error ORDER BY fresh DESC))[1] AS last_error,
             (array_agg(failing_from ORDER BY fresh))[1] AS failing_from
      FROM (
        SELECT webhook_id, run, true AS fresh, min(ended_at) AS since, max(ended_at) AS last_failed_at,
               count(DISTINCT ${request}) AS attempts, count(*) FILTER (WHERE attempt = 1) AS deliveries,
               (array_agg(error ORDER BY n DESC))[1] AS last_error,
               (array_agg(CASE WHEN attempt = 1 THEN delivery_id END ORDER BY n))[1] AS failing_from
        FROM numbered WHERE NOT answered GROUP BY webhook_id, run
        UNION ALL
        SELECT id, 0, false, failing_since, last_failed_at, failed_attempts, failed_deliveries, last_error, failing_from
        FROM before WHERE failing_since IS NOT NULL
      ) AS parts GROUP BY webhook_id, run
    ), spans AS (
      SELECT b.id AS webhook_id, b.account_id, b.network, min(r.failing_since) AS began_at,
             (array_agg(r.last_error ORDER BY r.run DESC))[1] AS cause,
             (array_agg(r.failing_from ORDER BY r.run))[1] AS failing_from,
             (array_agg(CASE WHEN a.ended_at IS NOT NULL THEN greatest(a.ended_at, r.failing_since) END ORDER BY r.run DESC))[1] AS ended_at,
             (array_agg(a.manual ORDER BY r.run DESC))[1] AS by_retry,
             sum(CASE WHEN r.run = 0 AND b.incident_is_open THEN coalesce(r.fresh_attempts, 0)
               ELSE r.failed_attempts END)::int AS attempts_failed,
             sum(CASE WHEN r.run = 0 AND b.incident_is_open THEN coalesce(r.fresh_deliveries, 0)
               ELSE r.failed_deliveries END)::int AS failed_deliveries,
             CASE WHEN b.incident_is_open OR min(r.failing_since) < b.incident_ended_at
               + interval '${sql.literal(String(Limits.incidentGapMs))} ms' THEN b.incident_id END AS continued
      FROM runs r JOIN before b ON b.id = r.webhook_id LEFT JOIN answer a ON a.webhook_id = r.webhook_id AND a.run = r.run
      WHERE b.is_active AND webhook_is_failing(r.failing_since, r.failed_attempts, r.last_failed_at)
      GROUP BY b.id, b.account_id, b.network, b.incident_id, b.incident_ended_at, b.incident_is_open
    ), incident AS (
      SELECT coalesce(continued, 'inc_' || substr(first_delivery_id(began_at), 5, 10)
               || upper(substr(md5(webhook_id || began_at), 1, 16))) AS id, *
      FROM spans
    ), kept_incidents AS (
      INSERT INTO incidents AS kept (id, account_id, network, webhook_id, began_at, ended_at, ended_by, cause,
                                     attempts_failed, failed_deliveries, first_delivery)
      SELECT id, account_id, network, webhook_id, began_at, ended_at,
             CASE WHEN ended_at IS NOT NULL THEN CASE WHEN by_retry THEN 'retry' ELSE 'attempt' END END,
             cause, attempts_failed, failed_deliveries, coalesce(failing_from, first_delivery_id(began_at))
      FROM incident ORDER BY id
      ON CONFLICT (id) DO UPDATE SET
        ended_at = excluded.ended_at, ended_by = excluded.ended_by, cause = coalesce(excluded.cause, kept.cause),
        attempts_failed = kept.attempts_failed + excluded.attempts_failed,
        failed_deliveries = kept.failed_deliveries + excluded.failed_deliveries,
        notice_state = CASE kept.notice_state WHEN 'closed' THEN 'new' ELSE kept.notice_state END,
        waited = NULL, delivered = NULL, failed = NULL
    )
    UPDATE webhooks w SET
      attempted_at = coalesce(w.attempted_at, b.attempted_at),
      consecutive_failures = CASE WHEN b.last_delivered IS NULL THEN w.consecutive_failures ELSE 0 END
        + coalesce(g.deliveries, 0),
      failing_since = r.failing_since,
      failed_attempts = coalesce(r.failed_attempts, 0),
      failed_deliveries = coalesce(r.failed_deliveries, 0),
      last_failed_at = r.last_failed_at,
      last_error = r.last_error,
      failing_from = r.failing_from,
      incident_id = coalesce(i.id, w.incident_id),
      incident_ended_at = CASE WHEN i.id IS NULL THEN w.incident_ended_at ELSE i.ended_at END
    FROM before b
      LEFT JOIN runs r ON r.webhook_id = b.id AND r.run = b.answers
      LEFT JOIN given_up g ON g.webhook_id = b.id
      LEFT JOIN incident i ON i.webhook_id = b.id
    WHERE w.id = ANY(ARRAY[b.id])
    RETURNING CASE WHEN w.consecutive_failures >= ${disableAfter} AND w.status = 'active' THEN w.id END AS id`
}
