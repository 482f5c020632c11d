/**
 * Adds and removes account filters of a webhook. PostgreSQL computes the new list, so of up to 10,000 addresses only the
 * record for the log passes through this program. A change that is made already writes nothing.
 */

import { Data, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { lockedLimits } from "../../http/guard/AccountLimits.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import { configRecord, WEBHOOK_COLUMNS, type WebhookRow } from "../../spine/registry/WebhookRow.ts"
import { column } from "../../spine/store/Columns.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { webhookBounds } from "./Limits.ts"
import { requireRoom } from "./WebhookLimits.ts"

/** Addresses without duplicates, none of them in both lists. */
export interface FilterChange {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

/** The webhook would have no account filter left, and so get every account, or more than one webhook may have. */
export class FiltersRefused extends Data.TaggedError("FiltersRefused")<{
  readonly reason: "none left" | "too many"
  readonly present: number
  readonly added: number
}> {}

export const makeChangeAccountFilters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const outbox = yield* Outbox

  /** Returns how many account filters the webhook then has; none if there is no such webhook. */
  return Effect.fnUntraced(function* (
    { accountId, networks }: Owner,
    id: WebhookId,
    change: FilterChange,
    nowMs: number
  ) {
    const add = sql`${column(change.add)}::text[]`
    const remove = sql`${column(change.remove)}::text[]`
    const limits = change.add.length === 0 ? undefined : yield* lockedLimits(sql, accountId)
    const [found] = yield* sql<Record<"present" | "added" | "removed", number>>`
        SELECT account_filters_count AS present,
          (SELECT count(*)::int FROM unnest(${add}) AS address
           WHERE address NOT IN (SELECT unnest(account_filters))) AS added,
          (SELECT count(*)::int FROM unnest(${remove}) AS address
           WHERE address IN (SELECT unnest(account_filters))) AS removed
        FROM webhooks
        WHERE id = ${id} AND account_id = ${accountId} AND network = ANY(${networks}::text[]) AND deleted_at IS NULL
        FOR UPDATE`
    if (found === undefined) return Option.none<number>()
    const { added, present, removed } = found
    if (added + removed === 0) return Option.some(present)
    const after = present + added - removed
    if (after === 0) return yield* new FiltersRefused({ reason: "none left", present, added })
    if (after > webhookBounds.accountFilters)
      return yield* new FiltersRefused({ reason: "too many", present, added })
    const more = { webhooks: 0, accountFilters: after - present }
    if (limits !== undefined) yield* requireRoom(sql, accountId, limits, more)
    const [written] = yield* sql<WebhookRow>`
        UPDATE webhooks SET updated_at = ${new Date(nowMs).toISOString()}::timestamptz, account_filters =
          ARRAY(SELECT address FROM unnest(account_filters) WITH ORDINALITY AS present (address, n)
                WHERE address NOT IN (SELECT unnest(${remove})) ORDER BY n)
          || ARRAY(SELECT address FROM unnest(${add}) WITH ORDINALITY AS new (address, n)
                   WHERE address NOT IN (SELECT unnest(account_filters)) ORDER BY n)
        WHERE id = ${id} RETURNING ${sql.literal(WEBHOOK_COLUMNS)}`
    yield* outbox.insert([configRecord(written!)])
    return Option.some(after)
  }, sql.withTransaction)
})
