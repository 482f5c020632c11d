/**
 * The queue of mails. A mail is queued once for each cause, in the transaction that causes it. Senders lease one mail
 * at a time, so no two send the same one; if a sender dies, another one takes its mail when the lease ends.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { MailText } from "../../domain/Mails.ts"
import { printable } from "../../domain/Printable.ts"
import { column } from "../Columns.ts"

export interface NewMail extends MailText {
  /** Why it is sent. There is one mail for each cause. */
  readonly cause: string
  readonly accountId: string
  /** Null if the account has no address: the mail is then logged instead. */
  readonly recipient: string | null
}

/** A mail that this process has leased to send. */
export interface LeasedMail extends NewMail {
  readonly id: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly createdAt: Date
}

const at = (unixMs: number) => new Date(unixMs).toISOString()

/** Queues mails, inside the caller's transaction if there is one. A mail whose cause exists already is not queued. */
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

      /**
       * Leases the mail that has been due longest for `leaseMs`; undefined if none is due. A mail that would wait for
       * longer than its delay is due too: the clock was set back.
       */
      lease: (nowMs: number, leaseMs: number) =>
        sql<Omit<LeasedMail, "createdAt"> & { readonly created_ms: number }>`
          WITH due AS (
            SELECT id FROM mails WHERE next_attempt_at IS NOT NULL AND (
              next_attempt_at <= ${at(nowMs)}::timestamptz
              OR next_attempt_at > ${at(nowMs + leaseMs)}::timestamptz
                + coalesce((${column(Limits.mailRetryDelaysMs)}::int[])[attempts], 0) * interval '1 millisecond')
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

      /** If `nextAttemptAt` is null, the mail is given up. Changes nothing if another sender has leased the mail. */
      failed: ({ id, attempt }: LeasedMail, error: string, nextAttemptAt: number | null) =>
        sql`UPDATE mails SET last_error = ${printable(error, Limits.mailErrorLength)},
                   next_attempt_at = ${nextAttemptAt === null ? null : at(nextAttemptAt)}::timestamptz
            WHERE id = ${String(id)}::bigint AND attempts = ${attempt} AND sent_at IS NULL`.pipe(
          Effect.asVoid
        ),

      /** Deletes mails queued before `beforeMs` that are sent or given up; returns how many. */
      drop: (beforeMs: number) =>
        sql`DELETE FROM mails WHERE next_attempt_at IS NULL AND created_at < ${at(beforeMs)}::timestamptz
            RETURNING 1`.pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(MailStore, MailStore.make)
}
