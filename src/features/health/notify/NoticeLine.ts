/**
 * The line of accounts for which notices are to be sent. The account at its head has been due for longest; after each
 * notice it goes to the end. One sender sends for an account at a time, so an account with many notices and a slow URL
 * takes one sender, and delays the others by one notice. If a sender dies, its account is free when the lease ends.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountId } from "../../../spine/words/Ids.ts"
import { healthLimits } from "../Limits.ts"
import type { Leased, MessageQueue } from "./MessageQueue.ts"

const LONGEST_DELAY_MS = Math.max(...healthLimits.mailRetryDelaysMs)

const at = (unixMs: number) => new Date(unixMs).toISOString()

export const makeNoticeLine = <Notice extends Leased>(
  sql: SqlClient.SqlClient,
  { leaseFirst }: Pick<MessageQueue<Notice>, "leaseFirst">
) => {
  /** Locks the head of the line until the transaction ends. */
  const head = Effect.fnUntraced(function* (nowMs: number, leaseMs: number) {
    const free = sql`(leased_until IS NULL OR leased_until <= ${at(nowMs)}::timestamptz
      OR leased_until > ${at(nowMs + leaseMs)}::timestamptz)`
    const [due] = yield* sql<{ readonly accountId: AccountId }>`
      SELECT account_id AS "accountId" FROM notice_urls WHERE due_at <= ${at(nowMs)}::timestamptz AND ${free}
      ORDER BY due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`
    if (due !== undefined) return due.accountId
    // No notice waits for so long, so the clock was set back.
    const [late] = yield* sql<{ readonly accountId: AccountId }>`
      SELECT account_id AS "accountId" FROM notice_urls
      WHERE due_at > ${at(nowMs + leaseMs + LONGEST_DELAY_MS)}::timestamptz AND ${free}
      ORDER BY due_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`
    return late?.accountId
  })

  /** The account's row is locked, so a notice that another transaction queues is counted here or changes `due_at` later. */
  const standAgain = (accountId: AccountId, nowMs: number) => sql`
    UPDATE notice_urls SET leased_until = NULL, due_at = (
      SELECT greatest(next_attempt_at, ${at(nowMs)}::timestamptz) FROM notices
      WHERE account_id = ${accountId} AND next_attempt_at IS NOT NULL ORDER BY next_attempt_at, id LIMIT 1)
    WHERE account_id = ${accountId}`

  return {
    /** Leases the account at the head, and its first notice; undefined if no notice is due. */
    lease: Effect.fnUntraced(
      function* (nowMs: number, leaseMs: number) {
        for (;;) {
          const accountId = yield* head(nowMs, leaseMs)
          if (accountId === undefined) return undefined
          const notice = yield* leaseFirst(accountId, nowMs, leaseMs)
          if (notice !== undefined) {
            yield* sql`UPDATE notice_urls SET leased_until = ${at(nowMs + leaseMs)}::timestamptz
                       WHERE account_id = ${accountId}`
            return notice
          }
          // A process of version 0.3 has sent it.
          yield* standAgain(accountId, nowMs)
        }
      },
      (lease) => sql.withTransaction(lease)
    ),

    /** Frees the account after one of its notices. */
    free: (accountId: AccountId, nowMs: number) =>
      sql`SELECT FROM notice_urls WHERE account_id = ${accountId} FOR NO KEY UPDATE`.pipe(
        Effect.andThen(standAgain(accountId, nowMs)),
        sql.withTransaction,
        Effect.asVoid
      )
  }
}
