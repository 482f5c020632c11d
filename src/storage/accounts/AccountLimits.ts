/** An account's limits as the database has them: its plan's, and what it has of its own. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type LimitOverrides, limitsOf, type Plan, type PlanLimits } from "../../domain/Plans.ts"

export const ownColumns: ReadonlyArray<readonly [keyof LimitOverrides, string]> = [
  ["requestsPerMinute", "requests_per_minute"],
  ["requestsPerDay", "requests_per_day"],
  ["monthlyDeliveries", "monthly_deliveries"],
  ["concurrentReplays", "concurrent_replays"],
  ["webhooks", "webhooks"],
  ["accountFilters", "account_filters"]
]

/** Of a row of `accounts`: its `LimitOverrides`. */
export const OWN_LIMITS = `jsonb_build_object(${ownColumns.map(([limit, name]) => `'${limit}', ${name}`).join(", ")})`

/**
 * Holds the account's row to the end of the transaction: whoever adds what a limit counts waits for it, and then counts
 * what it has added. Before any row of `webhooks` is held, so that nobody waits in a circle. Undefined: no such account.
 */
export const lockedLimits = (
  sql: SqlClient.SqlClient,
  accountId: string
): Effect.Effect<PlanLimits | undefined, SqlError.SqlError> =>
  sql<{ readonly plan: Plan; readonly own: LimitOverrides }>`
    SELECT plan, ${sql.literal(OWN_LIMITS)} AS own FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`.pipe(
    Effect.map(([account]) => (account === undefined ? undefined : limitsOf(account.plan, account.own)))
  )
