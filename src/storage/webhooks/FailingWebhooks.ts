/**
 * Queues mails about failing webhooks: if a webhook has accepted nothing for an hour, if it is half-way to being
 * disabled, and if it works again. The recorder counts the failures (deliveries/Transitions.ts). A mail is queued in
 * the transaction that marks it as reported, so each state is reported once, however many processes run this.
 * WebhookStore queues the mail about a disabled webhook.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { webhookFailingMail, webhookHalfWayMail, webhookRecoveredMail } from "../../domain/Mails.ts"
import { type NewMail, queueMails } from "../accounts/MailStore.ts"
import { afterDeadlock } from "./WebhookStore.ts"

interface Row {
  readonly webhookId: string
  readonly url: string
  readonly accountId: string
  readonly name: string
  readonly email: string | null
  /** Unix milliseconds. */
  readonly failingSince: number
  readonly failedAttempts: number
  readonly failures: number
}

/** The cause makes a mail unique. It begins with `kind`. */
const mailOf = (
  kind: string,
  row: Omit<Row, "failingSince">,
  since: number,
  text: Pick<NewMail, "subject" | "body">
): NewMail => ({
  cause: `${kind}/${row.webhookId}/${since}`,
  accountId: row.accountId,
  recipient: row.email,
  ...text
})

const FAILING = "webhook-failing"
const HALF_WAY = "webhook-half-way"
const RECOVERED = "webhook-recovered"

export const reportFailingWebhooks = Effect.fnUntraced(
  function* (disableAfter: number, nowMs: number) {
    const sql = yield* SqlClient.SqlClient
    const at = (unixMs: number) => sql`${new Date(unixMs).toISOString()}::timestamptz`
    const columns = (since: string) =>
      sql.literal(`
    w.id AS "webhookId", w.url, w.account_id AS "accountId", a.name, a.email, w.failed_attempts AS "failedAttempts",
    w.consecutive_failures AS failures, floor(extract(epoch FROM ${since}) * 1000)::float8 AS "failingSince"`)

    const failing = sql<Row>`
    UPDATE webhooks w SET failing_reported = failing_since FROM accounts a
    WHERE a.id = w.account_id AND w.id IN (
      SELECT id FROM webhooks o
      WHERE failing_since <= ${at(nowMs - Limits.webhookFailingMs)} AND failing_reported IS NULL
        AND failed_attempts >= ${Limits.webhookFailingAttempts} AND status = 'active' AND deleted_at IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM mails WHERE cause > ${`${FAILING}/`} || o.id || '/' AND cause < ${`${FAILING}/`} || o.id || '0'
            AND created_at > ${at(nowMs - Limits.webhookFailingPauseMs)}
        )
      ORDER BY id LIMIT ${Limits.webhookNoticesBatch} FOR UPDATE
    ) RETURNING ${columns("w.failing_since")}`

    // Not only while it does not answer: a response to a batch may list deliveries as failed.
    const halfWay = sql<Omit<Row, "failingSince"> & { readonly failingSince: number | null }>`
    SELECT ${columns("w.failing_since")} FROM webhooks w JOIN accounts a ON a.id = w.account_id
    WHERE w.consecutive_failures * 2 >= ${disableAfter}
      AND w.status = 'active' AND w.deleted_at IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM mails WHERE cause > ${`${HALF_WAY}/`} || w.id || '/' AND cause < ${`${HALF_WAY}/`} || w.id || '0'
          AND created_at > least(w.failing_since, ${at(nowMs - Limits.webhookFailingPauseMs)})
      )
    ORDER BY w.id LIMIT ${Limits.webhookNoticesBatch}`

    // A success has ended the reported failure. The subquery returns the reported time, which the update clears.
    const recovered = sql<Row>`
    UPDATE webhooks w SET failing_reported = NULL
    FROM accounts a, (
      SELECT id, failing_reported AS reported FROM webhooks
      WHERE failing_reported IS NOT NULL AND deleted_at IS NULL
        AND (failing_since IS NULL OR failing_since <> failing_reported)
      ORDER BY id LIMIT ${Limits.webhookNoticesBatch} FOR UPDATE
    ) o
    WHERE a.id = w.account_id AND w.id = o.id
    RETURNING ${columns("o.reported")}`

    const mails = [
      ...(yield* failing).map((row) => mailOf(FAILING, row, row.failingSince, webhookFailingMail(row))),
      ...(yield* halfWay).map((row) =>
        mailOf(HALF_WAY, row, row.failingSince ?? nowMs, webhookHalfWayMail({ ...row, disableAfter }))
      ),
      ...(yield* recovered).map((row) => mailOf(RECOVERED, row, row.failingSince, webhookRecoveredMail(row)))
    ]
    if (mails.length > 0) yield* queueMails(sql, mails, nowMs)
    return mails.length
  },
  (report) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(report)),
  Effect.retry(afterDeadlock)
)
