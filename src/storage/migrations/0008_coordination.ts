/**
 * What processes share: records for the log that wait in the outbox, leases of jobs that one process does at a time,
 * notices of new work, and the quarantine of records that the store could not take.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const notices = [
  ["outbox", "INSERT", "outbox"],
  ["mails", "INSERT", "mails"],
  ["replay_jobs", "INSERT", "replays"],
  // A job that waited for history has a worker again.
  ["history_requests", "UPDATE OF state", "replays"]
] as const

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A row is one record for the log, written in the transaction that changed what it says (storage/outbox/Outbox.ts).
  yield* sql`
    CREATE TABLE outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      topic text NOT NULL,
      key text NOT NULL,
      value text
    )`
  // A row per job; its times are the database's (storage/Leases.ts).
  yield* sql`
    CREATE TABLE leases (
      name text PRIMARY KEY,
      owner text NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  // A record that comes again after a crash has the same stage and source (storage/Quarantine.ts). `quarantine_beyond`
  // counts what the maximum of rows has pushed out.
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
  // Sent at the commit, whoever wrote the row, so that nobody has to poll often (storage/outbox/WorkNotices.ts).
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
