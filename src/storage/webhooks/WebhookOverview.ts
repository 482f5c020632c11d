/** Webhooks of all accounts, or of one, for the operator, without secrets and headers. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { LISTED_COLUMNS, type ListedWebhook, type WebhookRow } from "./WebhookRow.ts"
import { foundBy } from "./WebhookSearch.ts"

interface SummaryFilter {
  /** Undefined: webhooks of all accounts. */
  readonly accountId: string | undefined
  /** A part of the id, the url or the description, or a whole id. */
  readonly search: string | undefined
  readonly beforeId: string | undefined
}

/** Newest first, with ids below `beforeId`. Deleted webhooks are not listed. */
export const webhookSummaries = Effect.fnUntraced(function* (
  { accountId, search, beforeId }: SummaryFilter,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<ListedWebhook>`
    SELECT ${sql.literal(LISTED_COLUMNS)} FROM webhooks WHERE ${sql.and([
      sql`deleted_at IS NULL`,
      ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
      ...(search === undefined ? [] : [foundBy(sql, search)]),
      ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])
    ])} ORDER BY id DESC LIMIT ${limit}`
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
