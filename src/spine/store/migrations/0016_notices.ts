/**
 * Notices to a URL of the account, and which incidents an account was notified of. Notices have a table of their own,
 * and not rows of `mails`: processes of version 0.2 would send those as mails.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `sealed_secret` is null if the format has no signature. `attempted_at`: the newest attempt to send a notice.
  yield* sql`
    CREATE TABLE notice_urls (
      account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (id),
      url text NOT NULL,
      format text NOT NULL CHECK (format IN ('standard', 'slack')),
      types text[] NOT NULL,
      sealed_secret text,
      attempted_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  // As `mails`: `cause` makes a notice unique, `next_attempt_at` is null once it is sent or given up.
  yield* sql`
    CREATE TABLE notices (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      cause text COLLATE "C" NOT NULL UNIQUE,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      type text NOT NULL,
      text text NOT NULL,
      data json NOT NULL,
      created_at timestamptz NOT NULL,
      sent_at timestamptz,
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz,
      last_error text
    )`
  yield* sql`CREATE INDEX notices_due ON notices (next_attempt_at) WHERE next_attempt_at IS NOT NULL`
  yield* sql`CREATE INDEX notices_by_account ON notices (account_id, id)`
  yield* sql`
    CREATE TRIGGER notices_tell AFTER INSERT ON notices
    FOR EACH STATEMENT EXECUTE FUNCTION tell_of_work('notices')`
  // `new`: the account was not notified. `reported`: it was, and gets another message when the incident is over. `closed`:
  // nothing is to be sent any more.
  yield* sql`
    ALTER TABLE incidents
      ADD COLUMN failed_deliveries integer NOT NULL DEFAULT 1,
      ADD COLUMN notice_state text NOT NULL DEFAULT 'new' CHECK (notice_state IN ('new', 'reported', 'closed'))`
  yield* sql`CREATE INDEX incidents_not_closed ON incidents (id) WHERE notice_state <> 'closed'`
})
