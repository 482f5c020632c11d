/**
 * Each account's place in the line of notices, so that the next account to send for is found by an index, and one sender
 * sends for an account at a time. A trigger keeps `due_at`, because processes of version 0.3 queue notices too. These
 * still read `notice_urls.attempted_at`; nothing else does.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `due_at`: not after the account's first notice that waits; null if none waits. `leased_until`: a process sends for it.
  yield* sql`ALTER TABLE notice_urls ADD COLUMN due_at timestamptz, ADD COLUMN leased_until timestamptz`
  yield* sql`CREATE INDEX notice_urls_due ON notice_urls (due_at)`
  yield* sql`
    CREATE INDEX notices_waiting ON notices (account_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL`
  yield* sql`
    CREATE INDEX notices_tests_waiting ON notices (account_id)
    WHERE next_attempt_at IS NOT NULL AND type = 'notice.test'`
  yield* sql`
    CREATE FUNCTION line_up_for_notices() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE notice_urls u SET due_at = least(u.due_at, first.due_at)
      FROM (SELECT account_id, min(next_attempt_at) AS due_at FROM added GROUP BY account_id) AS first
      WHERE u.account_id = first.account_id;
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE TRIGGER notices_line_up AFTER INSERT ON notices REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION line_up_for_notices()`
  yield* sql`
    UPDATE notice_urls u SET due_at = first.due_at
    FROM (SELECT account_id, min(next_attempt_at) AS due_at FROM notices WHERE next_attempt_at IS NOT NULL GROUP BY 1) AS first
    WHERE u.account_id = first.account_id`
})
