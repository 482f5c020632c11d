/**
 * An operator's orders to start a new chain of a network, because a test network was reset. An order names the last
 * taken ledger by its hash, so it has no effect once a ledger of the new chain was taken.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Network } from "../../spine/event/Network.ts"

export class ChainRestarts extends Context.Service<ChainRestarts>()("ledgerhook/storage/ChainRestarts", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Replaces an earlier order of the network. */
      order: (network: Network, afterHash: string, nowMs: number) =>
        Effect.asVoid(sql`
          INSERT INTO chain_restarts (network, after_hash, ordered_at)
          VALUES (${network}, ${afterHash}, ${new Date(nowMs).toISOString()}::timestamptz)
          ON CONFLICT (network) DO UPDATE
          SET after_hash = excluded.after_hash, ordered_at = excluded.ordered_at`),

      /** The last hashes of the chains that were ordered to end, of all networks. */
      endedHashes: sql<{ readonly hash: string }>`SELECT after_hash AS hash FROM chain_restarts`.pipe(
        Effect.map((rows) => rows.map(({ hash }) => hash))
      ),

      isOrdered: (network: Network, afterHash: string) =>
        sql`
          SELECT 1 FROM chain_restarts WHERE network = ${network} AND after_hash = ${afterHash}`.pipe(
          Effect.map((rows) => rows.length > 0)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(ChainRestarts, ChainRestarts.make)
}
