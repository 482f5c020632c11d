/**
 * Webhooks. Every change inserts its record for the log in the same transaction (Outbox), so route and deliver learn
 * of all changes, in order. A customer sees only webhooks of the own account on the key's networks.
 */

import { Clock, Context, Data, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { lockedLimits } from "../../http/guard/AccountLimits.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { endIncidents, RUN_RESET } from "../../spine/deliveries/Incidents.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import type { HealthState } from "../../spine/domain/HealthState.ts"
import type { WebhookStatus } from "../../spine/domain/Webhook.ts"
import type { Batch } from "../../spine/event/Batch.ts"
import { expandPatterns, patternsMeeting } from "../../spine/event/EventPatterns.ts"
import type { Network } from "../../spine/event/Network.ts"
import { type FilterProblems, parseFilter } from "../../spine/filter/Parse.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import { deleteEvery } from "../../spine/observe/ClockTrust.ts"
import { configRecord, tombstone, WEBHOOK_COLUMNS, type WebhookRow } from "../../spine/registry/WebhookRow.ts"
import { afterDeadlock } from "../../spine/store/AfterDeadlock.ts"
import { column } from "../../spine/store/Columns.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"
import {
  changed,
  LISTED_COLUMNS,
  type ListedWebhook,
  type NewWebhook,
  type WebhookChange
} from "./WebhookChange.ts"
import { countByHealth, inState, rankOf } from "./WebhookHealthQueries.ts"
import { requireRoom } from "./WebhookLimits.ts"
import type { WebhookOrder } from "./WebhookRules.ts"
import { foundBy } from "./WebhookSearch.ts"

/** A webhook of a list, with the names of its headers. */
export type WebhookSeen = ListedWebhook & Pick<WebhookRow, "headers">

interface ListFilter {
  readonly status: WebhookStatus | undefined
  readonly health: HealthState | undefined
  /** A part of the id, the url or the description, or a whole id. */
  readonly search: string | undefined
  readonly network: Network | undefined
  /** Webhooks that ask for an event which this pattern matches. */
  readonly eventType: string | undefined
  readonly sort: WebhookOrder
  /** The `place` of the last webhook of the page before. */
  readonly after: string | undefined
}

export interface SecretRotation {
  readonly sealedSecret: string
  /** Until when the current secret still signs, in Unix milliseconds; null: it stops at once. */
  readonly previousUntil: number | null
}

/** The payload filter names a field, or a value, that none of the webhook's event types has. */
export class PayloadFilterMismatch extends Data.TaggedError("PayloadFilterMismatch")<{
  readonly problems: FilterProblems
}> {}

const requireFit = ({ event_types, payload_filter }: Pick<WebhookRow, "event_types" | "payload_filter">) => {
  const parsed =
    payload_filter === null ? undefined : parseFilter(payload_filter, expandPatterns(event_types))
  return parsed === undefined || Result.isSuccess(parsed)
    ? Effect.void
    : Effect.fail(new PayloadFilterMismatch({ problems: parsed.failure }))
}

const jsonOf = (value: PayloadFilter | Batch | null): string | null =>
  value === null ? null : JSON.stringify(value)

export class WebhookStore extends Context.Service<WebhookStore>()("ledgerhook/storage/WebhookStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const outbox = yield* Outbox
    const columns = sql.literal(WEBHOOK_COLUMNS)
    const at = (unixMs: number) => new Date(unixMs).toISOString()
    const owned = ({ accountId, networks }: Owner) =>
      sql`account_id = ${accountId} AND network = ANY(${networks}::text[]) AND deleted_at IS NULL`
    const first = <A>(rows: ReadonlyArray<A>): Option.Option<A> => Option.fromNullishOr(rows[0])

    return {
      create: Effect.fnUntraced(function* (webhook: NewWebhook, nowMs: number) {
        yield* requireFit(webhook)
        const limits = yield* lockedLimits(sql, webhook.account_id)
        const more = { webhooks: 1, accountFilters: webhook.account_filters.length }
        if (limits !== undefined) yield* requireRoom(sql, webhook.account_id, limits, more)
        const [row] = yield* sql<WebhookRow>`
          INSERT INTO webhooks (id, account_id, network, url, description, event_types, account_filters,
                                payload_filter, status, max_in_flight, max_per_second, paused_at, ordering,
                                signing, format, include, compression, batch, headers, sealed_secret, created_at, updated_at)
          VALUES (${webhook.id}, ${webhook.account_id}, ${webhook.network}, ${webhook.url}, ${webhook.description},
                  ${column(webhook.event_types)}::text[], ${column(webhook.account_filters)}::text[],
                  ${jsonOf(webhook.payload_filter)}::text::json, 'active',
                  ${webhook.max_in_flight}, ${webhook.max_per_second},
                  ${webhook.paused ? at(nowMs) : null}::timestamptz, ${webhook.ordering},
                  ${column(webhook.signing)}::text[], ${webhook.format}, ${column(webhook.include)}::text[], ${webhook.compression},
                  ${jsonOf(webhook.batch)}::text::json,
                  ${JSON.stringify(webhook.headers)}::text::jsonb,
                  ${webhook.sealed_secret}, ${at(nowMs)}::timestamptz, ${at(nowMs)}::timestamptz)
          RETURNING ${columns}`
        yield* outbox.insert([configRecord(row!)])
        return row!
      }, sql.withTransaction),

      find: (owner: Owner, id: string) =>
        sql<WebhookRow>`SELECT ${columns} FROM webhooks WHERE id = ${id} AND ${owned(owner)}`.pipe(
          Effect.map(first)
        ),

      /** How many webhooks are in each state of health. */
      countByHealth: (owner: Owner) =>
        Effect.provideService(countByHealth(owned(owner)), SqlClient.SqlClient, sql),

      /** Those after `after`. `place`: where the webhook is in the list. */
      list: (
        owner: Owner,
        { after, eventType, health, network, search, sort, status }: ListFilter,
        nowMs: number,
        limit: number
      ) => {
        const rank = sort === "health" ? rankOf(sql, nowMs) : sql`0`
        const [afterRank, afterId] = after?.split(" ") ?? []
        const next =
          afterId === undefined
            ? sql`true`
            : sql`(rank > ${Number(afterRank)} OR (rank = ${Number(afterRank)} AND id < ${afterId}))`
        // For the default order the condition is on the index.
        const isBefore = sort === "health" || afterId === undefined ? [] : [sql`id < ${afterId}`]
        return sql<WebhookSeen & { readonly place: string }>`
          SELECT *, rank || ' ' || id AS place FROM (
            SELECT ${sql.literal(LISTED_COLUMNS)}, headers, ${rank} AS rank FROM webhooks w WHERE ${sql.and([
              owned(owner),
              ...(status === undefined ? [] : [sql`status = ${status}`]),
              ...(health === undefined ? [] : [inState(sql, health, nowMs)]),
              ...(search === undefined ? [] : [foundBy(sql, search)]),
              ...(network === undefined ? [] : [sql`network = ${network}`]),
              ...(eventType === undefined
                ? []
                : [sql`event_types && ${column(patternsMeeting(eventType))}::text[]`]),
              ...isBefore
            ])}
          ) AS listed WHERE ${next} ORDER BY rank, id DESC LIMIT ${limit}`
      },

      /**
       * An account that exceeds its limits keeps its webhooks and may change them, as long as filters do not grow.
       */
      change: Effect.fnUntraced(function* (owner: Owner, id: string, change: WebhookChange, nowMs: number) {
        const limits =
          change.account_filters === undefined ? undefined : yield* lockedLimits(sql, owner.accountId)
        const [row] = yield* sql<WebhookRow>`
          SELECT ${columns} FROM webhooks WHERE id = ${id} AND ${owned(owner)} FOR UPDATE`
        if (row === undefined) return Option.none<WebhookRow>()
        const next = changed(row, change, at(nowMs))
        if (change.event_types !== undefined || change.payload_filter !== undefined) yield* requireFit(next)
        const accountFilters = next.account_filters.length - row.account_filters.length
        if (limits !== undefined)
          yield* requireRoom(sql, owner.accountId, limits, { webhooks: 0, accountFilters })
        const [written] = yield* sql<WebhookRow>`
          UPDATE webhooks SET
            url = ${next.url}, description = ${next.description}, event_types = ${column(next.event_types)}::text[],
            account_filters = ${column(next.account_filters)}::text[],
            payload_filter = ${jsonOf(next.payload_filter)}::text::json, status = ${next.status},
            consecutive_failures = ${next.consecutive_failures}, max_in_flight = ${next.max_in_flight},
            max_per_second = ${next.max_per_second}, paused_at = ${next.paused_at}::timestamptz,
            ordering = ${next.ordering}, signing = ${column(next.signing)}::text[],
            format = ${next.format}, include = ${column(next.include)}::text[],
            compression = ${next.compression},
            batch = ${jsonOf(next.batch)}::text::json,
            headers = ${JSON.stringify(next.headers)}::text::jsonb,
            updated_at = ${next.updated_at}::timestamptz, disabled_at = ${next.disabled_at}::timestamptz,
            disabled_reason = ${next.disabled_reason}, last_disabled_at = ${next.last_disabled_at}::timestamptz,
            last_enabled_at = ${next.last_enabled_at}::timestamptz
          WHERE id = ${id} RETURNING ${columns}`
        if (next.status !== row.status) {
          if (next.status === "disabled") yield* endIncidents(sql, [id], "disabled", nowMs)
          else yield* sql`UPDATE webhooks SET ${sql.literal(RUN_RESET)} WHERE id = ${id}`
        }
        yield* outbox.insert([configRecord(written!)])
        return Option.some(written!)
      }, sql.withTransaction),

      /** The current secret becomes the previous one, and replaces a previous one that is still in its grace. */
      rotateSecret: Effect.fnUntraced(function* (
        owner: Owner,
        id: string,
        { sealedSecret, previousUntil }: SecretRotation,
        nowMs: number
      ) {
        const until = previousUntil === null ? null : at(previousUntil)
        const rows = yield* sql<WebhookRow>`
          UPDATE webhooks SET
            previous_sealed_secret = CASE WHEN ${until}::timestamptz IS NOT NULL THEN sealed_secret END,
            previous_secret_until = ${until}::timestamptz, sealed_secret = ${sealedSecret},
            updated_at = ${at(nowMs)}::timestamptz
          WHERE id = ${id} AND ${owned(owner)} RETURNING ${columns}`
        if (rows.length > 0) yield* outbox.insert(rows.map(configRecord))
        return first(rows)
      }, sql.withTransaction),

      /** Deletes previous secrets whose grace is over, for one batch of webhooks; returns how many. */
      dropPreviousSecrets: Effect.fnUntraced(
        function* (nowMs: number) {
          const rows = yield* sql<WebhookRow & { readonly deleted_at: string | null }>`
          UPDATE webhooks SET previous_sealed_secret = NULL, previous_secret_until = NULL
          WHERE id IN (
            SELECT id FROM webhooks WHERE previous_secret_until <= ${at(nowMs)}::timestamptz
            ORDER BY id LIMIT ${Limits.largeRows}
          ) RETURNING ${columns}, deleted_at`
          const alive = rows.filter(({ deleted_at }) => deleted_at === null)
          if (alive.length > 0) yield* outbox.insert(alive.map(configRecord))
          return rows.length
        },
        sql.withTransaction,
        Effect.retry(afterDeadlock)
      ),

      /** Deletes the webhook; DeletedQueues ends its deliveries. False if there is no such webhook. */
      remove: Effect.fnUntraced(function* (owner: Owner, id: string, nowMs: number) {
        const gone = yield* sql`
          UPDATE webhooks SET deleted_at = ${at(nowMs)}::timestamptz, updated_at = ${at(nowMs)}::timestamptz, ending = true
          WHERE id = ${id} AND ${owned(owner)} RETURNING 1`
        if (gone.length === 0) return false
        yield* endIncidents(sql, [id], "deleted", nowMs)
        yield* outbox.insert([tombstone(id)])
        return true
      }, sql.withTransaction)
    }
  })
}) {
  static readonly layer = Layer.effect(WebhookStore, WebhookStore.make)
}

/** Deletes previous secrets within a minute after their grace ends. */
export const forgetPreviousSecrets = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    while ((yield* webhooks.dropPreviousSecrets(now)) === Limits.largeRows);
  })
  return yield* once.pipe(deleteEvery("forgetting previous secrets", Limits.sweepMs))
})
