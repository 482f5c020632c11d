/**
 * Replay jobs, and the history that some wait for. A job's `cursor` is the next place to read, or the last ledger
 * read (storage/replays/ReplayWork.ts); `next_offset` follows the last event that was queued. History is ledgers
 * before the service's first own one (domain/History.ts): `history_stretches` are the ranges in the log,
 * `history_requests` what jobs wait for. A job with an open request has no worker. `retry` says which deliveries a job
 * of mode `retry` queues again, and `next_delivery_id` where its next batch begins.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE replay_jobs (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      webhook_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'cancelled', 'failed')),
      event_ids text[],
      filters jsonb,
      retry jsonb,
      next_delivery_id text COLLATE "C",
      total_events bigint NOT NULL,
      processed_events bigint NOT NULL DEFAULT 0,
      failed_events bigint NOT NULL DEFAULT 0,
      error text,
      end_offset bigint NOT NULL,
      start_offset bigint,
      by_ledger boolean,
      cursor bigint,
      next_offset bigint,
      created_at timestamptz NOT NULL,
      started_at timestamptz,
      completed_at timestamptz,
      cancelled_at timestamptz,
      owner text,
      lease_until timestamptz,
      CONSTRAINT replay_jobs_mode CHECK (num_nonnulls(event_ids, filters, retry) = 1)
    )`
  yield* sql`CREATE INDEX replay_jobs_by_account ON replay_jobs (account_id, id)`
  yield* sql`CREATE INDEX replay_jobs_open ON replay_jobs (id) WHERE status IN ('queued', 'running')`
  yield* sql`
    CREATE TABLE history_stretches (
      network text COLLATE "C" NOT NULL,
      first_ledger bigint NOT NULL,
      last_ledger bigint NOT NULL,
      parent_hash text NOT NULL,
      last_hash text NOT NULL,
      first_closed_at bigint NOT NULL,
      last_closed_at bigint NOT NULL,
      marker_offset bigint NOT NULL,
      event_offset bigint NOT NULL,
      events bigint NOT NULL,
      PRIMARY KEY (network, marker_offset)
    )`
  yield* sql`
    CREATE TABLE history_requests (
      job_id text COLLATE "C" PRIMARY KEY REFERENCES replay_jobs (id),
      network text COLLATE "C" NOT NULL,
      since_ms bigint NOT NULL,
      state text NOT NULL CHECK (state IN ('open', 'ready', 'failed')),
      first_ledger bigint,
      ledgers bigint,
      fetched bigint NOT NULL DEFAULT 0,
      before_ledger bigint,
      error text,
      settled_at timestamptz
    )`
  yield* sql`CREATE INDEX history_requests_open ON history_requests (network) WHERE state = 'open'`
})
