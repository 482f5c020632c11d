/** Which processes run, and which of their roles fail. Each process updates its row every few seconds. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Times are the database's. `stopped_at`: it stopped in order.
  yield* sql`
    CREATE TABLE processes (
      id text COLLATE "C" PRIMARY KEY,
      host text NOT NULL,
      pid integer NOT NULL,
      version text NOT NULL,
      roles text[] NOT NULL,
      failing text[] NOT NULL,
      seen_at timestamptz NOT NULL,
      stopped_at timestamptz
    ) WITH (fillfactor = 50)`
})
