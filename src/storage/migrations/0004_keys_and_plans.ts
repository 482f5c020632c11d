/**
 * What an account may have of its own (limits that replace its plan's, a suspension), and what each key has used of its
 * rate windows: one row per key, made with the key, so the table needs no sweep. Counts are updated in place; the free
 * half of each page keeps those updates off the index.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE accounts
      ADD COLUMN requests_per_minute integer CHECK (requests_per_minute >= 0),
      ADD COLUMN requests_per_day integer CHECK (requests_per_day >= 0),
      ADD COLUMN monthly_deliveries bigint CHECK (monthly_deliveries >= 0),
      ADD COLUMN concurrent_replays integer CHECK (concurrent_replays >= 0),
      ADD COLUMN suspended_at timestamptz`
  // `minute` and `day`: since 1970, UTC.
  yield* sql`
    CREATE TABLE key_usage (
      key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys (id),
      minute integer NOT NULL DEFAULT 0,
      minute_used integer NOT NULL DEFAULT 0,
      day integer NOT NULL DEFAULT 0,
      day_used integer NOT NULL DEFAULT 0,
      last_used_at timestamptz
    ) WITH (fillfactor = 50)`
  yield* sql`INSERT INTO key_usage (key_id, last_used_at) SELECT id, last_used_at FROM api_keys`
  yield* sql`ALTER TABLE api_keys DROP COLUMN last_used_at`
  yield* sql`CREATE INDEX api_keys_by_account ON api_keys (account_id, id)`
})
