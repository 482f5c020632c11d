/**
 * Notifies accounts of incidents: one message for all webhooks of an account at one host, and one when they work again.
 * health/DueNotices.ts says which incidents are due. A message is queued in the transaction that marks its incidents,
 * and these transactions run one after the other, so each message is queued once, however many processes run this and
 * wherever one of them dies.
 */

import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import type { IncidentEnd } from "../../spine/domain/HealthState.ts"
import { afterDeadlock } from "../../spine/store/AfterDeadlock.ts"
import { column } from "../../spine/store/Columns.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"
import { incidentsToReport, REPORTED_AFTER_MS } from "./DueNotices.ts"
import { failingHosts, HOST } from "./FailingHosts.ts"
import { mostHostsFail } from "./Hosts.ts"
import { failingMessage, NAMED_WEBHOOKS, recoveredMessage } from "./IncidentMessages.ts"
import { findIncidents } from "./IncidentStore.ts"
import { type NewMail, queueMails } from "./notify/MailStore.ts"
import type { Message } from "./notify/Mails.ts"

/** An account gets at most one message in this time that its webhooks at a host fail, and one that they work again. */
const PAUSE_MS = 3_600_000

/**
 * Hosts, each of one account, that are looked up at once, those that failed first before others. If webhooks work
 * again, their deliveries are counted: 1 to 3 ms for each.
 */
const HOSTS = { "host-failing": 1_000, "host-recovered": 100 }

interface Row {
  readonly id: string
  readonly webhookId: WebhookId
  readonly network: string
  readonly accountId: AccountId
  readonly name: string
  readonly email: string | null
  readonly host: string
  /** Unix milliseconds. */
  readonly beganAt: number
  readonly endedAt: number | null
  readonly endedBy: IncidentEnd | null
  readonly cause: string | null
  readonly attemptsFailed: number
  readonly failedDeliveries: number
  /** Whether its newest request was answered. */
  readonly answers: boolean
}

/** The first word of the causes of mails, which are unique. */
type Kind = "host-failing" | "host-recovered"

export const reportIncidents = Effect.fnUntraced(
  function* (nowMs: number, keptFromMs: number) {
    const sql = yield* SqlClient.SqlClient
    const at = (unixMs: number) => sql`${new Date(unixMs).toISOString()}::timestamptz`
    const answered = sql`i.ended_by IN ('attempt', 'retry')`
    const shortest = `interval '${REPORTED_AFTER_MS.several} ms'`
    // A run that began less than this after the end may yet continue the incident.
    const gap = `interval '${Limits.incidentGapMs} ms'`
    const settled = sql`i.ended_at <= ${at(nowMs - Limits.incidentGapMs)}
      AND (w.failing_since IS NULL OR w.failing_since >= i.ended_at + ${sql.literal(gap)})`

    const idsOf = (rows: ReadonlyArray<Row>) => rows.map(({ id }) => id)

    /** Incidents that are `wanted`, of accounts and hosts with one that is `ripe`, and without such a message lately. */
    const incidents = (kind: Kind, wanted: Statement.Fragment, ripe: Statement.Fragment) => sql<Row>`
      WITH wanted AS (
        SELECT i.*, ${sql.literal(HOST)} AS host, ${ripe} AS ripe,
               i.ended_at IS NOT NULL AND w.failing_since IS NULL AS answers FROM incidents i JOIN webhooks w ON w.id = i.webhook_id
        WHERE ${wanted}
      ), hosts AS (
        SELECT account_id, host FROM wanted w GROUP BY account_id, host HAVING bool_or(ripe) AND NOT EXISTS (
          SELECT FROM mails
          WHERE cause > concat_ws('/', ${kind}::text, w.account_id, host, '') AND cause < concat_ws('/', ${kind}::text, w.account_id, host || '0')
            AND created_at > ${at(nowMs - PAUSE_MS)}
            AND created_at < ${at(nowMs + PAUSE_MS)}
        ) ORDER BY min(began_at) LIMIT ${HOSTS[kind]}
      )
      SELECT i.id, webhook_id AS "webhookId", network, account_id AS "accountId", host, name, email, cause,
             (extract(epoch FROM began_at) * 1000)::float8 AS "beganAt",
             (extract(epoch FROM ended_at) * 1000)::float8 AS "endedAt", ended_by AS "endedBy",
             attempts_failed AS "attemptsFailed", failed_deliveries AS "failedDeliveries", answers
      FROM wanted i JOIN hosts USING (account_id, host) JOIN accounts a ON a.id = account_id ORDER BY i.id`

    const grouped = (rows: ReadonlyArray<Row>) =>
      Map.groupBy(rows, ({ accountId, host }) => `${accountId}/${host}`)

    const mailOf = (kind: Kind, { accountId, email, host }: Row, message: Message): NewMail => ({
      cause: `${kind}/${accountId}/${host}/${nowMs}`,
      accountId,
      recipient: email,
      ...message
    })

    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.incident-notices', 0))`

    const unreported = yield* incidents(
      "host-failing",
      sql`i.notice_state = 'new' AND CASE WHEN i.ended_at IS NULL THEN w.paused_at IS NULL ELSE ${answered} END`,
      sql`coalesce(i.ended_at, ${at(nowMs)}) - i.began_at >= ${sql.literal(shortest)}`
    )
    const due = [...grouped(unreported).values()].filter(
      (rows) => incidentsToReport(rows, nowMs, false).length > 0
    )
    const othersFail = due.length > 0 && mostHostsFail(yield* failingHosts)
    const failing = due
      .map((rows) => incidentsToReport(rows, nowMs, othersFail))
      .filter((rows) => rows.length > 0)
    const over = yield* incidents(
      "host-recovered",
      sql`i.notice_state = 'reported' AND ${answered} AND ${settled}`,
      sql`true`
    )
    const recovered = yield* Effect.forEach(grouped(over).values(), (rows) =>
      Effect.map(findIncidents(idsOf(rows.slice(0, NAMED_WEBHOOKS)), nowMs, keptFromMs), (found) => {
        const outcomes = new Map(found.map(({ id, outcome }) => [id, outcome]))
        return rows.map((row) => ({ ...row, outcome: outcomes.get(row.id) ?? null }))
      })
    )

    yield* queueMails(
      sql,
      [
        ...failing.map((rows) =>
          mailOf("host-failing", rows[0]!, failingMessage({ ...rows[0]!, incidents: rows, othersFail }))
        ),
        ...recovered.map((rows) =>
          mailOf("host-recovered", rows[0]!, recoveredMessage({ ...rows[0]!, incidents: rows }))
        )
      ],
      nowMs
    )
    // Last, because the recorder waits for these rows. An incident that goes on meanwhile stays open.
    yield* sql`
      UPDATE incidents SET notice_state = 'reported' WHERE id = ANY(${column(idsOf(failing.flat()))}::text[])`
    yield* sql`
      UPDATE incidents i SET notice_state = 'closed' FROM webhooks w
      WHERE w.id = i.webhook_id AND i.notice_state <> 'closed' AND (
        (i.id = ANY(${column(idsOf(recovered.flat()))}::text[]) AND i.ended_at IS NOT NULL)
        OR i.ended_by IN ('disabled', 'deleted') OR (i.notice_state = 'new' AND ${settled}))`
  },
  (report) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(report)),
  Effect.retry(afterDeadlock)
)
