/** What processes share: the outbox, leases, notices of new work, and the quarantine of refused records. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const notices = [
  ["outbox", "INSERT", "outbox"],
  ["mails", "INSERT", "mails"],
  ["replay_jobs", "INSERT", "replays"],
  // A settled history request: its job needs a worker.
  ["history_requests", "UPDATE OF state", "replays"]
] as const

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A row is one record for the log (storage/outbox/Outbox.ts).
  yield* sql`
    CREATE TABLE outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      topic text NOT NULL,
      key text NOT NULL,
      value text
    )`
  // A row for each lease. Times are the database's (storage/Leases.ts).
  yield* sql`
    CREATE TABLE leases (
      name text PRIMARY KEY,
      owner text NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  // A record that is read again has the same stage and source (storage/Quarantine.ts). `quarantine_beyond` counts
  // records that were deleted because there were more than the maximum.
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
  // Notices are sent at the commit, so that waiting processes need to poll rarely (storage/outbox/WorkNotices.ts).
  yield* sql`
    CREATE FUNCTION tell_of_work() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('ledgerhook_work', TG_ARGV[0]);
      RETURN NULL;
    END $$`
  for (const [table, change, work] of notices) {
    yield* sql.unsafe(`
      CREATE TRIGGER ${table}_tell AFTER ${change} ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION tell_of_work('${work}')`)
  }
})
