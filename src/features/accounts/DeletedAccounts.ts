/**
 * Deleting an account: in one transaction its keys, sessions, kept answers, notices, mails, usage, name and address go, and
 * its webhooks end as by `DELETE` (webhooks/DeletedQueues.ts). Nothing of it can be read through the API from then on.
 * What a request that was running wrote afterwards goes within an hour. Deliveries and the rows of webhooks and jobs,
 * which have lost their content, go with their retention, and the account's row after them.
 */
import { Clock, Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { endIncidents } from "../../spine/deliveries/Incidents.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { tombstone } from "../../spine/registry/WebhookRow.ts"
import { afterDeadlock } from "../../spine/store/AfterDeadlock.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"
import { eachAlone } from "../../spine/words/EachAlone.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"

/** Why an account is not deleted. `first`: the account that the first start made, to which ADMIN_KEY belongs. */
export class NotDeletable extends Data.TaggedError("NotDeletable")<{
  readonly reason: "unknown" | "first"
}> {}

/** What goes at once, in the order in which admission locks counts, those of accounts first. */
const goneAtOnce = [
  "account_usage WHERE account_id = $1",
  "key_usage WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)",
  "sessions WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)",
  "api_keys WHERE account_id = $1",
  "idempotency_answers WHERE account_id = $1",
  "notice_urls WHERE account_id = $1",
  "notices WHERE account_id = $1",
  "mails WHERE account_id = $1",
  "delivery_usage WHERE account_id = $1",
  "delivery_usage_days WHERE account_id = $1"
]

const emptied = Effect.fnUntraced(function* (id: AccountId, nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const outbox = yield* Outbox.make
  const now = sql`${new Date(nowMs).toISOString()}::timestamptz`
  for (const rows of goneAtOnce) yield* sql.unsafe(`DELETE FROM ${rows}`, [id])
  const webhooks = yield* sql<{ readonly id: WebhookId }>`
    UPDATE webhooks SET deleted_at = ${now}, updated_at = ${now}, ending = true
    WHERE account_id = ${id} AND deleted_at IS NULL RETURNING id`
  const ids = webhooks.map((one) => one.id)
  if (ids.length === 0) return
  yield* endIncidents(sql, ids, "deleted", nowMs)
  yield* outbox.insert(ids.map(tombstone))
})

/** Deletes the account. */
export const deleteAccount = Effect.fnUntraced(
  function* (id: AccountId, nowMs: number) {
    const sql = yield* SqlClient.SqlClient
    const [account] = yield* sql<{ readonly first: boolean }>`
      SELECT id = (SELECT min(id) FROM accounts) AS first FROM accounts
      WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE`
    if (account === undefined) return yield* new NotDeletable({ reason: "unknown" })
    if (account.first) return yield* new NotDeletable({ reason: "first" })
    yield* sql`
      UPDATE accounts SET name = '', email = NULL, deleted_at = ${new Date(nowMs).toISOString()}::timestamptz
      WHERE id = ${id}`
    yield* emptied(id, nowMs)
  },
  (deletion) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(deletion)),
  Effect.retry({
    times: afterDeadlock.times,
    while: (error) => error._tag === "SqlError" && afterDeadlock.while(error)
  })
)

/** Empties deleted accounts again, and deletes the rows of those of which nothing is left. */
export const sweepDeletedAccounts = Effect.fnUntraced(function* (nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const deleted = yield* sql<{ readonly id: AccountId }>`SELECT id FROM accounts WHERE deleted_at IS NOT NULL`
  const sweep = Effect.fnUntraced(function* (id: AccountId) {
    yield* sql.withTransaction(emptied(id, nowMs))
    yield* sql`
      DELETE FROM accounts a WHERE id = ${id}
        AND NOT EXISTS (SELECT FROM webhooks WHERE account_id = a.id)
        AND NOT EXISTS (SELECT FROM replay_jobs WHERE account_id = a.id)`
  })
  // One may fail for long, for example because of a foreign table that references accounts.
  yield* eachAlone(deleted, ({ id }) => sweep(id))
})

/** Half-hourly, so that what was written while an account was deleted is gone within an hour. */
export const forgetDeletedAccounts = Effect.flatMap(Clock.currentTimeMillis, sweepDeletedAccounts).pipe(
  repeatEvery("emptying deleted accounts", Limits.maintenanceMs / 2)
)
