/**
 * What each process knows of itself beside its roles, and the newest report of the whole service (report/Stage.ts), so
 * that every process and command shows the same.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `parts`: what it needs, and how that is. `behind_ms`: by stage, how long the oldest item has waited for this process.
  // `sent`: its attempts of the last minute, and those of them that delivered.
  yield* sql`
    ALTER TABLE processes
      ADD COLUMN parts jsonb NOT NULL DEFAULT '{}',
      ADD COLUMN behind_ms jsonb NOT NULL DEFAULT '{}',
      ADD COLUMN sent jsonb`
  yield* sql`
    CREATE TABLE report (
      only_row boolean PRIMARY KEY CHECK (only_row),
      made_at timestamptz NOT NULL,
      report jsonb NOT NULL
    ) WITH (fillfactor = 50)`
})
