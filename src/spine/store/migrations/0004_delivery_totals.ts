/**
 * Counts of deliveries. `delivery_totals` counts a webhook's deliveries by status, by creation time (in spans of
 * `width`) and, if delivered, by latency. `delivery_type_totals` counts by type, status and ten minutes, and
 * `delivery_waiting` the unfinished ones by webhook and day, those in the backlog apart. Triggers append each change to
 * `delivery_changes`, so writers do not wait for each other, and storage/deliveries/DeliveryTotals.ts adds the changes
 * to the totals. A statement that reads both, as the views do, has exact counts.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BUCKETS_PER_DECADE } from "../../domain/LatencyBuckets.ts"
import { countWidths } from "../../domain/StatsPeriod.ts"

/** The time of an id: the ten characters of Crockford's base 32 after the prefix, most significant first. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const characters = Array.from({ length: 10 }, (_, i) => ({ place: 5 + i, shift: 5 * (9 - i) }))
/** Place of the last of them. */
const TIME_END = characters.at(-1)!.place
const timeOfId = characters
  .map(({ place, shift }) => `((strpos('${ALPHABET}', substr(id, ${place}, 1)) - 1)::bigint << ${shift})`)
  .join(" + ")
const charactersOfTime = characters
  .map(({ shift }) => `substr('${ALPHABET}', ((ms >> ${shift}) & 31)::integer + 1, 1)`)
  .join(" || ")

/**
 * Rows of `deliveries` as changes of counts: 1 for a new row version, -1 for an old one. `made`: the beginning of
 * the id, up to the end of its time.
 */
const changesOf = (rows: string, n: 1 | -1): string => `
  SELECT account_id, network, webhook_id, event_type, status, parked, left(id, ${TIME_END}) AS made, ${n} AS n,
         CASE WHEN status = 'delivered' THEN coalesce(response_time_ms, 0) ELSE 0 END AS latency_ms FROM ${rows}`

const widths = countWidths.map(({ width }) => `('${width}')`).join(", ")

// Grouped twice: a ledger's deliveries have one time, and those of a batch one latency. So most rows end in the first
// groups, and few times and latencies are computed.
const appendChanges = (changes: string): string => `
  INSERT INTO delivery_changes (account_id, network, webhook_id, event_type, status, latency_bucket, at, count, latency_sum, parked)
  SELECT account_id, network, webhook_id, event_type, status, latency_bucket(latency_ms),
         date_trunc('minute', delivery_created_at(made), 'UTC'), sum(n), sum(n * latency_ms), parked
  FROM (
    SELECT account_id, network, webhook_id, event_type, status, latency_ms, made, sum(n) AS n, parked
    FROM (${changes}) AS changes
    GROUP BY 1, 2, 3, 4, 5, 6, 7, parked HAVING sum(n) <> 0
  ) AS grouped
  GROUP BY 1, 2, 3, 4, 5, 6, 7, parked HAVING sum(n) <> 0 OR sum(n * latency_ms) <> 0`

const triggers = [
  { event: "insert", rows: "NEW TABLE AS came", changes: changesOf("came", 1) },
  {
    event: "update",
    rows: "OLD TABLE AS went NEW TABLE AS came",
    changes: `${changesOf("went", -1)} UNION ALL ${changesOf("came", 1)}`
  },
  { event: "delete", rows: "OLD TABLE AS went", changes: changesOf("went", -1) }
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION delivery_created_at(id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_timestamp((${sql.literal(timeOfId)}) / 1000.0)`
  // The function is not in LANGUAGE SQL, because PostgreSQL would prepare it again for each call.
  yield* sql`
    CREATE FUNCTION first_delivery_id(at timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $body$
      DECLARE ms bigint := extract(epoch FROM at) * 1000;
      BEGIN RETURN 'dlv_' || ${sql.literal(charactersOfTime)} || '0000000000000000'; END
    $body$`
  yield* sql`
    CREATE FUNCTION latency_bucket(ms integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ceil(${sql.literal(String(BUCKETS_PER_DECADE))} * log((ms + 1)::float8))::smallint`

  yield* sql`
    CREATE TABLE delivery_totals (
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      width text NOT NULL,
      at timestamptz NOT NULL,
      latency_bucket smallint NOT NULL,
      count bigint NOT NULL,
      latency_sum bigint NOT NULL,
      is_empty boolean NOT NULL GENERATED ALWAYS AS (count = 0) STORED,
      PRIMARY KEY (account_id, network, webhook_id, status, width, at, latency_bucket)
    ) PARTITION BY RANGE (at)`
  yield* sql`
    CREATE TABLE delivery_type_totals (
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      status text NOT NULL,
      at timestamptz NOT NULL,
      count bigint NOT NULL,
      is_empty boolean NOT NULL GENERATED ALWAYS AS (count = 0) STORED,
      PRIMARY KEY (account_id, network, webhook_id, event_type, status, at)
    ) PARTITION BY RANGE (at)`
  yield* sql`
    CREATE TABLE delivery_waiting (
      webhook_id text COLLATE "C" NOT NULL,
      status text NOT NULL,
      parked boolean NOT NULL,
      at timestamptz NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (webhook_id, status, parked, at)
    ) PARTITION BY RANGE (at)`
  // For queries over all webhooks of an account, which say NOT is_empty. For one webhook the primary key serves. With
  // a condition on `count`, every change of it would write to all indexes.
  yield* sql`
    CREATE INDEX delivery_totals_by_account ON delivery_totals (account_id, network, status, width, at) WHERE NOT is_empty`
  yield* sql`
    CREATE INDEX delivery_type_totals_by_account ON delivery_type_totals (account_id, network, event_type, status, at)
    WHERE NOT is_empty`
  // Without an index: the table is small and always read whole.
  yield* sql`
    CREATE TABLE delivery_changes (
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      event_type text NOT NULL,
      status text NOT NULL,
      latency_bucket smallint NOT NULL,
      at timestamptz NOT NULL,
      count bigint NOT NULL,
      latency_sum bigint NOT NULL,
      parked boolean NOT NULL DEFAULT false
    )`
  yield* sql`
    CREATE VIEW delivery_counts AS
    SELECT account_id, network, webhook_id, status, width, at, latency_bucket, count, latency_sum, is_empty
    FROM delivery_totals
    UNION ALL
    SELECT account_id, network, webhook_id, status, width, date_bin(width::interval, at, 'epoch'), latency_bucket, count,
           latency_sum, false
    FROM delivery_changes CROSS JOIN (VALUES ${sql.literal(widths)}) AS widths (width)`

  for (const { event, rows, changes } of triggers) {
    const name = `count_deliveries_on_${event}`
    yield* sql.unsafe(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ BEGIN ${appendChanges(changes)}; RETURN NULL; END $body$`)
    yield* sql.unsafe(`
      CREATE TRIGGER ${name} AFTER ${event} ON deliveries REFERENCING ${rows}
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
  }
})
