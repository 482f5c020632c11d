/**
 * Webhooks. Every change writes its record for the log in the same transaction (Outbox), so what route and deliver
 * learn is what the rows say, in the same order. Customers reach only what their account and their key's networks own:
 * anything else does not exist for them.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Network } from "../domain/Network.ts"
import type { WebhookStatus } from "../domain/Webhook.ts"
import { column } from "./Columns.ts"
import { Outbox } from "./Outbox.ts"
import { changed, configRecord, tombstone, type WebhookChange, type WebhookRow } from "./WebhookRow.ts"

/** Whose webhooks a request may see. */
export interface Owner {
  readonly accountId: string
  readonly networks: ReadonlyArray<Network>
}

export type NewWebhook = Pick<
  WebhookRow,
  | "id"
  | "account_id"
  | "network"
  | "url"
  | "description"
  | "event_types"
  | "account_filters"
  | "max_in_flight"
  | "max_per_second"
  | "headers"
  | "sealed_secret"
>

/** The reason that deliveries of a deleted webhook end with. */
const WEBHOOK_DELETED = "webhook deleted"

/** The recorder locks the same rows in its own order; whom PostgreSQL picks as the victim of a deadlock tries again. */
const afterDeadlock = {
  times: 3,
  while: (error: SqlError.SqlError) => error.reason._tag === "DeadlockError"
} as const

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    readonly create: (webhook: NewWebhook, nowMs: number) => Effect.Effect<WebhookRow, SqlError.SqlError>
    readonly find: (owner: Owner, id: string) => Effect.Effect<Option.Option<WebhookRow>, SqlError.SqlError>
    /** Newest first, those with an id below `beforeId`. */
    readonly list: (
      owner: Owner,
      filter: { readonly status: WebhookStatus | undefined; readonly beforeId: string | undefined },
      limit: number
    ) => Effect.Effect<ReadonlyArray<WebhookRow>, SqlError.SqlError>
    readonly change: (
      owner: Owner,
      id: string,
      change: WebhookChange,
      nowMs: number
    ) => Effect.Effect<Option.Option<WebhookRow>, SqlError.SqlError>
    /** Also ends what is queued for it. False when there is no such webhook. */
    readonly remove: (owner: Owner, id: string, nowMs: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Disables those of `ids` that are active; returns which. For deliver, across accounts. */
    readonly disable: (
      ids: ReadonlyArray<string>,
      reason: string,
      nowMs: number
    ) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  }
>()("ledgerhook/storage/WebhookStore") {
  static readonly layer = Layer.effect(
    WebhookStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const outbox = yield* Outbox
      const at = (unixMs: number) => new Date(unixMs).toISOString()
      const owned = ({ accountId, networks }: Owner) =>
        sql`account_id = ${accountId} AND network = ANY(${networks}::text[]) AND deleted_at IS NULL`
      const first = <A>(rows: ReadonlyArray<A>): Option.Option<A> => Option.fromNullishOr(rows[0])

      return WebhookStore.of({
        create: (webhook, nowMs) =>
          Effect.gen(function* () {
            const [row] = yield* sql<WebhookRow>`
              INSERT INTO webhooks (id, account_id, network, url, description, event_types, account_filters, status,
                                    max_in_flight, max_per_second, headers, sealed_secret, created_at, updated_at)
              VALUES (${webhook.id}, ${webhook.account_id}, ${webhook.network}, ${webhook.url}, ${webhook.description},
                      ${column(webhook.event_types)}::text[], ${column(webhook.account_filters)}::text[], 'active',
                      ${webhook.max_in_flight}, ${webhook.max_per_second}, ${JSON.stringify(webhook.headers)}::text::jsonb,
                      ${webhook.sealed_secret}, ${at(nowMs)}::timestamptz, ${at(nowMs)}::timestamptz)
              RETURNING *`
            yield* outbox.insert([configRecord(row!)])
            return row!
          }).pipe(sql.withTransaction),

        find: (owner, id) =>
          sql<WebhookRow>`SELECT * FROM webhooks WHERE id = ${id} AND ${owned(owner)}`.pipe(
            Effect.map(first)
          ),

        list: (owner, { status, beforeId }, limit) =>
          sql<WebhookRow>`
            SELECT * FROM webhooks WHERE ${sql.and([
              owned(owner),
              ...(status === undefined ? [] : [sql`status = ${status}`]),
              ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])
            ])} ORDER BY id DESC LIMIT ${limit}`,

        change: (owner, id, change, nowMs) =>
          Effect.gen(function* () {
            const [row] = yield* sql<WebhookRow>`
              SELECT * FROM webhooks WHERE id = ${id} AND ${owned(owner)} FOR UPDATE`
            if (row === undefined) return Option.none<WebhookRow>()
            const next = changed(row, change, at(nowMs))
            const [written] = yield* sql<WebhookRow>`
              UPDATE webhooks SET
                url = ${next.url}, description = ${next.description}, event_types = ${column(next.event_types)}::text[],
                account_filters = ${column(next.account_filters)}::text[], status = ${next.status},
                consecutive_failures = ${next.consecutive_failures}, max_in_flight = ${next.max_in_flight},
                max_per_second = ${next.max_per_second}, headers = ${JSON.stringify(next.headers)}::text::jsonb,
                updated_at = ${next.updated_at}::timestamptz, disabled_at = ${next.disabled_at}::timestamptz,
                disabled_reason = ${next.disabled_reason}
              WHERE id = ${id} RETURNING *`
            yield* outbox.insert([configRecord(written!)])
            return Option.some(written!)
          }).pipe(sql.withTransaction),

        remove: (owner, id, nowMs) =>
          Effect.gen(function* () {
            const [row] = yield* sql`SELECT 1 FROM webhooks WHERE id = ${id} AND ${owned(owner)}`
            if (row === undefined) return false
            yield* sql`
              UPDATE deliveries SET status = 'failed', last_error = ${WEBHOOK_DELETED}, parked = false,
                     next_attempt_at = NULL, updated_at = ${at(nowMs)}::timestamptz
              WHERE webhook_id = ${id} AND status IN ('pending', 'retrying')`
            // Two deletions at once: the second finds nothing left to delete.
            const gone = yield* sql`
              UPDATE webhooks SET deleted_at = ${at(nowMs)}::timestamptz, updated_at = ${at(nowMs)}::timestamptz
              WHERE id = ${id} AND deleted_at IS NULL RETURNING 1`
            if (gone.length === 0) return false
            yield* outbox.insert([tombstone(id)])
            return true
          }).pipe(sql.withTransaction, Effect.retry(afterDeadlock)),

        disable: (ids, reason, nowMs) =>
          Effect.gen(function* () {
            const rows = yield* sql<WebhookRow>`
              UPDATE webhooks SET status = 'disabled', disabled_at = ${at(nowMs)}::timestamptz,
                     disabled_reason = ${reason}, updated_at = ${at(nowMs)}::timestamptz
              WHERE id = ANY(${ids}::text[]) AND status = 'active' AND deleted_at IS NULL RETURNING *`
            if (rows.length > 0) yield* outbox.insert(rows.map(configRecord))
            return rows.map(({ id }) => id)
          }).pipe(sql.withTransaction)
      })
    })
  )
}
