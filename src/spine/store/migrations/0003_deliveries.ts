/**
 * Deliveries and their attempts, range-partitioned by id. Ids begin with their creation time, so a day is a range of
 * ids and retention drops whole days. There is no DEFAULT partition: a row without a partition is an error. Ids
 * compare by bytes (COLLATE "C"). An event is at `event_offset` in the network's events topic, or in its history
 * topic if `from_history`. A test delivery has its event in `test_event`, which also marks the delivery as free.
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
      after_live boolean NOT NULL DEFAULT false,
      next_attempt_at timestamptz,
      last_error text,
      response_status integer,
      response_time_ms integer,
      response_body text,
      attempted_at timestamptz,
      details text,
      updated_at timestamptz NOT NULL,
      CONSTRAINT deliveries_event CHECK ((event_offset IS NULL) <> (test_event IS NULL))
    ) PARTITION BY RANGE (id)`
  // No index has a column that changes from `pending` to `delivered`, so that update writes to no index (heap-only).
  yield* sql`CREATE INDEX deliveries_by_account ON deliveries (account_id, network, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id)`
  yield* sql`CREATE INDEX deliveries_by_account_type ON deliveries (account_id, network, event_type, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook_type ON deliveries (webhook_id, event_type, id)`
  // The backlog: the record in the log counts as finished (deliver/Lane.ts). `after_live` names the lane that spilled
  // the row and that reads it back, independent of what made the delivery: a manual retry of a replayed delivery uses
  // the live lane.
  yield* sql`CREATE INDEX deliveries_parked ON deliveries (webhook_id, after_live, id) WHERE parked`
  // This index has only deliveries whose ids do not depend on their event's place (DeliveryPages.ts), so no live ones.
  // It is a hash index because an entry then has 16 bytes. An event's id has more than 100.
  yield* sql`
    CREATE INDEX deliveries_by_event ON deliveries USING hash (event_id)
    WHERE replay_job_id IS NOT NULL OR test_event IS NOT NULL`
  // Failed attempts. The attempt that delivers is stored in the delivery's row.
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
      details text,
      PRIMARY KEY (delivery_id, attempt)
    ) PARTITION BY RANGE (delivery_id)`
})
