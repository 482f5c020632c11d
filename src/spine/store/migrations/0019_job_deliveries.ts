/**
 * What becomes of the deliveries of replay and retry jobs. A delivery names the job that made it and the job that
 * retried it last. Triggers append each change of their outcomes to `job_changes`, and storage/replays/JobEnds.ts adds
 * the changes to the jobs. `finished_at`: the job has ended and none of its deliveries waits. Jobs from before have no
 * counts. `retried_deliveries` lists the deliveries that each retry job has taken.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Rows of `deliveries` as changes of counts: 1 for a new row version, -1 for an old one. */
const changesOf = (rows: string, n: 1 | -1): string => `
  SELECT job.id, CASE WHEN status IN ('pending', 'retrying') THEN 'waiting' ELSE status END AS outcome, ${n} AS n
  FROM ${rows} CROSS JOIN LATERAL (VALUES (replay_job_id), (retry_job_id)) AS job (id)
  WHERE coalesce(replay_job_id, retry_job_id) IS NOT NULL AND job.id IS NOT NULL`

const triggers = [
  { event: "insert", rows: "NEW TABLE AS came", changes: changesOf("came", 1) },
  {
    event: "update",
    rows: "OLD TABLE AS went NEW TABLE AS came",
    changes: `${changesOf("went", -1)} UNION ALL ${changesOf("came", 1)}`
  }
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE deliveries ADD COLUMN retry_job_id text COLLATE "C"`
  // The default is for the rows that exist, and is no rewrite of them: jobs that have ended are finished.
  yield* sql`
    ALTER TABLE replay_jobs ADD COLUMN delivered bigint, ADD COLUMN waiting bigint, ADD COLUMN failed bigint,
      ADD COLUMN finished_at timestamptz DEFAULT now()`
  yield* sql`
    ALTER TABLE replay_jobs ALTER COLUMN delivered SET DEFAULT 0, ALTER COLUMN waiting SET DEFAULT 0,
      ALTER COLUMN failed SET DEFAULT 0, ALTER COLUMN finished_at DROP DEFAULT`
  yield* sql`UPDATE replay_jobs SET finished_at = NULL WHERE status IN ('queued', 'running')`
  yield* sql`CREATE INDEX replay_jobs_unfinished ON replay_jobs (id) WHERE finished_at IS NULL`
  yield* sql`
    CREATE TABLE retried_deliveries (
      job_id text COLLATE "C" NOT NULL,
      delivery_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (job_id, delivery_id)
    )`
  // Without an index: the table is small and always read whole.
  yield* sql`
    CREATE TABLE job_changes (
      job_id text COLLATE "C" NOT NULL,
      outcome text NOT NULL,
      count bigint NOT NULL
    )`
  for (const { changes, event, rows } of triggers) {
    const name = `count_job_deliveries_on_${event}`
    yield* sql.unsafe(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ BEGIN
        INSERT INTO job_changes (job_id, outcome, count)
        SELECT id, outcome, sum(n) FROM (${changes}) AS changes GROUP BY 1, 2 HAVING sum(n) <> 0;
        RETURN NULL;
      END $body$`)
    yield* sql.unsafe(`
      CREATE TRIGGER ${name} AFTER ${event} ON deliveries REFERENCING ${rows}
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
  }
})
