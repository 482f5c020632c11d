/** Webhooks of all accounts, or of one, for the operator, without secrets and headers. */

import { Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { HealthState } from "../../spine/domain/HealthState.ts"
import type { WebhookRow } from "../../spine/registry/WebhookRow.ts"
import type { AccountId } from "../../spine/words/Ids.ts"
import { LISTED_COLUMNS, type ListedWebhook } from "./WebhookChange.ts"
import type { Health } from "./WebhookHealth.ts"
import { inState, readHealth } from "./WebhookHealthQueries.ts"
import { foundBy } from "./WebhookSearch.ts"

interface SummaryFilter {
  /** Undefined: webhooks of all accounts. */
  readonly accountId: AccountId | undefined
  /** A part of the id, the url or the description, or a whole id. */
  readonly search: string | undefined
  readonly health: HealthState | undefined
  readonly beforeId: string | undefined
}

/** A webhook with its health. */
export type WebhookSummary = ListedWebhook & { readonly health: Health }

const withHealth = Effect.fnUntraced(function* (rows: ReadonlyArray<ListedWebhook>) {
  const healths = yield* readHealth(rows.map(({ id }) => id))
  // The row of a webhook stays for longer than this takes.
  return rows.map((row): WebhookSummary => ({ ...row, health: healths.get(row.id)! }))
})

/** The webhooks that have failed for longest, of all accounts. */
export const longestFailing = Effect.fnUntraced(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  // The column says the same of most webhooks at no cost.
  return yield* withHealth(
    yield* sql<ListedWebhook>`
      SELECT ${sql.literal(LISTED_COLUMNS)} FROM webhooks w
      WHERE is_failing AND ${inState(sql, "failing", nowMs)} AND deleted_at IS NULL ORDER BY failing_since, id LIMIT ${limit}`
  )
})

/** Newest first, with ids below `beforeId`. Deleted webhooks are not listed. */
export const webhookSummaries = Effect.fnUntraced(function* (
  { accountId, search, health, beforeId }: SummaryFilter,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  const rows = yield* sql<ListedWebhook>`
    SELECT ${sql.literal(LISTED_COLUMNS)} FROM webhooks w WHERE ${sql.and([
      sql`deleted_at IS NULL`,
      ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
      ...(search === undefined ? [] : [foundBy(sql, search)]),
      ...(health === undefined ? [] : [inState(sql, health, nowMs)]),
      ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])
    ])} ORDER BY id DESC LIMIT ${limit}`
  return yield* withHealth(rows)
})

export type WebhookFilters = Pick<
  WebhookRow,
  "id" | "network" | "event_types" | "account_filters" | "payload_filter"
>

/** All filters of a webhook of any account. A deleted one is not found. */
export const findWebhookFilters = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [webhook] = yield* sql<WebhookFilters>`
    SELECT id, network, event_types, account_filters, payload_filter FROM webhooks
    WHERE id = ${id} AND deleted_at IS NULL`
  return Option.fromNullishOr(webhook)
})

/** Finds a webhook of any account. A deleted one is not found. */
export const findWebhookSummary = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [webhook] = yield* sql<ListedWebhook>`
    SELECT ${sql.literal(LISTED_COLUMNS)} FROM webhooks WHERE id = ${id} AND deleted_at IS NULL`
  return Option.fromNullishOr(webhook)
})
