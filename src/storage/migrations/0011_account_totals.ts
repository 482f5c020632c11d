/**
 * Totals of deliveries that any period's statistics read in a few rows: `delivery_days` beside hours and minutes, and in
 * each of the three the sums of an account's webhooks on a network, in rows whose `webhook_id` is ''. One such row for all
 * who record is enough: they wait for each other at the account's usage (0008) already, and longer. The triggers count
 * all of it for less than before, since a latency's histogram is looked up and not computed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Lower bounds in ms of the histogram's buckets but the first: ten per decade, so that they are 26 % wide at most. */
const latencyBounds =
  "1,2,3,4,5,6,8,10,13,16,20,25,32,40,50,63,79,100,126,158,200,251,316,398,501,631,794,1000,1259,1585,1995,2512,3162,3981,5012,6310,7943,10000,12589,15849,19953,25119,31623,39811,50119,63096"
/** A histogram's digits for each bucket. */
const DIGITS = 12

const statuses = ["pending", "retrying", "delivered", "failed"]
const totals = [...statuses, "latency_sum", "latencies"]
const key = ["webhook_id", "account_id", "network", "at"]
const list = (items: ReadonlyArray<string>): string => items.join(", ")
const sums = list(totals.map((name) => `sum(${name}) AS ${name}`))

/** Rows of `deliveries` as changes: each came (1) or went (-1). */
const changesOf = (rows: string, n: 1 | -1): string => `
  SELECT webhook_id, account_id, network, id, event_type, status, response_time_ms, ${n} AS n FROM ${rows}`

/** In the order of the key, so that no two writers wait for each other in a circle. */
const addTotals = (table: string, changes: string, columns: ReadonlyArray<string>): string => `
  INSERT INTO ${table} AS total (${list([...key, ...columns])})
  SELECT ${list([...key, ...columns])} FROM ${changes}
  WHERE (${list(totals)}) <> (${list(totals.map(() => "0"))})
  ORDER BY ${list(key)}
  ON CONFLICT (${list(key)}) DO UPDATE SET ${list(
    columns.map(
      (name) => `${name} = total.${name} ${name === "delivered_types" ? "|" : "+"} excluded.${name}`
    )
  )}`

const sumsBy = (unit: string, changes: string): string => `
  SELECT webhook_id, account_id, network, date_trunc('${unit}', at, 'UTC') AS at, ${sums},
         bit_or(delivered_types) AS delivered_types
  FROM ${changes} GROUP BY 1, 2, 3, 4`

/** Events of a ledger share their moment: ids are read once for each moment, not for each row. */
const addChanges = (changes: string): string => `
  WITH moments AS MATERIALIZED (
    SELECT webhook_id, account_id, network, left(id, 14) AS moment,
      ${list(statuses.map((status) => `coalesce(sum(n) FILTER (WHERE status = '${status}'), 0) AS ${status}`))},
      coalesce(sum(n * response_time_ms) FILTER (WHERE status = 'delivered'), 0) AS latency_sum,
      coalesce(sum(n * latency_histogram(response_time_ms)) FILTER (WHERE status = 'delivered'), 0) AS latencies,
      coalesce(bit_or(event_type_bit(event_type)) FILTER (WHERE status = 'delivered'), 0) AS delivered_types
    FROM (${changes}) AS changes GROUP BY 1, 2, 3, 4
  ), times AS MATERIALIZED (
    SELECT moment, delivery_created_at(moment) AS at FROM (SELECT DISTINCT moment FROM moments) AS different
  ), counted AS (
    SELECT each.webhook_id, account_id, network, at, ${list(totals)}, delivered_types
    FROM moments JOIN times USING (moment) CROSS JOIN LATERAL (VALUES (moments.webhook_id), ('')) AS each (webhook_id)
  ), minutes AS MATERIALIZED (
    ${sumsBy("minute", "counted")}
  ), hours AS MATERIALIZED (
    ${sumsBy("hour", "minutes")}
  ), days AS (
    ${sumsBy("day", "hours")}
  ), hours_added AS (
    ${addTotals("delivery_hours", "hours", [...totals, "delivered_types"])}
  ), days_added AS (
    ${addTotals("delivery_days", "days", totals)}
  )
  ${addTotals("delivery_minutes", "minutes", totals)}`

const triggers = [
  { event: "insert", changes: changesOf("came", 1) },
  { event: "update", changes: `${changesOf("went", -1)} UNION ALL ${changesOf("came", 1)}` },
  { event: "delete", changes: changesOf("went", -1) }
]

const powers = ["", ...latencyBounds.split(",")].map((_, bucket) => `1e${DIGITS * bucket}`)

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE delivery_days (
      webhook_id text COLLATE "C" NOT NULL,
      at timestamptz NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      pending integer NOT NULL,
      retrying integer NOT NULL,
      delivered integer NOT NULL,
      failed integer NOT NULL,
      latency_sum bigint NOT NULL,
      latencies numeric NOT NULL,
      PRIMARY KEY (${sql.literal(list(key))})
    ) WITH (fillfactor = 50)`
  for (const table of ["delivery_minutes", "delivery_hours"]) {
    yield* sql`
      ALTER TABLE ${sql(table)} DROP CONSTRAINT ${sql(`${table}_pkey`)}, ADD PRIMARY KEY (${sql.literal(list(key))})`
  }
  yield* sql`DROP INDEX delivery_minutes_by_account`
  yield* sql`
    INSERT INTO delivery_minutes (webhook_id, account_id, network, at, ${sql.literal(list(totals))})
    SELECT '', account_id, network, at, ${sql.literal(sums)} FROM delivery_minutes GROUP BY account_id, network, at`
  yield* sql`
    INSERT INTO delivery_hours (webhook_id, account_id, network, at, ${sql.literal(list(totals))}, delivered_types)
    SELECT '', account_id, network, at, ${sql.literal(sums)}, bit_or(delivered_types)
    FROM delivery_hours GROUP BY account_id, network, at`
  yield* sql`
    INSERT INTO delivery_days (webhook_id, account_id, network, at, ${sql.literal(list(totals))})
    SELECT webhook_id, account_id, network, date_trunc('day', at, 'UTC'), ${sql.literal(sums)}
    FROM delivery_hours GROUP BY 1, 2, 3, 4`

  // As before, but from a table of powers: making each number from text cost more than all else the triggers do.
  yield* sql`
    CREATE OR REPLACE FUNCTION latency_histogram(ms integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (${sql.literal(`'{${powers.join(",")}}'::numeric[]`)})[
      1 + width_bucket(ms, ${sql.literal(`'{${latencyBounds}}'::integer[]`)})]`
  for (const { event, changes } of triggers) {
    yield* sql.unsafe(`
      CREATE OR REPLACE FUNCTION count_deliveries_on_${event}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ BEGIN ${addChanges(changes)}; RETURN NULL; END $body$`)
  }
})
