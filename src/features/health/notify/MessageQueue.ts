/**
 * The queue of messages to accounts: the tables `mails` and `notices`, which have the same columns for it. Senders lease
 * one message at a time, so no two send the same one; if a sender dies, another one takes its message when the lease
 * ends. `cause` makes a message unique.
 */

import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Limits } from "../../../spine/config/Limits.ts"
import { column } from "../../../spine/store/Columns.ts"
import type { AccountId } from "../../../spine/words/Ids.ts"
import { printable } from "../../../spine/words/Printable.ts"
import { healthLimits } from "../Limits.ts"

/** A message that this process has leased to send. */
export interface Leased {
  readonly cause: string
  readonly accountId: AccountId
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly createdAt: Date
}

const at = (unixMs: number) => new Date(unixMs).toISOString()

/** `columns`: what a message has besides. */
export const makeMessageQueue = <Message extends Leased>(
  sql: SqlClient.SqlClient,
  table: "mails" | "notices",
  columns: string
) => {
  const messages = sql.literal(table)
  const returned = sql.literal(`cause, account_id AS "accountId", ${columns}, attempts AS attempt,
                  (extract(epoch FROM created_at) * 1000)::float8 AS created_ms`)
  type Row = Omit<Message, "createdAt"> & { readonly created_ms: number }
  const messageOf = ([row]: ReadonlyArray<Row>): Message | undefined => {
    if (row === undefined) return undefined
    const { created_ms, ...message } = row
    // The columns are those of `Message`.
    return { ...message, createdAt: new Date(created_ms) } as unknown as Message
  }
  return {
    /**
     * Leases the first message that is due, for `leaseMs`; undefined if none is due. A message that would wait for
     * longer than its delay is due too: the clock was set back.
     */
    lease: (nowMs: number, leaseMs: number): Effect.Effect<Message | undefined, SqlError.SqlError> =>
      sql<Row>`
        WITH due AS (
          SELECT id FROM ${messages} WHERE next_attempt_at IS NOT NULL AND (
            next_attempt_at <= ${at(nowMs)}::timestamptz
            OR next_attempt_at > ${at(nowMs + leaseMs)}::timestamptz
              + coalesce((${column(healthLimits.mailRetryDelaysMs)}::int[])[attempts], 0) * interval '1 millisecond')
          ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
        )
        UPDATE ${messages} m SET attempts = attempts + 1, next_attempt_at = ${at(nowMs + leaseMs)}::timestamptz
        FROM due WHERE m.id = due.id
        RETURNING ${returned}`.pipe(Effect.map(messageOf)),

    /** The same of one account, whose messages are found by an index. */
    leaseFirst: (
      accountId: AccountId,
      nowMs: number,
      leaseMs: number
    ): Effect.Effect<Message | undefined, SqlError.SqlError> =>
      sql<Row>`
        WITH due AS (
          SELECT id FROM ${messages} WHERE account_id = ${accountId} AND next_attempt_at IS NOT NULL
          ORDER BY next_attempt_at, id LIMIT 1 FOR UPDATE
        )
        UPDATE ${messages} m SET attempts = attempts + 1, next_attempt_at = ${at(nowMs + leaseMs)}::timestamptz
        FROM due WHERE m.id = due.id AND (next_attempt_at <= ${at(nowMs)}::timestamptz
          OR next_attempt_at > ${at(nowMs + leaseMs)}::timestamptz + coalesce(
            (${column(healthLimits.mailRetryDelaysMs)}::int[])[attempts], 0) * interval '1 millisecond')
        RETURNING ${returned}`.pipe(Effect.map(messageOf)),

    sent: ({ cause }: Leased, nowMs: number) =>
      sql`UPDATE ${messages} SET sent_at = ${at(nowMs)}::timestamptz, next_attempt_at = NULL, last_error = NULL
          WHERE cause = ${cause} AND sent_at IS NULL`.pipe(Effect.asVoid),

    /** If `nextAttemptAt` is null, it is given up. Changes nothing if another sender has leased the message. */
    failed: ({ attempt, cause }: Leased, error: string, nextAttemptAt: number | null) =>
      sql`UPDATE ${messages} SET last_error = ${printable(error, Limits.errorLength)},
                 next_attempt_at = ${nextAttemptAt === null ? null : at(nextAttemptAt)}::timestamptz
          WHERE cause = ${cause} AND attempts = ${attempt} AND sent_at IS NULL`.pipe(Effect.asVoid),

    /** Deletes messages queued before `beforeMs` that are sent or given up; returns how many. */
    drop: (beforeMs: number) =>
      sql`DELETE FROM ${messages} WHERE next_attempt_at IS NULL AND created_at < ${at(beforeMs)}::timestamptz
          RETURNING 1`.pipe(Effect.map((rows) => rows.length))
  }
}

export type MessageQueue<Message extends Leased> = ReturnType<typeof makeMessageQueue<Message>>
