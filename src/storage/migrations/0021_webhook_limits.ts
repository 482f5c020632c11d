/**
 * How many webhooks and account filters an account may have, where it differs from its plan, and how many filters each
 * webhook has: counted when they are written, so that counting an account's reads an index and no filter.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE accounts
      ADD COLUMN webhooks integer CHECK (webhooks >= 0),
      ADD COLUMN account_filters integer CHECK (account_filters >= 0)`
  yield* sql`
    ALTER TABLE webhooks
      ADD COLUMN account_filters_count integer NOT NULL GENERATED ALWAYS AS (cardinality(account_filters)) STORED`
  yield* sql`
    CREATE INDEX webhooks_present ON webhooks (account_id, id) INCLUDE (account_filters_count)
    WHERE deleted_at IS NULL`
})
