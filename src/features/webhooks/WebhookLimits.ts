/** The account's limits of webhooks and of account filters in all webhooks together. */
import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { PlanLimits } from "../../spine/domain/Plans.ts"
import type { AccountId } from "../../spine/words/Ids.ts"

/** The change would exceed a limit of the account. */
export class WebhookLimit extends Data.TaggedError("WebhookLimit")<{
  readonly limit: "webhooks" | "accountFilters"
  readonly allowed: number
  /** How many of them the account has before the change. */
  readonly present: number
}> {}

/** Call it while the account's row is locked (`lockedLimits`). */
export const requireRoom = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  limits: PlanLimits,
  more: { readonly webhooks: number; readonly accountFilters: number }
) {
  const [present] = yield* sql<{ readonly webhooks: number; readonly accountFilters: number }>`
    SELECT count(*)::int AS webhooks, coalesce(sum(account_filters_count), 0)::int AS "accountFilters"
    FROM webhooks WHERE account_id = ${accountId} AND deleted_at IS NULL`
  for (const limit of ["webhooks", "accountFilters"] as const) {
    if (more[limit] > 0 && present![limit] + more[limit] > limits[limit])
      return yield* new WebhookLimit({ limit, allowed: limits[limit], present: present![limit] })
  }
})
