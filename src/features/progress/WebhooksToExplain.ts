/**
 * Reads the facts that decide whether webhooks got the events of one transaction (progress/Explanation.ts).
 */

import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { quotaUsedUpAt } from "../../spine/deliveries/UsageStore.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import type { Network } from "../../spine/event/Network.ts"
import { compileStored } from "../../spine/filter/Match.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import { column } from "../../spine/store/Columns.ts"
import type { AccountId, WebhookId } from "../../spine/words/Ids.ts"
import type { ExplainedWebhook, Pause } from "./Explanation.ts"

export interface WhoseWebhooks {
  /** Undefined: the webhooks of all accounts. */
  readonly accountId: AccountId | undefined
  readonly networks: ReadonlyArray<Network>
  /** Undefined: all webhooks. */
  readonly webhookId: WebhookId | undefined
}

interface Row {
  readonly id: string
  readonly account_id: AccountId
  readonly network: Network
  readonly event_types: ReadonlyArray<string>
  readonly is_filtered: boolean
  readonly payload_filter: PayloadFilter | null
  readonly filtered: ReadonlyArray<string>
  readonly created_at: number
  readonly deleted_at: number | null
  readonly is_cleared: boolean
  readonly disabled_at: number | null
  readonly last_disabled_at: number | null
  readonly last_enabled_at: number | null
  readonly suspended_at: number | null
  readonly is_paused: boolean
  readonly total: number
}

const pausesOf = (row: Row): ReadonlyArray<Pause> => [
  ...(row.disabled_at === null ? [] : [{ from: row.disabled_at, to: null }]),
  ...(row.last_disabled_at === null ? [] : [{ from: row.last_disabled_at, to: row.last_enabled_at }]),
  ...(row.suspended_at === null ? [] : [{ from: row.suspended_at, to: null }])
]

/**
 * Returns the newest `limit` webhooks, and how many there are. A webhook that was deleted before `takenAt` counts
 * only if `webhookId` names it. `accounts` are the accounts that the events involve.
 */
export const webhooksToExplain = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { accountId, networks, webhookId }: WhoseWebhooks,
  accounts: ReadonlyArray<string>,
  takenAt: number,
  limit: number
) {
  const ms = (name: string) => sql`(extract(epoch FROM ${sql.literal(name)}) * 1000)::float8`
  const conditions = [
    sql`network = ANY(${column(networks)}::text[])`,
    ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
    webhookId === undefined
      ? sql`(deleted_at IS NULL OR deleted_at > ${new Date(takenAt).toISOString()}::timestamptz)`
      : sql`id = ${webhookId}`
  ]
  // PostgreSQL compares the account filters, because a webhook may have 10,000.
  const rows = yield* sql<Row>`
    SELECT w.id, w.account_id, w.network, w.event_types, w.account_filters_count > 0 AS is_filtered,
           w.payload_filter,
           ARRAY(
             SELECT filter FROM unnest(w.account_filters) AS filter
             WHERE filter IN (SELECT unnest(${column(accounts)}::text[]))
           ) AS filtered,
           ${ms("w.created_at")} AS created_at, ${ms("w.deleted_at")} AS deleted_at,
           w.deleted_at IS NOT NULL AND NOT w.ending AS is_cleared,
           ${ms("w.disabled_at")} AS disabled_at, ${ms("w.last_disabled_at")} AS last_disabled_at,
           ${ms("w.last_enabled_at")} AS last_enabled_at, ${ms("a.suspended_at")} AS suspended_at,
           w.paused_at IS NOT NULL AS is_paused, w.total::int AS total
    FROM (
      SELECT *, count(*) OVER () AS total FROM webhooks WHERE ${sql.and(conditions)} ORDER BY id DESC LIMIT ${limit}
    ) AS w JOIN accounts a ON a.id = w.account_id ORDER BY w.id DESC`
  const usedUp = yield* quotaUsedUpAt(sql, [...new Set(rows.map((row) => row.account_id))], takenAt)
  const webhooks = rows.map(
    (row): ExplainedWebhook => ({
      id: row.id,
      network: row.network,
      eventTypes: new Set(expandPatterns(row.event_types)),
      accounts: row.is_filtered ? new Set(row.filtered) : undefined,
      wantsPayload: row.payload_filter === null ? undefined : compileStored(row.payload_filter),
      createdAt: row.created_at,
      deletedAt: row.deleted_at,
      isCleared: row.is_cleared,
      pauses: pausesOf(row),
      quotaUsedUp: usedUp.has(row.account_id),
      isPaused: row.is_paused
    })
  )
  return { webhooks, count: rows[0]?.total ?? 0 }
})
