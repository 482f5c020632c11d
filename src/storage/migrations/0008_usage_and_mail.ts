/**
 * What accounts have used of their monthly quota: one row per account and UTC month, counted by the statement that
 * records the attempts; updated in place, so the free half of each page keeps those updates off the index. And mails to
 * be sent: `cause` says what a mail is about, so that there is one of each; `next_attempt_at` is null once it is sent or
 * given up, `recipient` where the account has no address.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE delivery_usage (
      account_id text COLLATE "C" NOT NULL,
      month date NOT NULL,
      deliveries bigint NOT NULL,
      PRIMARY KEY (account_id, month)
    ) WITH (fillfactor = 50)`
  yield* sql`
    CREATE TABLE mails (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      cause text COLLATE "C" NOT NULL UNIQUE,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      recipient text,
      subject text NOT NULL,
      body text NOT NULL,
      created_at timestamptz NOT NULL,
      sent_at timestamptz,
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz,
      last_error text
    )`
  yield* sql`CREATE INDEX mails_due ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL`
})
