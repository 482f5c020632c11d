/** Gaps of webhooks that begin because an account has used up its quota (store/migrations/0015_webhook_progress.ts). */
import type { SqlClient } from "effect/sql"
import { CHARGED_NETWORK } from "../domain/Quota.ts"
import { column } from "../store/Columns.ts"
import type { AccountId } from "../words/Ids.ts"

/** Opens gaps of all webhooks of these accounts whose deliveries wait for the quota. */
export const openQuotaGaps = (sql: SqlClient.SqlClient, accountIds: ReadonlyArray<AccountId>) => sql`
  SELECT open_webhook_gaps(ARRAY(
    SELECT id FROM webhooks WHERE account_id = ANY(${column(accountIds)}::text[]) AND network = ${CHARGED_NETWORK}
  ), 'quota')`
