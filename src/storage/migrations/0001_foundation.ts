/**
 * Accounts, keys, webhooks, the outbox, deliveries and attempts.
 *
 * `deliveries` and `attempts` are range-partitioned by id: ids begin with their creation time, so a day is a range of
 * ids, an id finds its partition, and retention drops whole days. There is no DEFAULT partition: a row for a day that
 * nobody made is an error, not a leak. Ids compare by bytes (COLLATE "C") whatever the database's locale is.
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
      last_used_at timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`
    CREATE TABLE webhooks (
      id text COLLATE "C" PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      network text NOT NULL,
      url text NOT NULL,
      description text,
      event_types text[] NOT NULL,
      account_filters text[] NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'disabled')),
      consecutive_failures integer NOT NULL DEFAULT 0,
      max_in_flight integer NOT NULL,
      max_per_second integer,
      headers jsonb NOT NULL,
      sealed_secret text NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      disabled_at timestamptz,
      disabled_reason text,
      deleted_at timestamptz
    )`
  yield* sql`CREATE INDEX webhooks_by_account ON webhooks (account_id, id)`
  // A row is one record for the log, written in the transaction that changed what it tells; see storage/outbox/Outbox.ts.
  yield* sql`
    CREATE TABLE outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      topic text NOT NULL,
      key text NOT NULL,
      value text
    )`
  yield* sql`
    CREATE TABLE deliveries (
      id text COLLATE "C" NOT NULL PRIMARY KEY,
      webhook_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      event_id text NOT NULL,
      event_type text NOT NULL,
      event_offset bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'retrying', 'delivered', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      series_start integer NOT NULL DEFAULT 0,
      parked boolean NOT NULL DEFAULT false,
      next_attempt_at timestamptz,
      last_error text,
      response_status integer,
      response_time_ms integer,
      response_body text,
      attempted_at timestamptz,
      updated_at timestamptz NOT NULL
    ) PARTITION BY RANGE (id)`
  // None holds what changes from `pending` to `delivered`, so that this update writes to no index (heap-only).
  yield* sql`CREATE INDEX deliveries_by_account ON deliveries (account_id, network, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id)`
  yield* sql`CREATE INDEX deliveries_by_account_type ON deliveries (account_id, network, event_type, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook_type ON deliveries (webhook_id, event_type, id)`
  // Work that only the row remembers: its record in the log counts as done (deliver/Actor.ts).
  yield* sql`CREATE INDEX deliveries_parked ON deliveries (webhook_id, id) WHERE parked`
  // Those that failed: the one that delivers is told by its delivery's row, which nothing changes after it.
  yield* sql`
    CREATE TABLE attempts (
      delivery_id text COLLATE "C" NOT NULL,
      attempt integer NOT NULL,
      status text NOT NULL CHECK (status IN ('delivered', 'failed')),
      response_status integer,
      response_time_ms integer,
      response_body text,
      error text,
      attempted_at timestamptz NOT NULL,
      next_delay_ms integer,
      PRIMARY KEY (delivery_id, attempt)
    ) PARTITION BY RANGE (delivery_id)`
})
