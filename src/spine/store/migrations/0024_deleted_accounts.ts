/** When an account was deleted. Its row stays, without name and address, while rows of its webhooks and jobs do. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN deleted_at timestamptz`
})
