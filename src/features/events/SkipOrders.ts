/**
 * An operator's orders to skip ledgers, and which of them were skipped. `ledgerhook ledger skip` writes an order;
 * ingest and history look it up when no server sends the ledger, and note when its marker is in the log. A ledger that
 * was skipped stays here for ever, because its events are missing for ever.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import type { LedgerMarker } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"

export interface SkippedLedger {
  readonly ledger_index: number
  readonly reason: string
  readonly skipped_at: string
}

const at = (unixMs: number): string => new Date(unixMs).toISOString()

export class SkippedLedgers extends Context.Service<SkippedLedgers>()("ledgerhook/storage/SkippedLedgers", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Orders to skip the ledger; a second order changes the reason. A ledger that was skipped is left alone. */
      order: Effect.fnUntraced(function* (
        network: Network,
        ledgerIndex: number,
        reason: string,
        nowMs: number
      ) {
        const [orders] = yield* sql<{ readonly others: number }>`
          SELECT count(*)::int AS others FROM skipped_ledgers
          WHERE network = ${network} AND ledger_index <> ${ledgerIndex}::bigint`
        if (orders!.others >= Limits.skipOrders) return "too many"
        const rows = yield* sql`
          INSERT INTO skipped_ledgers AS old (network, ledger_index, reason, ordered_at)
          VALUES (${network}, ${ledgerIndex}::bigint, ${reason}, ${at(nowMs)}::timestamptz)
          ON CONFLICT (network, ledger_index) DO UPDATE SET reason = excluded.reason
          WHERE old.skipped_at IS NULL RETURNING 1`
        return rows.length === 0 ? "skipped already" : "ordered"
      }),

      /** Withdraws an order. False if there is none, or the ledger was skipped already. */
      withdraw: (network: Network, ledgerIndex: number) =>
        sql`
          DELETE FROM skipped_ledgers
          WHERE network = ${network} AND ledger_index = ${ledgerIndex}::bigint AND skipped_at IS NULL
          RETURNING 1`.pipe(Effect.map((rows) => rows.length > 0)),

      /** The reason of an order; undefined if the ledger must not be skipped. */
      reason: (network: Network, ledgerIndex: number) =>
        sql<{ readonly reason: string }>`
          SELECT reason FROM skipped_ledgers
          WHERE network = ${network} AND ledger_index = ${ledgerIndex}::bigint`.pipe(
          Effect.map(([row]) => row?.reason)
        ),

      /** Notes that the marker of a skipped ledger is in the log. Repeating it changes nothing. */
      note: (network: Network, { close_time, detected_at, ledger_index, skipped = "" }: LedgerMarker) =>
        Effect.asVoid(sql`
          INSERT INTO skipped_ledgers (network, ledger_index, reason, ordered_at, skipped_at, closed_at)
          VALUES (${network}, ${ledger_index}::bigint, ${skipped}, ${at(detected_at)}::timestamptz,
            ${at(detected_at)}::timestamptz, ${close_time}::timestamptz)
          ON CONFLICT (network, ledger_index) DO UPDATE
          SET reason = excluded.reason, skipped_at = excluded.skipped_at, closed_at = excluded.closed_at`),

      count: (network: Network) =>
        sql<{ readonly skipped: number }>`
          SELECT count(*)::int AS skipped FROM skipped_ledgers
          WHERE network = ${network} AND skipped_at IS NOT NULL`.pipe(
          Effect.map(([row]) => row?.skipped ?? 0)
        ),

      /** The number of ledgers skipped in each hour from `sinceMs` on, by when they closed. */
      byHour: (network: Network, sinceMs: number) =>
        sql<{ readonly hour: Date; readonly skipped: number }>`
          SELECT date_trunc('hour', closed_at, 'UTC') AS hour, count(*)::int AS skipped FROM skipped_ledgers
          WHERE network = ${network} AND skipped_at IS NOT NULL AND closed_at >= ${at(sinceMs)}::timestamptz
          GROUP BY 1`.pipe(
          Effect.map((rows) => new Map(rows.map(({ hour, skipped }) => [new Date(hour).getTime(), skipped])))
        ),

      /** The ledgers that were skipped, lowest first. */
      list: (network: Network) =>
        sql<SkippedLedger>`
          SELECT ledger_index::float8 AS ledger_index, reason, skipped_at FROM skipped_ledgers
          WHERE network = ${network} AND skipped_at IS NOT NULL ORDER BY skipped_ledgers.ledger_index`
    }
  })
}) {
  static readonly layer = Layer.effect(SkippedLedgers, SkippedLedgers.make)
}
