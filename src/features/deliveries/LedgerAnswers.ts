/**
 * What became of an account's live deliveries of some ledgers, by webhook and event type. The ids of a ledger's
 * deliveries begin with the time at which the ledger was taken, so each ledger is a range of an index.
 */
import type { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { BY_EVENT, idRange } from "../../spine/deliveries/DeliveryPages.ts"
import type { Network } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import { type AccountId, firstIdAt, type WebhookId } from "../../spine/words/Ids.ts"

/** The deliveries of one ledger and one type to one webhook. */
export interface LedgerAnswers {
  /** When the ledger was taken (`detected_at`), in Unix milliseconds. */
  readonly taken_at: number
  readonly webhook_id: WebhookId
  readonly event_type: string
  readonly events: number
  readonly answered: number
  /** Not delivered yet, or not at all: their newest attempt failed. */
  readonly failed: number
  /** Neither delivered nor failed finally. */
  readonly waiting: number
  /** Of the newest attempt for any of the ledger's deliveries to the webhook; null if there is none. */
  readonly last_status: number | null
  readonly last_error: string | null
  readonly response_time_ms: number | null
}

/** Of each ledger the first `Limits.countedRows` deliveries count. `takenAt`: times of ledgers. */
export const ledgerAnswers = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  network: Network,
  takenAt: ReadonlyArray<number>
) => {
  const key = [
    ["account_id", sql`${accountId}`],
    ["network", sql`${network}`]
  ] as const
  const { order, range } = idRange(sql, key, sql.literal("ledger.from_id"), sql.literal("ledger.end_id"))
  const ids = (offset: number) => column(takenAt.map((at) => firstIdAt("dlv_", at + offset)))
  return sql<LedgerAnswers>`
    WITH found AS MATERIALIZED (
      SELECT ledger.taken_at, delivery.* FROM unnest(
        ${column(takenAt)}::float8[], ${ids(0)}::text[], ${ids(1)}::text[]
      ) AS ledger (taken_at, from_id, end_id) CROSS JOIN LATERAL (
        SELECT webhook_id, event_type, status, attempts, updated_at, response_status, response_time_ms, last_error
        FROM deliveries WHERE ${range} AND ${sql.literal(`NOT ${BY_EVENT}`)}
        ORDER BY ${order} LIMIT ${Limits.countedRows}
      ) AS delivery
    ), newest AS (
      SELECT DISTINCT ON (taken_at, webhook_id) taken_at, webhook_id, response_status AS last_status,
             CASE WHEN status <> 'delivered' THEN last_error END AS last_error, response_time_ms
      FROM found WHERE attempts > 0 ORDER BY taken_at, webhook_id, updated_at DESC
    ), counted AS (
      SELECT taken_at, webhook_id, event_type, count(*)::int AS events,
             count(*) FILTER (WHERE status = 'delivered')::int AS answered,
             count(*) FILTER (WHERE status <> 'delivered' AND attempts > 0)::int AS failed,
             count(*) FILTER (WHERE status IN ('pending', 'retrying'))::int AS waiting
      FROM found GROUP BY 1, 2, 3
    )
    SELECT counted.*, last_status, last_error, response_time_ms
    FROM counted LEFT JOIN newest USING (taken_at, webhook_id) ORDER BY taken_at, webhook_id, event_type`
}
