/**
 * Queues mails about webhooks that are half-way to being disabled. The recorder counts the failures
 * (deliveries/FailureRuns.ts). A webhook is reported once, however many processes run this: its mail has a cause, and
 * causes are unique.
 */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"
import { queueMails } from "./notify/MailStore.ts"
import { webhookHalfWayMail } from "./notify/Mails.ts"

/** A webhook is reported at most once in this time as half-way to being disabled. */
const PAUSE_MS = 24 * 3_600_000

interface Row {
  readonly webhookId: WebhookId
  readonly url: string
  readonly accountId: AccountId
  readonly name: string
  readonly email: string | null
  /** Unix milliseconds. */
  readonly failingSince: number | null
  readonly failures: number
}

const HALF_WAY = "webhook-half-way"

export const reportHalfWay = Effect.fnUntraced(function* (disableAfter: number, nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const pauseFrom = sql`${new Date(nowMs - PAUSE_MS).toISOString()}::timestamptz`
  // Not only while it does not answer: a response to a batch may list deliveries as failed.
  const rows = yield* sql<Row>`
    SELECT w.id AS "webhookId", w.url, w.account_id AS "accountId", a.name, a.email,
           w.consecutive_failures AS failures, floor(extract(epoch FROM w.failing_since) * 1000)::float8 AS "failingSince"
    FROM webhooks w JOIN accounts a ON a.id = w.account_id
    WHERE w.consecutive_failures * 2 >= ${disableAfter}
      AND w.status = 'active' AND w.deleted_at IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM mails WHERE cause > ${`${HALF_WAY}/`} || w.id || '/' AND cause < ${`${HALF_WAY}/`} || w.id || '0'
          AND created_at > least(w.failing_since, ${pauseFrom})
      )
    ORDER BY w.id LIMIT ${Limits.statementRows}`
  const mails = rows.map((row) => ({
    cause: `${HALF_WAY}/${row.webhookId}/${row.failingSince ?? nowMs}`,
    accountId: row.accountId,
    recipient: row.email,
    ...webhookHalfWayMail({ ...row, disableAfter })
  }))
  yield* queueMails(sql, mails, nowMs)
})
