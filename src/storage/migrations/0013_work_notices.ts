/**
 * Notices of work: what one process queues and another does is told by NOTIFY when it is committed, whoever wrote it, so
 * that nobody has to look every moment (storage/outbox/WorkNotices.ts).
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
