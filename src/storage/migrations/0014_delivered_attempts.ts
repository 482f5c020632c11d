/**
 * The attempt that delivers is told by its delivery's row, which nothing changes after it: `attempts` holds those that
 * failed. Most deliveries need one attempt, and a row of it as well said everything twice. `attempted_at` is when that
 * attempt began; deliveries that were delivered before have none, and their attempts are all in `attempts`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE deliveries ADD COLUMN attempted_at timestamptz`
})
