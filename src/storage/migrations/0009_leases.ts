/** Who does what only one process may do at a time (storage/Leases.ts): a row per job, told by the database's clock. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE leases (
      name text PRIMARY KEY,
      owner text NOT NULL,
      expires_at timestamptz NOT NULL
    )`
})
