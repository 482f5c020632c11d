/**
 * Which stretches of history the log holds, as ingest keeps them: derived from the history's markers, and written after
 * them. A row may be written again after a crash, and is taken away once retention has dropped what it tells of.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { HistoryStretch } from "../../domain/History.ts"
import type { Network } from "../../domain/Network.ts"

export class HistoryStore extends Context.Service<
  HistoryStore,
  {
    /** Lowest ledger first. */
    readonly stretches: (network: Network) => Effect.Effect<ReadonlyArray<HistoryStretch>, SqlError.SqlError>
    /** Once, however often. */
    readonly add: (network: Network, stretch: HistoryStretch) => Effect.Effect<void, SqlError.SqlError>
    readonly remove: (network: Network, stretch: HistoryStretch) => Effect.Effect<void, SqlError.SqlError>
    /** Takes away those whose markers or events begin before what the log still holds. */
    readonly prune: (
      network: Network,
      kept: { readonly markersFrom: number; readonly eventsFrom: number }
    ) => Effect.Effect<void, SqlError.SqlError>
  }
>()("ledgerhook/storage/HistoryStore") {
  static readonly layer = Layer.effect(
    HistoryStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const number = (value: number) => sql`${String(value)}::bigint`

      return HistoryStore.of({
        stretches: (network) =>
          sql<HistoryStretch>`
            SELECT first_ledger::float8 AS "firstLedger", last_ledger::float8 AS "lastLedger",
              parent_hash AS "parentHash", last_hash AS "lastHash", first_closed_at::float8 AS "firstClosedAt",
              last_closed_at::float8 AS "lastClosedAt", marker_offset::float8 AS "markerOffset",
              event_offset::float8 AS "eventOffset", events::float8 AS events
            FROM history_stretches WHERE network = ${network} ORDER BY first_ledger`,

        add: (network, stretch) =>
          Effect.asVoid(sql`
            INSERT INTO history_stretches (network, first_ledger, last_ledger, parent_hash, last_hash, first_closed_at,
              last_closed_at, marker_offset, event_offset, events)
            VALUES (${network}, ${number(stretch.firstLedger)}, ${number(stretch.lastLedger)}, ${stretch.parentHash},
              ${stretch.lastHash}, ${number(stretch.firstClosedAt)}, ${number(stretch.lastClosedAt)},
              ${number(stretch.markerOffset)}, ${number(stretch.eventOffset)}, ${number(stretch.events)})
            ON CONFLICT DO NOTHING`),

        remove: (network, { markerOffset }) =>
          Effect.asVoid(sql`
            DELETE FROM history_stretches WHERE network = ${network} AND marker_offset = ${number(markerOffset)}`),

        prune: (network, { markersFrom, eventsFrom }) =>
          Effect.asVoid(sql`
            DELETE FROM history_stretches WHERE network = ${network}
              AND (marker_offset < ${number(markersFrom)} OR (events > 0 AND event_offset < ${number(eventsFrom)}))`)
      })
    })
  )
}
