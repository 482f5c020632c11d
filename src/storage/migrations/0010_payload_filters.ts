/**
 * Payload filters of webhooks. The type is `json` and not `jsonb`: it keeps the order of the fields, and no query
 * reads inside a filter.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN payload_filter json`
})
