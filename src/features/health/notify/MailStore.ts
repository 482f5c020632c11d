/**
 * The queue of mails (MessageQueue.ts). A mail is queued once for each cause, in the transaction that causes it, and with
 * it the notice to the account's URL.
 */

import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { column } from "../../../spine/store/Columns.ts"
import type { AccountId } from "../../../spine/words/Ids.ts"
import type { MailText } from "./Mails.ts"
import { type Leased, makeMessageQueue } from "./MessageQueue.ts"
import { queueNotices } from "./NoticeStore.ts"
import type { Notice } from "./Notices.ts"

export interface NewMail extends MailText {
  /** Why it is sent. There is one mail for each cause. */
  readonly cause: string
  readonly accountId: AccountId
  /** Null if the account has no address: the mail is then logged instead. */
  readonly recipient: string | null
  readonly notice?: Notice
}

/** A mail that this process has leased to send. */
export type LeasedMail = Omit<NewMail, "notice"> & Leased

const at = (unixMs: number) => new Date(unixMs).toISOString()

/** Queues mails, inside the caller's transaction if there is one. A mail whose cause exists already is not queued. */
export const queueMails = (
  sql: SqlClient.SqlClient,
  mails: ReadonlyArray<NewMail>,
  nowMs: number
): Effect.Effect<void, SqlError.SqlError> =>
  mails.length === 0
    ? Effect.void
    : sql`
    INSERT INTO mails (cause, account_id, recipient, subject, body, created_at, next_attempt_at)
    SELECT cause, account_id, recipient, subject, body, ${at(nowMs)}::timestamptz, ${at(nowMs)}::timestamptz
    FROM unnest(
      ${column(mails.map(({ cause }) => cause))}::text[],
      ${column(mails.map(({ accountId }) => accountId))}::text[],
      ${column(mails.map(({ recipient }) => recipient))}::text[],
      ${column(mails.map(({ subject }) => subject))}::text[],
      ${column(mails.map(({ body }) => body))}::text[]
    ) AS new (cause, account_id, recipient, subject, body)
    ORDER BY cause ON CONFLICT (cause) DO NOTHING`.pipe(
        Effect.andThen(
          queueNotices(
            sql,
            mails.flatMap(({ accountId, cause, notice }) =>
              notice === undefined ? [] : [{ ...notice, accountId, cause }]
            ),
            nowMs
          )
        ),
        sql.withTransaction
      )

export class MailStore extends Context.Service<MailStore>()("ledgerhook/storage/MailStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    queue: (mails: ReadonlyArray<NewMail>, nowMs: number) => queueMails(sql, mails, nowMs),
    ...makeMessageQueue<LeasedMail>(sql, "mails", "recipient, subject, body")
  }))
}) {
  static readonly layer = Layer.effect(MailStore, MailStore.make)
}
