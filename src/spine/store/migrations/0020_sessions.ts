/**
 * Sessions of the dashboard, and links that sign in once. Both are rows of one table: a used link becomes the session,
 * in one update, so that it cannot be used twice. `api_keys.for_links`: the key for which `ledgerhook portal` makes links;
 * nobody has its value.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE sessions (
      sha256 bytea PRIMARY KEY,
      key_id text COLLATE "C" NOT NULL REFERENCES api_keys (id),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX sessions_by_key ON sessions (key_id, created_at)`
  yield* sql`CREATE INDEX sessions_by_end ON sessions (expires_at)`
  yield* sql`ALTER TABLE api_keys ADD COLUMN for_links boolean NOT NULL DEFAULT false`
})
