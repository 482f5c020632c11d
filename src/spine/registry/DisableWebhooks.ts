/**
 * Disables webhooks whose deliveries keep failing. The record for the log is inserted in the same transaction, so route
 * and deliver learn of it in the order of all changes. The feature health notifies the account: it finds the row.
 */
import { Array as Arr, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { endIncidents } from "../deliveries/Incidents.ts"
import { column } from "../store/Columns.ts"
import { Outbox } from "../store/outbox/Outbox.ts"
import type { WebhookId } from "../words/Ids.ts"
import { configRecord, WEBHOOK_COLUMNS, type WebhookRow } from "./WebhookRow.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const outbox = yield* Outbox

  const disableSome = Effect.fnUntraced(function* (
    ids: ReadonlyArray<WebhookId>,
    reason: string,
    nowMs: number
  ) {
    const now = sql`${new Date(nowMs).toISOString()}::timestamptz`
    const rows = yield* sql<WebhookRow>`
      UPDATE webhooks SET status = 'disabled', disabled_at = ${now}, disabled_reason = ${reason}, updated_at = ${now}
      WHERE id = ANY(${column(ids)}::text[]) AND status = 'active' AND deleted_at IS NULL
      RETURNING ${sql.literal(WEBHOOK_COLUMNS)}`
    if (rows.length === 0) return []
    const disabled = rows.map(({ id }) => id)
    yield* endIncidents(sql, disabled, "disabled", nowMs)
    yield* outbox.insert(rows.map(configRecord))
    return disabled
  }, sql.withTransaction)

  return DisableWebhooks.of((ids, reason, nowMs) =>
    Effect.map(
      Effect.forEach(Arr.chunksOf(ids, Limits.largeRows), (some) => disableSome(some, reason, nowMs)),
      Arr.flatten
    )
  )
})

export class DisableWebhooks extends Context.Service<
  DisableWebhooks,
  /** Disables the active webhooks of `ids`, of any account. Returns their ids. */
  (
    ids: ReadonlyArray<WebhookId>,
    reason: string,
    nowMs: number
  ) => Effect.Effect<ReadonlyArray<WebhookId>, SqlError.SqlError>
>()("ledgerhook/storage/DisableWebhooks") {
  static readonly layer = Layer.effect(DisableWebhooks, make)
}
