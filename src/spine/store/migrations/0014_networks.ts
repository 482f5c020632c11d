/** What the process that ingests a network knows of it. It updates the row about once for each ledger. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `facts`: NetworkFacts (health/Networks.ts). `seen_at` is the database's time. No index has a column that changes, so
  // that updates stay heap-only.
  yield* sql`
    CREATE TABLE networks (
      network text COLLATE "C" PRIMARY KEY,
      facts jsonb NOT NULL,
      seen_at timestamptz NOT NULL
    ) WITH (fillfactor = 10)`
})
