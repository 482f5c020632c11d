/**
 * Requests of an account in its current minute and UTC day, over all its keys, also revoked ones. One row for each
 * account, made by its first request. It is updated in place like `key_usage`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE account_usage (
      account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (id),
      minute integer NOT NULL,
      minute_used bigint NOT NULL,
      day integer NOT NULL,
      day_used bigint NOT NULL
    ) WITH (fillfactor = 50)`
})
