/**
 * Records the outcomes of attempts, in one transaction: the delivery's row, the history of what failed, the account's
 * usage, and the webhook's failures and incidents change together, and only once. An attempt that delivers is stored
 * only in the delivery's row. Test attempts count only there. A webhook whose attempts change nothing is read, and not
 * written.
 */
// Rows of deliveries, of webhooks and of usage are locked in this order, and those of a table in the order of their
// keys, so that writers cannot deadlock. Release 0.2 has the same order.
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { CHARGED_NETWORK, dateOf } from "../../domain/Quota.ts"
import { column } from "../Columns.ts"
import { withoutNul } from "../StoredText.ts"
import { afterAttempts, type IncidentChange, type WebhookFailures } from "./FailureRuns.ts"
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
const DAY_MS = 86_400_000

/** The attempts of each webhook, in their order, without test attempts. */
const byWebhook = (counted: ReadonlyArray<CountedAttempt>) => {
  const all = new Map<string, Array<AttemptRecord>>()
  for (const { attempt, isTest, webhookId } of counted) {
    if (isTest) continue
    const some = all.get(webhookId)
    if (some === undefined) all.set(webhookId, [attempt])
    else some.push(attempt)
  }
  return all
}
type ByWebhook = ReturnType<typeof byWebhook>

/** How many deliveries each account is charged for on each day. */
const chargesOf = (counted: ReadonlyArray<CountedAttempt>) => {
  const charges = new Map<string, { readonly accountId: string; readonly at: number; deliveries: number }>()
  for (const { accountId, attempt, isTest, network } of counted) {
    if (isTest || network !== CHARGED_NETWORK) continue
    const key = `${Math.floor(attempt.attemptedAt / DAY_MS)} ${accountId}`
    const charge = charges.get(key)
    if (charge === undefined) charges.set(key, { accountId, at: attempt.attemptedAt, deliveries: 1 })
    else charge.deliveries++
  }
  return [...charges.values()]
}

