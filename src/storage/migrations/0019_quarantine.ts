/**
 * Records that the store could not take, with the reason (storage/Quarantine.ts). One that comes again after a crash is
 * the same by its stage and source. `quarantine_beyond` counts what the maximum of rows has pushed out.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE quarantine (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      stage text NOT NULL,
      source text NOT NULL,
      reason text NOT NULL,
      record text NOT NULL,
      recorded_at timestamptz NOT NULL,
      UNIQUE (stage, source)
    )`
  yield* sql`CREATE INDEX quarantine_by_time ON quarantine (recorded_at)`
  yield* sql`
    CREATE TABLE quarantine_beyond (
      only_row boolean PRIMARY KEY CHECK (only_row),
      records bigint NOT NULL
    )`
  yield* sql`INSERT INTO quarantine_beyond (only_row, records) VALUES (true, 0)`
})
