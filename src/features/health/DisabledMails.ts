/**
 * Queues mails about webhooks that the recorder has disabled. Its row says when and why. A webhook is reported once,
 * however many processes run this: its mail has a cause, and causes are unique. Who disables or enables a webhook by
 * request gets none.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"
import { DISABLED_BY_REQUEST } from "../webhooks/WebhookChange.ts"
import { healthLimits } from "./Limits.ts"
import { queueMails } from "./notify/MailStore.ts"
import { webhookDisabledMail } from "./notify/Mails.ts"

const DAY_MS = 86_400_000

interface Row {
  readonly webhookId: WebhookId
  readonly network: string
  readonly url: string
  readonly reason: string
  /** Unix milliseconds. */
  readonly disabledAt: number
  readonly accountId: AccountId
  readonly name: string
  readonly email: string | null
  readonly cause: string
}

export const reportDisabled = Effect.fnUntraced(function* (nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  // The mail of a webhook that was disabled earlier may have been dropped.
  const since = sql`${new Date(nowMs - healthLimits.mailsKeptMs / 2).toISOString()}::timestamptz`
  const rows = yield* sql<Row>`
    SELECT * FROM (
      SELECT w.id AS "webhookId", w.network, w.url, w.disabled_reason AS reason, w.account_id AS "accountId",
             a.name, a.email, floor(extract(epoch FROM w.disabled_at) * 1000)::float8 AS "disabledAt",
             'webhook-disabled/' || w.id || '/' ||
               to_char(w.disabled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS cause
      FROM webhooks w JOIN accounts a ON a.id = w.account_id
      WHERE w.status = 'disabled' AND w.disabled_reason <> ${DISABLED_BY_REQUEST} AND w.disabled_at > ${since}
        AND w.deleted_at IS NULL
    ) AS disabled
    WHERE NOT EXISTS (SELECT FROM mails WHERE mails.cause = disabled.cause)
    ORDER BY "webhookId" LIMIT ${Limits.statementRows}`
  const mails = rows.map(({ cause, email, ...disabled }) => ({
    cause,
    accountId: disabled.accountId,
    recipient: email,
    ...webhookDisabledMail({ ...disabled, queueWaitsDays: Limits.stoppedQueueMs / DAY_MS })
  }))
  yield* queueMails(sql, mails, nowMs)
})