/** Adds to the accounts' usage. Locks and returns the webhooks whose rows the attempts may change. */
// PostgreSQL runs the SELECT before the parts that only write.
// A batch has attempts of the same day of two months only if the clock was changed by a month. The usage of days then
// keeps the later one, because ON CONFLICT accepts each key once.
const charge = (
  sql: Sql,
  counted: ReadonlyArray<CountedAttempt>,
  attempts: ByWebhook,
  insert: Statement.Fragment | undefined
) => {
  const charges = chargesOf(counted)
  const webhooksWith = (what: (attempt: AttemptRecord) => boolean) =>
    column([...attempts.values()].map((some) => (some.some(what) ? 1 : 0)))
  const ms = (name: string) => sql.literal(`(extract(epoch FROM w.${name}) * 1000)::float8`)
  return sql<WebhookFailures>`
    WITH ${insert === undefined ? sql`` : sql`made AS (${insert}),`} charges AS (
      SELECT * FROM unnest(
        ${column(charges.map(({ accountId }) => accountId))}::text[],
        ${column(charges.map(({ at }) => dateOf(at)))}::date[],
        ${column(charges.map(({ deliveries }) => deliveries))}::int[]
      ) AS c (account_id, day, deliveries)
    ), charged AS (
      INSERT INTO delivery_usage (account_id, month, deliveries)
      SELECT account_id, date_trunc('month', day)::date AS month, sum(deliveries) FROM charges
      GROUP BY account_id, month ORDER BY account_id COLLATE "C", month
      ON CONFLICT (account_id, month) DO UPDATE SET deliveries = delivery_usage.deliveries + excluded.deliveries
    ), charged_days AS (
      INSERT INTO delivery_usage_days AS kept (account_id, day_of_month, day, deliveries)
      SELECT DISTINCT ON (account_id COLLATE "C", day_of_month) account_id, extract(day FROM day) AS day_of_month, day,
             deliveries
      FROM charges ORDER BY account_id COLLATE "C", day_of_month, day DESC
      ON CONFLICT (account_id, day_of_month) DO UPDATE SET
        day = excluded.day,
        deliveries = excluded.deliveries + CASE WHEN kept.day = excluded.day THEN kept.deliveries ELSE 0 END
      WHERE kept.day <= excluded.day
    )
    SELECT w.id, w.account_id AS "accountId", w.network, w.status = 'active' AND w.deleted_at IS NULL AS "isActive",
           w.consecutive_failures AS "consecutiveFailures", w.failed_attempts AS "failedAttempts",
           w.failed_deliveries AS "failedDeliveries", w.last_error AS "lastError", w.failing_from AS "failingFrom",
           w.incident_id AS "incidentId", ${ms("failing_since")} AS "failingSince",
           ${ms("last_failed_at")} AS "lastFailedAt", ${ms("incident_ended_at")} AS "incidentEndedAt"
    FROM unnest(
      ${column([...attempts.keys()])}::text[],
      ${webhooksWith(({ answered, status }) => status === "failed" || (status === "retrying" && answered !== true))}::boolean[],
      ${webhooksWith(({ status }) => status === "delivered")}::boolean[]
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

interface Changed {
  readonly webhook: WebhookFailures
  readonly incident: IncidentChange | undefined
  readonly attemptedAt: number
}

const text = (value: string | null) => value && withoutNul(value)

const writeIncidents = (
  sql: Sql,
  changes: ReadonlyArray<{ readonly webhook: WebhookFailures; readonly incident: IncidentChange }>
) => sql`
  INSERT INTO incidents AS kept (id, account_id, network, webhook_id, began_at, ended_at, ended_by, cause,
                                 attempts_failed, failed_deliveries, first_delivery)
  SELECT id, account_id, network, webhook_id, to_timestamp(began_ms / 1000), to_timestamp(ended_ms / 1000), ended_by,
         cause, attempts_failed, failed_deliveries, first_delivery
  FROM unnest(
    ${column(changes.map(({ incident }) => incident.id))}::text[],
    ${column(changes.map(({ webhook }) => webhook.accountId))}::text[],
    ${column(changes.map(({ webhook }) => webhook.network))}::text[],
    ${column(changes.map(({ webhook }) => webhook.id))}::text[],
    ${column(changes.map(({ incident }) => incident.beganAt))}::float8[],
    ${column(changes.map(({ incident }) => incident.endedAt))}::float8[],
    ${column(changes.map(({ incident }) => incident.endedBy))}::text[],
    ${column(changes.map(({ incident }) => text(incident.cause)))}::text[],
    ${column(changes.map(({ incident }) => incident.attemptsFailed))}::int[],
    ${column(changes.map(({ incident }) => incident.failedDeliveries))}::int[],
    ${column(changes.map(({ incident }) => incident.firstDelivery))}::text[]
  ) AS new (id, account_id, network, webhook_id, began_ms, ended_ms, ended_by, cause, attempts_failed,
            failed_deliveries, first_delivery)
  ON CONFLICT (id) DO UPDATE SET
    ended_at = excluded.ended_at, ended_by = excluded.ended_by, cause = coalesce(excluded.cause, kept.cause),
    attempts_failed = kept.attempts_failed + excluded.attempts_failed,
    failed_deliveries = kept.failed_deliveries + excluded.failed_deliveries,
    notice_state = CASE kept.notice_state WHEN 'closed' THEN 'new' ELSE kept.notice_state END,
    waited = NULL, delivered = NULL, failed = NULL`

const writeWebhooks = (sql: Sql, changes: ReadonlyArray<Changed>) => sql`
  UPDATE webhooks w SET
    attempted_at = coalesce(w.attempted_at, to_timestamp(new.attempted_ms / 1000)),
    consecutive_failures = new.consecutive_failures,
    failing_since = to_timestamp(new.failing_ms / 1000),
    last_failed_at = to_timestamp(new.last_failed_ms / 1000),
    failed_attempts = new.failed_attempts,
    failed_deliveries = new.failed_deliveries,
    last_error = new.last_error,
    failing_from = new.failing_from,
    incident_id = new.incident_id,
    incident_ended_at = to_timestamp(new.incident_ended_ms / 1000)
  FROM unnest(
    ${column(changes.map(({ webhook }) => webhook.id))}::text[],
    ${column(changes.map(({ attemptedAt }) => attemptedAt))}::float8[],
    ${column(changes.map(({ webhook }) => webhook.consecutiveFailures))}::int[],
    ${column(changes.map(({ webhook }) => webhook.failingSince))}::float8[],
    ${column(changes.map(({ webhook }) => webhook.lastFailedAt))}::float8[],
    ${column(changes.map(({ webhook }) => webhook.failedAttempts))}::int[],
    ${column(changes.map(({ webhook }) => webhook.failedDeliveries))}::int[],
    ${column(changes.map(({ webhook }) => text(webhook.lastError)))}::text[],
    ${column(changes.map(({ webhook }) => webhook.failingFrom))}::text[],
    ${column(changes.map(({ webhook }) => webhook.incidentId))}::text[],
    ${column(changes.map(({ webhook }) => webhook.incidentEndedAt))}::float8[]
  ) AS new (id, attempted_ms, consecutive_failures, failing_ms, last_failed_ms, failed_attempts, failed_deliveries,
            last_error, failing_from, incident_id, incident_ended_ms)
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
    const attempts = byWebhook(counted)
    const webhooks = yield* charge(sql, counted, attempts, insert)
    const failed = counted.flatMap(({ attempt }) => (attempt.status === "delivered" ? [] : [attempt]))
    if (failed.length > 0) yield* insertHistory(sql, failed)
    const changes = webhooks.map((before) => {
      const some = attempts.get(before.id) ?? []
      return { ...afterAttempts(before, some), attemptedAt: Math.min(...some.map(({ endedAt }) => endedAt)) }
    })
    const incidents = changes.flatMap(({ incident, webhook }) => (incident ? [{ incident, webhook }] : []))
    if (incidents.length > 0) yield* writeIncidents(sql, incidents)
    if (changes.length > 0) yield* writeWebhooks(sql, changes)
    return changes.flatMap(({ webhook: { consecutiveFailures, id, isActive } }) =>
      isActive && consecutiveFailures >= disableAfter ? [id] : []
    )
  }).pipe(sql.withTransaction)

export const recordAttempts = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>, disableAfter: number) =>
  record(sql, disableAfter, updateAttempted(sql, attempts))

/** The same for the first attempts of deliveries without a row. If one of the rows exists, it fails and changes nothing. */
export const recordFirstAttempts = (sql: Sql, ended: ReadonlyArray<FirstAttempt>, disableAfter: number) =>
  record(
    sql,
    disableAfter,
    Effect.succeed(ended.map(({ attempt, row }) => ({ ...row, attempt, isTest: false }))),
    insertAttempted(sql, ended)
  )
