/**
 * Gaps of webhooks: spans of ledgers in which nothing was queued for a webhook
 * (store/migrations/0015_webhook_progress.ts). A gap may be a few ledgers too wide, and is never too narrow.
 */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { GapReason } from "../domain/HealthState.ts"
import type { Network } from "../event/Network.ts"
import { column } from "../store/Columns.ts"
import type { WebhookId } from "../words/Ids.ts"
import { openQuotaGaps } from "./QuotaGaps.ts"

export interface Gap {
  readonly from: number
  /** Null while it is open, and until upkeep knows it. */
  readonly to: number | null
  readonly reason: GapReason
  readonly beganAt: string
  readonly endedAt: string | null
}

/** What upkeep found of a network. */
export interface NetworkPosition {
  readonly network: Network
  readonly routedThrough: number
  /** The newest ledger. */
  readonly newest: number
}

/** A gap that has ended, and whose last ledger is not known. */
export interface EndedGap {
  readonly webhookId: WebhookId
  readonly reason: GapReason
  readonly beganAt: string
}

export const makeGapStore = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Oldest first. */
  list: (webhookId: WebhookId) =>
    sql<Gap>`
      SELECT from_ledger::float8 AS from, to_ledger::float8 AS to, reason, began_at AS "beganAt", ended_at AS "endedAt"
      FROM webhook_gaps
      WHERE webhook_id = ${webhookId} ORDER BY began_at, reason`,

  /**
   * Opens gaps for accounts that were on hold since the last call, and closes those of all that are not `held` now.
   * The gaps that `ended` names, which had ended before `positions` were read, get their last ledger. Then the positions
   * are stored, so that gaps that are opened later begin after them.
   */
  sweep: Effect.fnUntraced(function* (
    positions: ReadonlyArray<NetworkPosition>,
    wasHeld: ReadonlyArray<string>,
    held: ReadonlyArray<string>,
    ended: ReadonlyArray<EndedGap>
  ) {
    yield* openQuotaGaps(sql, wasHeld)
    yield* sql`
        UPDATE webhook_gaps SET ended_at = clock_timestamp() FROM webhooks w
        WHERE w.id = webhook_id AND reason = 'quota' AND ended_at IS NULL
          AND NOT w.account_id = ANY(${column(held)}::text[])`
    const found = sql`unnest(
        ${column(positions.map(({ network }) => network))}::text[],
        ${column(positions.map(({ newest }) => newest))}::bigint[],
        ${column(positions.map(({ routedThrough }) => routedThrough))}::bigint[]
      ) AS found (network, newest, routed_through)`
    // A network that was reset has lower ledgers than before.
    yield* sql`
        UPDATE webhook_gaps g SET
          to_ledger = found.newest, from_ledger = CASE WHEN found.newest < from_ledger - 1 THEN 1 ELSE from_ledger END
        FROM unnest(
          ${column(ended.map(({ webhookId }) => webhookId))}::text[],
          ${column(ended.map(({ reason }) => reason))}::text[],
          ${column(ended.map(({ beganAt }) => beganAt))}::timestamptz[]
        ) AS ended (webhook_id, reason, began_at), webhooks w, ${found}
        WHERE g.webhook_id = ended.webhook_id AND g.reason = ended.reason AND g.began_at = ended.began_at
          AND w.id = g.webhook_id AND found.network = w.network`
    // No ledger came meanwhile.
    yield* sql`DELETE FROM webhook_gaps WHERE to_ledger < from_ledger`
    yield* sql`
        INSERT INTO routed_ledgers AS kept (network, routed_through)
        SELECT network, routed_through FROM ${found} ORDER BY network
        ON CONFLICT (network) DO UPDATE SET routed_through = excluded.routed_through
        WHERE kept.routed_through <> excluded.routed_through`
  }, sql.withTransaction),

  ended: sql<EndedGap>`
    SELECT webhook_id AS "webhookId", reason, began_at::text AS "beganAt" FROM webhook_gaps
    WHERE to_ledger IS NULL AND ended_at IS NOT NULL`
}))
