/** What an operator orders ingest to do. A row has no effect until ingest comes to the ledger that it names. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Ledgers to skip. The truth is the ledger's marker in the log, which has the reason; `skipped_at` and `closed_at` are
  // copied from it (storage/events/SkippedLedgers.ts).
  yield* sql`
    CREATE TABLE skipped_ledgers (
      network text NOT NULL,
      ledger_index bigint NOT NULL,
      reason text NOT NULL,
      ordered_at timestamptz NOT NULL,
      skipped_at timestamptz,
      closed_at timestamptz,
      PRIMARY KEY (network, ledger_index)
    )`
  // A test network was reset: after the ledger with this hash, ingest starts a new chain
  // (storage/events/ChainRestarts.ts).
  yield* sql`
    CREATE TABLE chain_restarts (
      network text PRIMARY KEY,
      after_hash text NOT NULL,
      ordered_at timestamptz NOT NULL
    )`
})
