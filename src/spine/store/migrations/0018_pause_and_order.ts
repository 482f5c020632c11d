/** Webhooks that are paused, and those that send in strict order. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Null: the webhook is not paused.
  yield* sql`ALTER TABLE webhooks ADD COLUMN paused_at timestamptz`
  yield* sql`ALTER TABLE webhooks ADD COLUMN ordering text NOT NULL DEFAULT 'first_attempt'`
})
