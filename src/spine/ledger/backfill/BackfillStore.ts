/**
 * Which ranges of history the log has. Ingest derives the rows from the history's markers and writes them afterwards,
 * so after a crash it may write a row again. Rows are deleted once retention has dropped their ledgers.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { BackfillRange } from "../../domain/Backfill.ts"
import type { Network } from "../../event/Network.ts"

export class BackfillStore extends Context.Service<BackfillStore>()("ledgerhook/storage/BackfillStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const number = (value: number) => sql`${String(value)}::bigint`

    return {
      /** Lowest ledger first. */
      ranges: (network: Network) =>
        sql<BackfillRange>`
          SELECT first_ledger::float8 AS "firstLedger", last_ledger::float8 AS "lastLedger",
            parent_hash AS "parentHash", last_hash AS "lastHash", first_closed_at::float8 AS "firstClosedAt",
            last_closed_at::float8 AS "lastClosedAt", marker_offset::float8 AS "markerOffset",
            event_offset::float8 AS "eventOffset", events::float8 AS events
          FROM history_stretches WHERE network = ${network} ORDER BY first_ledger`,

      /** Adds a range. Repeating it changes nothing. */
      add: (network: Network, range: BackfillRange) =>
        Effect.asVoid(sql`
          INSERT INTO history_stretches (network, first_ledger, last_ledger, parent_hash, last_hash, first_closed_at,
            last_closed_at, marker_offset, event_offset, events)
          VALUES (${network}, ${number(range.firstLedger)}, ${number(range.lastLedger)}, ${range.parentHash},
            ${range.lastHash}, ${number(range.firstClosedAt)}, ${number(range.lastClosedAt)},
            ${number(range.markerOffset)}, ${number(range.eventOffset)}, ${number(range.events)})
          ON CONFLICT DO NOTHING`),

      remove: (network: Network, { markerOffset }: BackfillRange) =>
        Effect.asVoid(sql`
          DELETE FROM history_stretches WHERE network = ${network} AND marker_offset = ${number(markerOffset)}`),

      /** Deletes ranges whose first marker or event the log no longer has. */
      prune: (
        network: Network,
        { markersFrom, eventsFrom }: { readonly markersFrom: number; readonly eventsFrom: number }
      ) =>
        Effect.asVoid(sql`
          DELETE FROM history_stretches WHERE network = ${network}
            AND (marker_offset < ${number(markersFrom)} OR (events > 0 AND event_offset < ${number(eventsFrom)}))`)
    }
  })
}) {
  static readonly layer = Layer.effect(BackfillStore, BackfillStore.make)
}
