/** Webhooks of all accounts, or of one, for the operator. Without their secrets and headers: those are the customer's. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { WebhookRow } from "./WebhookRow.ts"

export type WebhookSummary = Omit<WebhookRow, "sealed_secret" | "headers">

const COLUMNS = `
  id, account_id, network, url, description, event_types, account_filters, status, consecutive_failures,
  max_in_flight, max_per_second, created_at, updated_at, disabled_at, disabled_reason`

/** Newest first, those with an id below `beforeId`; deleted ones are not shown. */
export const webhookSummaries = Effect.fnUntraced(function* (
  accountId: string | undefined,
  beforeId: string | undefined,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<WebhookSummary>`
    SELECT ${sql.literal(COLUMNS)} FROM webhooks WHERE ${sql.and([
      sql`deleted_at IS NULL`,
      ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
      ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])
    ])} ORDER BY id DESC LIMIT ${limit}`
})

/** Whosever it is; a deleted one is none. */
export const findWebhookSummary = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [webhook] = yield* sql<WebhookSummary>`
    SELECT ${sql.literal(COLUMNS)} FROM webhooks WHERE id = ${id} AND deleted_at IS NULL`
  return Option.fromNullishOr(webhook)
})
