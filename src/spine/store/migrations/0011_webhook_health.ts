/**
 * Whether webhooks answer. A run is the failed requests since the newest answer; `failing_since` and `failed_attempts`
 * are of it, and so are the new columns (storage/deliveries/FailureRuns.ts). An incident is a span in which a webhook
 * was failing. Version 0.2 writes only the two old columns: rows are right without the others.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `isFailing` (storage/deliveries/FailureRuns.ts) is the same rule. `last_failed_at` may be of an earlier run if version 0.2 began this one.
  yield* sql`
    CREATE FUNCTION webhook_is_failing(failing_since timestamptz, failed_attempts integer, last_failed_at timestamptz)
    RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN failing_since IS NOT NULL
      AND coalesce(failed_attempts >= 5 OR last_failed_at - failing_since >= interval '1 minute', false)`
  // `attempted_at`: the end of the first attempt. `failed_deliveries`: how many deliveries failed at their first attempt in
  // the run; `failing_from` is the id of the first of them, if the run began with it. `incident_id` is the newest incident.
  // PostgreSQL writes the table again for the generated column. 5,000 webhooks took 0.1 to 0.3 s on a busy machine.
  yield* sql`
    ALTER TABLE webhooks
      ADD COLUMN attempted_at timestamptz,
      ADD COLUMN last_failed_at timestamptz,
      ADD COLUMN last_error text,
      ADD COLUMN failed_deliveries integer NOT NULL DEFAULT 0,
      ADD COLUMN failing_from text COLLATE "C",
      ADD COLUMN incident_id text COLLATE "C",
      ADD COLUMN incident_ended_at timestamptz,
      ADD COLUMN is_failing boolean NOT NULL
        GENERATED ALWAYS AS (webhook_is_failing(failing_since, failed_attempts, last_failed_at)) STORED`
  yield* sql`
    CREATE TABLE incidents (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      began_at timestamptz NOT NULL,
      ended_at timestamptz,
      ended_by text CHECK (ended_by IN ('attempt', 'retry', 'disabled', 'deleted')),
      cause text,
      attempts_failed integer NOT NULL,
      first_delivery text COLLATE "C" NOT NULL,
      waited bigint,
      delivered bigint,
      failed bigint,
      CONSTRAINT incidents_end CHECK ((ended_at IS NULL) = (ended_by IS NULL))
    )`
  yield* sql`CREATE INDEX incidents_by_account ON incidents (account_id, network, id)`
  yield* sql`CREATE INDEX incidents_by_webhook ON incidents (webhook_id, id)`
  yield* sql`CREATE INDEX incidents_open ON incidents (webhook_id) WHERE ended_at IS NULL`
  // Live deliveries that wait: those in the backlog, where what waits in memory is after a second too, and those between two
  // attempts. The index has no column that a first success changes, so that such an update stays heap-only. PostgreSQL builds it for each partition that is made from now on. Where there are partitions,
  // upkeep builds it for them, because building it here would hold their locks for too long (UnfinishedIndex.ts).
  const partitions = yield* sql`SELECT FROM pg_inherits WHERE inhparent = 'deliveries'::regclass LIMIT 1`
  yield* sql`
    CREATE INDEX deliveries_unfinished ON ${sql.literal(partitions.length > 0 ? "ONLY" : "")} deliveries (webhook_id, id)
    INCLUDE (next_attempt_at) WHERE (parked OR next_attempt_at IS NOT NULL) AND replay_job_id IS NULL AND test_event IS NULL`
})
