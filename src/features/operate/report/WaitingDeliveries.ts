/**
 * How many deliveries of all accounts wait, and why those in the backlog do, for the report. It reads the totals, so
 * it costs about a microsecond for each webhook that has waiting deliveries, and nothing for the others.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CHARGED_NETWORK, type Hold } from "../../../spine/domain/Quota.ts"
import { column } from "../../../spine/store/Columns.ts"

/** Webhooks with the largest backlogs that are searched for the oldest due delivery: 6 ms. */
const OLDEST_DUE_WEBHOOKS = 100

export const backlogReasons = ["quota", "suspended", "disabled", "paused", "deleted", "full"] as const
export type BacklogReason = (typeof backlogReasons)[number]

interface CountRow {
  readonly status: "pending" | "retrying"
  readonly parked: boolean
  readonly reason: BacklogReason
  readonly count: number
}

export interface WaitingDeliveries {
  readonly byStatus: Readonly<Record<"pending" | "retrying", number>>
  /** Those of them that are in the backlog. */
  readonly inBacklog: Readonly<Record<BacklogReason, number>>
  /**
   * Since when the first delivery in a webhook's backlog has been due, for the webhook where that is longest. Only
   * backlogs that wait for memory count, and of them the `OLDEST_DUE_WEBHOOKS` largest. Undefined: there is none.
   */
  readonly oldestDueMs: number | undefined
}

/** `holds`: the accounts whose deliveries wait. */
export const readWaiting = Effect.fnUntraced(function* (holds: ReadonlyMap<string, Hold>) {
  const sql = yield* SqlClient.SqlClient
  const counts = sql`
    SELECT d.webhook_id, d.status, d.parked, d.count, CASE
      WHEN w.deleted_at IS NOT NULL THEN 'deleted'
      WHEN w.status = 'disabled' THEN 'disabled'
      WHEN w.paused_at IS NOT NULL THEN 'paused'
      WHEN hold.reason = 'suspended' THEN 'suspended'
      WHEN hold.reason = 'quota' AND w.network = ${CHARGED_NETWORK} THEN 'quota'
      ELSE 'full' END AS reason
    FROM delivery_waiting d JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN unnest(
      ${column([...holds.keys()])}::text[], ${column([...holds.values()])}::text[]
    ) AS hold (account_id, reason) ON hold.account_id = w.account_id
    WHERE d.count > 0`
  const first = (afterLive: boolean) => sql`(
    SELECT coalesce(next_attempt_at, delivery_created_at(id)) AS due_at FROM deliveries
    WHERE parked AND webhook_id = large.webhook_id AND after_live = ${afterLive} ORDER BY id LIMIT 1)`

  const rows = yield* sql<CountRow>`
    SELECT status, parked, reason, sum(count)::float8 AS count FROM (${counts}) AS counts GROUP BY 1, 2, 3`
  const of = (wanted: (row: CountRow) => boolean) =>
    rows.filter(wanted).reduce((total, { count }) => total + count, 0)
  const inReason = (reason: BacklogReason) => of((row) => row.parked && row.reason === reason)
  const inBacklog = Object.fromEntries(backlogReasons.map((reason) => [reason, inReason(reason)]))

  const [oldest] =
    inReason("full") === 0
      ? []
      : yield* sql<{ readonly ms: number | null }>`
          WITH large AS (
            SELECT webhook_id FROM (${counts}) AS counts WHERE parked AND reason = 'full'
            GROUP BY webhook_id ORDER BY sum(count) DESC LIMIT ${OLDEST_DUE_WEBHOOKS}
          )
          SELECT (extract(epoch FROM min(due_at)) * 1000)::float8 AS ms FROM large, LATERAL (
            ${first(false)} UNION ALL ${first(true)}
          ) AS due`
  return {
    byStatus: {
      pending: of(({ status }) => status === "pending"),
      retrying: of(({ status }) => status === "retrying")
    },
    // Made of all reasons.
    inBacklog: inBacklog as Record<BacklogReason, number>,
    oldestDueMs: oldest?.ms ?? undefined
  } satisfies WaitingDeliveries
})
