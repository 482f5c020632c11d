/** An account's limits in the database: those of its plan, replaced by its own. */

import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type LimitOverrides, limitsOf, type Plan, type PlanLimits } from "../../spine/domain/Plans.ts"
import type { AccountId } from "../../spine/words/Ids.ts"

/** As `PlanLimits`, of whose limits an account may have its own: one row of `accounts` has them all. */
export const ownColumns: ReadonlyArray<readonly [keyof LimitOverrides, string]> = [
  ["requestsPerMinute", "requests_per_minute"],
  ["requestsPerDay", "requests_per_day"],
  ["monthlyDeliveries", "monthly_deliveries"],
  ["concurrentReplays", "concurrent_replays"],
  ["webhooks", "webhooks"],
  ["accountFilters", "account_filters"]
]

/** SQL for the `LimitOverrides` of a row of `accounts`. */
export const OWN_LIMITS = `jsonb_build_object(${ownColumns.map(([limit, name]) => `'${limit}', ${name}`).join(", ")})`

/**
 * Locks the account's row until the transaction ends: a concurrent transaction that adds something a limit counts
 * waits, and then counts it. Call it before locking rows of `webhooks`, so that transactions cannot deadlock.
 * Undefined if there is no such account.
 */
export const lockedLimits = (
  sql: SqlClient.SqlClient,
  accountId: AccountId
): Effect.Effect<PlanLimits | undefined, SqlError.SqlError> =>
  sql<{ readonly plan: Plan; readonly own: LimitOverrides }>`
    SELECT plan, ${sql.literal(OWN_LIMITS)} AS own FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`.pipe(
    Effect.map(([account]) => (account === undefined ? undefined : limitsOf(account.plan, account.own)))
  )
