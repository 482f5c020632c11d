/**
 * The mail outbox. A mail is queued once per cause, also by transactions that tell of what they changed; senders lease
 * one at a time, so that no two send the same at once, and one that died leaves it to the next when its lease is over.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { MailText } from "../../domain/Mails.ts"
import { printable } from "../../domain/Printable.ts"
import { column } from "../Columns.ts"

export interface NewMail extends MailText {
  /** What it is about: there is one mail of each. */
  readonly cause: string
  readonly accountId: string
  /** Null when the account has no address: the mail is written to the log instead. */
  readonly recipient: string | null
}

/** A mail in its sender's hands. */
export interface LeasedMail extends NewMail {
  readonly id: number
  /** This one included, from 1. */
  readonly attempt: number
  readonly createdAt: Date
}

const at = (unixMs: number) => new Date(unixMs).toISOString()

/** Queues mails inside the caller's transaction, if there is one; those whose cause is known stay as they are. */
export const queueMails = (
  sql: SqlClient.SqlClient,
  mails: ReadonlyArray<NewMail>,
  nowMs: number
): Effect.Effect<void, SqlError.SqlError> =>
  sql`
    INSERT INTO mails (cause, account_id, recipient, subject, body, created_at, next_attempt_at)
    SELECT cause, account_id, recipient, subject, body, ${at(nowMs)}::timestamptz, ${at(nowMs)}::timestamptz
    FROM unnest(
      ${column(mails.map(({ cause }) => cause))}::text[],
      ${column(mails.map(({ accountId }) => accountId))}::text[],
      ${column(mails.map(({ recipient }) => recipient))}::text[],
      ${column(mails.map(({ subject }) => subject))}::text[],
      ${column(mails.map(({ body }) => body))}::text[]
    ) AS new (cause, account_id, recipient, subject, body)
    ORDER BY cause ON CONFLICT (cause) DO NOTHING`.pipe(Effect.asVoid)

export class MailStore extends Context.Service<MailStore>()("ledgerhook/storage/MailStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      queue: (mails: ReadonlyArray<NewMail>, nowMs: number) => queueMails(sql, mails, nowMs),

      /** The mail that has been due longest, for `leaseMs`; undefined when none is due. */
      lease: (nowMs: number, leaseMs: number) =>
        sql<Omit<LeasedMail, "createdAt"> & { readonly created_ms: number }>`
          WITH due AS (
            SELECT id FROM mails WHERE next_attempt_at <= ${at(nowMs)}::timestamptz
            ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
          )
          UPDATE mails m SET attempts = attempts + 1, next_attempt_at = ${at(nowMs + leaseMs)}::timestamptz
          FROM due WHERE m.id = due.id
          RETURNING m.id::float8 AS id, cause, account_id AS "accountId", recipient, subject, body,
                    attempts AS attempt, (extract(epoch FROM created_at) * 1000)::float8 AS created_ms`.pipe(
          Effect.map(([row]) => {
            if (row === undefined) return undefined
            const { created_ms, ...mail } = row
            return { ...mail, createdAt: new Date(created_ms) }
          })
        ),

      sent: ({ id }: LeasedMail, nowMs: number) =>
        sql`UPDATE mails SET sent_at = ${at(nowMs)}::timestamptz, next_attempt_at = NULL, last_error = NULL
            WHERE id = ${String(id)}::bigint AND sent_at IS NULL`.pipe(Effect.asVoid),

      /** `nextAttemptAt` null gives it up. Nothing when its lease was over and another sender has it. */
      failed: ({ id, attempt }: LeasedMail, error: string, nextAttemptAt: number | null) =>
        sql`UPDATE mails SET last_error = ${printable(error, Limits.mailErrorLength)},
                   next_attempt_at = ${nextAttemptAt === null ? null : at(nextAttemptAt)}::timestamptz
            WHERE id = ${String(id)}::bigint AND attempts = ${attempt} AND sent_at IS NULL`.pipe(
          Effect.asVoid
        ),

      /** Drops what was queued before `beforeMs` and is sent or given up; returns how many. */
      drop: (beforeMs: number) =>
        sql`DELETE FROM mails WHERE next_attempt_at IS NULL AND created_at < ${at(beforeMs)}::timestamptz
            RETURNING 1`.pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(MailStore, MailStore.make)
}
