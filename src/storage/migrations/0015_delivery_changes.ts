/**
 * Totals of deliveries are kept in two steps. What a statement changes is added up and appended to `delivery_changes`, a
 * row for each webhook and minute, by the triggers of 0006; storage/DeliveryTotals.ts adds that to the totals some moments
 * later, together with what other statements changed. So a write costs the same with one webhook and with many, and nobody
 * who writes waits for another one's totals. Totals and changes together are exact: who reads the ones adds the others.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statuses = ["pending", "retrying", "delivered", "failed"]
const totals = [...statuses, "latency_sum", "latencies"]
const key = ["webhook_id", "account_id", "network", "at"]
const list = (items: ReadonlyArray<string>): string => items.join(", ")

/** Rows of `deliveries` as changes: each came (1) or went (-1). */
const changesOf = (rows: string, n: 1 | -1): string => `
  SELECT webhook_id, account_id, network, id, event_type, status, response_time_ms, ${n} AS n FROM ${rows}`

/** Events of a ledger share their moment: ids are read once for each moment, not for each row. */
const appendChanges = (changes: string): string => `
  INSERT INTO delivery_changes (${list([...key, ...totals, "delivered_types"])})
  WITH moments AS MATERIALIZED (
    SELECT webhook_id, account_id, network, left(id, 14) AS moment,
      ${list(statuses.map((status) => `coalesce(sum(n) FILTER (WHERE status = '${status}'), 0) AS ${status}`))},
      coalesce(sum(n * response_time_ms) FILTER (WHERE status = 'delivered'), 0) AS latency_sum,
      coalesce(sum(n * latency_histogram(response_time_ms)) FILTER (WHERE status = 'delivered'), 0) AS latencies,
      coalesce(bit_or(event_type_bit(event_type)) FILTER (WHERE status = 'delivered'), 0) AS delivered_types
    FROM (${changes}) AS changes GROUP BY 1, 2, 3, 4
  ), times AS MATERIALIZED (
    SELECT moment, date_trunc('minute', delivery_created_at(moment), 'UTC') AS at
    FROM (SELECT DISTINCT moment FROM moments) AS different
  )
  SELECT ${list(key)}, ${list(totals.map((name) => `sum(${name})`))}, bit_or(delivered_types)
  FROM moments JOIN times USING (moment) GROUP BY ${list(key)}
  HAVING (${list(totals.map((name) => `sum(${name})`))}) <> (${list(totals.map(() => "0"))})`

const triggers = [
  { event: "insert", changes: changesOf("came", 1) },
  { event: "update", changes: `${changesOf("went", -1)} UNION ALL ${changesOf("came", 1)}` },
  { event: "delete", changes: changesOf("went", -1) }
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // No index: it is small, and all of it is read.
  yield* sql`
    CREATE TABLE delivery_changes (
      webhook_id text COLLATE "C" NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      network text NOT NULL,
      at timestamptz NOT NULL,
      pending integer NOT NULL,
      retrying integer NOT NULL,
      delivered integer NOT NULL,
      failed integer NOT NULL,
      latency_sum bigint NOT NULL,
      latencies numeric NOT NULL,
      delivered_types bigint NOT NULL
    )`
  for (const { event, changes } of triggers) {
    yield* sql.unsafe(`
      CREATE OR REPLACE FUNCTION count_deliveries_on_${event}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ BEGIN ${appendChanges(changes)}; RETURN NULL; END $body$`)
  }
})
