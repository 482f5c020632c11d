/**
 * Payload filters of webhooks, as their customers gave them. `json` and not `jsonb`: it keeps the order of the fields, and
 * nothing in the database looks into a filter.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN payload_filter json`
})
