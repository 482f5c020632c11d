/**
 * History for replays (domain/History.ts): which stretches of ledgers of before the service's own first one the log holds,
 * and which jobs wait for some. A job with an open request is nobody's until the request is settled.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
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
