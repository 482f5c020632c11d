/**
 * Gaps of webhooks: spans of ledgers in which nothing was queued for a webhook. Triggers open and close them with the
 * statement that disables or enables a webhook, or suspends an account, whatever its version. Upkeep does it for quotas
 * (coverage/GapUpkeep.ts), and stores for each network up to which ledger events are routed.
 * Counts of attempts: the triggers of 0004_delivery_totals.ts also count attempts, in the minute in which they ended.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countWidths } from "../../domain/StatsPeriod.ts"

/** The characters of a delivery's id up to the end of its time. */
const TIME_END = 14
const MINUTE = "date_bin('1 minute', came.updated_at, 'epoch')"

const columnsOf = (rows: string) =>
  `${["account_id", "network", "webhook_id", "event_type", "status", "parked"].map((name) => `${rows}.${name}`).join(", ")},
   left(${rows}.id, ${TIME_END}) AS made`
const latencyOf = (rows: string) =>
  `CASE WHEN ${rows}.status = 'delivered' THEN coalesce(${rows}.response_time_ms, 0) ELSE 0 END AS latency_ms`

/** Rows of `deliveries` as changes of counts: 1 for a new row version, -1 for an old one. */
const changesOf = (rows: string, n: 1 | -1): string => `
  SELECT ${columnsOf(rows)}, ${n} AS n, ${latencyOf(rows)}, 0 AS attempts, 0 AS first_attempts,
         NULL::timestamptz AS ended FROM ${rows}`

/** A row that is inserted with its first attempt: in a healthy service, all of them. */
const insertedRows = `
  SELECT ${columnsOf("came")}, 1 AS n, ${latencyOf("came")}, made_one AS attempts, made_one AS first_attempts,
         CASE WHEN made_one = 1 THEN ${MINUTE} END AS ended
  FROM came CROSS JOIN LATERAL (VALUES (CASE WHEN attempts > 0 AND test_event IS NULL THEN 1 ELSE 0 END)) AS made (made_one)`

const attemptedRows = `
  SELECT ${columnsOf("came")}, 0 AS n, 0 AS latency_ms, 1 AS attempts, CASE went.attempts WHEN 0 THEN 1 ELSE 0 END,
         ${MINUTE} AS ended
  FROM came JOIN went ON went.id = came.id WHERE came.attempts > went.attempts AND came.test_event IS NULL`

// As in 0004. Attempts are in the row of their delivery if they ended in the minute in which it was made, else apart.
const appendChanges = (changes: string): string => `
  INSERT INTO delivery_changes (account_id, network, webhook_id, event_type, status, latency_bucket, at, count, latency_sum,
                                parked, attempts, first_attempts)
  SELECT account_id, network, webhook_id, event_type, status, latency_bucket, CASE WHEN apart THEN ended ELSE at END,
         CASE WHEN apart THEN 0 ELSE count END, CASE WHEN apart THEN 0 ELSE latency_sum END, parked,
         CASE WHEN apart OR ended = at THEN attempts ELSE 0 END, CASE WHEN apart OR ended = at THEN first_attempts ELSE 0 END
  FROM (
    SELECT account_id, network, webhook_id, event_type, status, latency_bucket(latency_ms) AS latency_bucket,
           date_trunc('minute', delivery_created_at(made), 'UTC') AS at, sum(n) AS count,
           sum(n * latency_ms) AS latency_sum, parked, ended, sum(attempts) AS attempts, sum(first_attempts) AS first_attempts
    FROM (
      SELECT account_id, network, webhook_id, event_type, status, latency_ms, made, sum(n) AS n, parked, ended,
             sum(attempts) AS attempts, sum(first_attempts) AS first_attempts
      FROM (${changes}) AS changes
      GROUP BY 1, 2, 3, 4, 5, 6, 7, parked, ended HAVING sum(n) <> 0 OR sum(attempts) > 0
    ) AS grouped
    GROUP BY 1, 2, 3, 4, 5, 6, 7, parked, ended
  ) AS counted JOIN (VALUES (false), (true)) AS part (apart)
    ON CASE WHEN apart THEN attempts > 0 AND ended <> at ELSE count <> 0 OR latency_sum <> 0 OR ended = at END`

const triggers = [
  { event: "insert", changes: insertedRows },
  {
    event: "update",
    changes: `${changesOf("went", -1)} UNION ALL ${changesOf("came", 1)} UNION ALL ${attemptedRows}`
  }
]

