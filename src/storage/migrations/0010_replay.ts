/**
 * Replay jobs, and the mark of their deliveries, so that what waits of them is paged apart from live ones. A job's `cursor` is the next thing to read (an offset of the events topic, or a ledger: storage/replays/ReplayWork.ts);
 * `next_offset` is past the last event that was queued.
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
      CONSTRAINT replay_jobs_mode CHECK ((event_ids IS NULL) <> (filters IS NULL))
    )`
  yield* sql`CREATE INDEX replay_jobs_by_account ON replay_jobs (account_id, id)`
  yield* sql`CREATE INDEX replay_jobs_open ON replay_jobs (id) WHERE status IN ('queued', 'running')`

  yield* sql`ALTER TABLE deliveries ADD COLUMN replay_job_id text COLLATE "C"`
  yield* sql`DROP INDEX deliveries_parked`
  yield* sql`
    CREATE INDEX deliveries_parked
    ON deliveries (webhook_id, (CASE WHEN replay_job_id IS NULL THEN 0 ELSE 1 END), id) WHERE parked`
})
