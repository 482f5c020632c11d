/**
 * Accounts, their keys, the usage of both, and mails. An account's own limits replace those of its plan. `key_usage`
 * has one row for each key, made with the key, `delivery_usage` one for each account and UTC month, and
 * `delivery_usage_days` up to 31 for each account. All are updated in place; pages are half filled, so an update stays
 * in its page and writes no index.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE accounts (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      email text,
      plan text NOT NULL,
      requests_per_minute integer CHECK (requests_per_minute >= 0),
      requests_per_day integer CHECK (requests_per_day >= 0),
      monthly_deliveries bigint CHECK (monthly_deliveries >= 0),
      concurrent_replays integer CHECK (concurrent_replays >= 0),
      webhooks integer CHECK (webhooks >= 0),
      account_filters integer CHECK (account_filters >= 0),
      suspended_at timestamptz,
      created_at timestamptz NOT NULL
    )`
  yield* sql`
    CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      name text NOT NULL,
      key_sha256 bytea NOT NULL UNIQUE,
      key_hint text NOT NULL,
      scopes text[] NOT NULL,
      environment text NOT NULL CHECK (environment IN ('live', 'test')),
      created_at timestamptz NOT NULL,
      expires_at timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`CREATE INDEX api_keys_by_account ON api_keys (account_id, id)`
  // `minute` and `day` count from 1970, UTC.
  yield* sql`
    CREATE TABLE key_usage (
      key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys (id),
      minute integer NOT NULL DEFAULT 0,
      minute_used integer NOT NULL DEFAULT 0,
      day integer NOT NULL DEFAULT 0,
      day_used integer NOT NULL DEFAULT 0,
      last_used_at timestamptz
    ) WITH (fillfactor = 50)`
  // Updated by the statement that records attempts.
  yield* sql`
    CREATE TABLE delivery_usage (
      account_id text COLLATE "C" NOT NULL,
      month date NOT NULL,
      deliveries bigint NOT NULL,
      PRIMARY KEY (account_id, month)
    ) WITH (fillfactor = 50)`
  // Updated by the same statement. Each day replaces the one a month before, so no rows have to be deleted.
  yield* sql`
    CREATE TABLE delivery_usage_days (
      account_id text COLLATE "C" NOT NULL,
      day_of_month smallint NOT NULL,
      day date NOT NULL,
      deliveries bigint NOT NULL,
      PRIMARY KEY (account_id, day_of_month)
    ) WITH (fillfactor = 50)`
  // `cause` makes a mail unique. `next_attempt_at` is null once a mail is sent or given up, `recipient` if the
  // account has no address.
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
  // The responses to requests with an `Idempotency-Key` (storage/accounts/IdempotencyStore.ts).
  yield* sql`
    CREATE TABLE idempotency_answers (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      environment text NOT NULL CHECK (environment IN ('live', 'test')),
      key text COLLATE "C" NOT NULL,
      fingerprint text NOT NULL,
      status integer NOT NULL,
      sealed_body text NOT NULL,
      answered_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, environment, key)
    )`
  yield* sql`CREATE INDEX idempotency_answers_by_time ON idempotency_answers (answered_at)`
  yield* sql`CREATE INDEX mails_due ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL`
})
