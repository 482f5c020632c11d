/**
 * Deliveries and their attempts, range-partitioned by id: ids begin with their creation time, so a day is a range of ids,
 * an id finds its partition, and retention drops whole days. There is no DEFAULT partition: a row for a day that nobody
 * made is an error, not a leak. Ids compare by bytes (COLLATE "C") whatever the database's locale is. An event is at
 * `event_offset` in the network's events topic, or in that of its history if `from_history`. A test delivery's event is in
 * no topic: it stands in `test_event`, which also marks the delivery as free.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE deliveries (
      id text COLLATE "C" NOT NULL PRIMARY KEY,
      webhook_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      event_id text NOT NULL,
      event_type text NOT NULL,
      event_offset bigint,
      from_history boolean NOT NULL DEFAULT false,
      test_event text,
      replay_job_id text COLLATE "C",
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
      updated_at timestamptz NOT NULL,
      CONSTRAINT deliveries_event CHECK ((event_offset IS NULL) <> (test_event IS NULL))
    ) PARTITION BY RANGE (id)`
  // None holds what changes from `pending` to `delivered`, so that this update writes to no index (heap-only).
  yield* sql`CREATE INDEX deliveries_by_account ON deliveries (account_id, network, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id)`
  yield* sql`CREATE INDEX deliveries_by_account_type ON deliveries (account_id, network, event_type, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook_type ON deliveries (webhook_id, event_type, id)`
  // Work that only the row remembers: its record in the log counts as done (deliver/Actor.ts). Replays are read apart.
  yield* sql`
    CREATE INDEX deliveries_parked
    ON deliveries (webhook_id, (CASE WHEN replay_job_id IS NULL THEN 0 ELSE 1 END), id) WHERE parked`
  // Those that failed: the attempt that delivers is in its delivery's row, which nothing changes after it.
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