const widths = countWidths.map(({ width }) => `('${width}')`).join(", ")

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE routed_ledgers (
      network text PRIMARY KEY,
      routed_through bigint NOT NULL
    ) WITH (fillfactor = 50)`
  // `to_ledger` is null until it is known which ledger was the newest one after the end.
  yield* sql`
    CREATE TABLE webhook_gaps (
      webhook_id text COLLATE "C" NOT NULL,
      reason text NOT NULL CHECK (reason IN ('disabled', 'suspended', 'quota')),
      began_at timestamptz NOT NULL,
      ended_at timestamptz,
      from_ledger bigint NOT NULL,
      to_ledger bigint,
      PRIMARY KEY (webhook_id, reason, began_at)
    )`
  yield* sql`CREATE UNIQUE INDEX webhook_gaps_open ON webhook_gaps (webhook_id, reason) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX webhook_gaps_unknown ON webhook_gaps (ended_at) WHERE to_ledger IS NULL`
  // What was routed by a moment before was queued: a gap begins after it.
  yield* sql.unsafe(`
    CREATE FUNCTION open_webhook_gaps(ids text[], why text) RETURNS void LANGUAGE sql
    AS $body$
      INSERT INTO webhook_gaps (webhook_id, reason, began_at, from_ledger)
      SELECT w.id, why, clock_timestamp(), coalesce(r.routed_through, 0) + 1
      FROM webhooks w LEFT JOIN routed_ledgers r ON r.network = w.network
      WHERE w.id = ANY(ids) AND w.deleted_at IS NULL ORDER BY w.id
      ON CONFLICT DO NOTHING
    $body$`)
  yield* sql.unsafe(`
    CREATE FUNCTION close_webhook_gaps(ids text[], why text) RETURNS void LANGUAGE sql
    AS $body$
      UPDATE webhook_gaps SET ended_at = clock_timestamp()
      WHERE webhook_id = ANY(ids) AND reason = why AND ended_at IS NULL
    $body$`)
  const whenChanged = (
    table: string,
    column: string,
    isChanged: string,
    ids: string,
    begins: string,
    why: string
  ) =>
    Effect.andThen(
      sql.unsafe(`
        CREATE FUNCTION keep_gaps_of_${table}() RETURNS trigger LANGUAGE plpgsql
        AS $body$ BEGIN
          IF ${begins} THEN PERFORM open_webhook_gaps(${ids}, '${why}');
          ELSE PERFORM close_webhook_gaps(${ids}, '${why}');
          END IF;
          RETURN NULL;
        END $body$`),
      sql.unsafe(`
        CREATE TRIGGER keep_gaps_of_${table} AFTER UPDATE OF ${column} ON ${table}
        FOR EACH ROW WHEN (${isChanged}) EXECUTE FUNCTION keep_gaps_of_${table}()`)
    )
  yield* whenChanged(
    "webhooks",
    "status",
    "OLD.status <> NEW.status",
    "ARRAY[NEW.id]",
    "NEW.status = 'disabled'",
    "disabled"
  )
  yield* whenChanged(
    "accounts",
    "suspended_at",
    "(OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL)",
    "ARRAY(SELECT id FROM webhooks WHERE account_id = NEW.id)",
    "NEW.suspended_at IS NOT NULL",
    "suspended"
  )

  yield* sql`
    ALTER TABLE delivery_changes
      ADD COLUMN attempts integer NOT NULL DEFAULT 0, ADD COLUMN first_attempts integer NOT NULL DEFAULT 0`
  // The totals have attempts under a status of their own: nothing that reads deliveries knows these.
  yield* sql`
    CREATE FUNCTION attempt_counts(status text, attempts bigint, first_attempts bigint)
    RETURNS TABLE (kind text, n bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT CASE status WHEN 'delivered' THEN 'first_delivered' ELSE 'first_failed' END, first_attempts
      WHERE first_attempts > 0
      UNION ALL
      SELECT CASE status WHEN 'delivered' THEN 'later_delivered' ELSE 'later_failed' END, attempts - first_attempts
      WHERE attempts > first_attempts;
    END`
  yield* sql`
    CREATE OR REPLACE VIEW delivery_counts AS
    SELECT account_id, network, webhook_id, status, width, at, latency_bucket, count, latency_sum, is_empty
    FROM delivery_totals
    UNION ALL
    SELECT account_id, network, webhook_id, status, width, date_bin(width::interval, at, 'epoch'), latency_bucket, count,
           latency_sum, false
    FROM delivery_changes CROSS JOIN (VALUES ${sql.literal(widths)}) AS widths (width)
    UNION ALL
    SELECT account_id, network, webhook_id, kind, width, date_bin(width::interval, at, 'epoch'), 0::smallint, n, 0, false
    FROM delivery_changes CROSS JOIN LATERAL attempt_counts(status, attempts, first_attempts) AS counted
      CROSS JOIN (VALUES ${sql.literal(widths)}) AS widths (width)`
  for (const { changes, event } of triggers)
    yield* sql.unsafe(`
      CREATE OR REPLACE FUNCTION count_deliveries_on_${event}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ BEGIN ${appendChanges(changes)}; RETURN NULL; END $body$`)
})
