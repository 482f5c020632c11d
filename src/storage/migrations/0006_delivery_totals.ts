/**
 * What filters and statistics of deliveries stand on. `delivery_minutes` and `delivery_hours` count a webhook's
 * deliveries by status, per minute and hour of creation, with the latencies of the delivered ones; triggers keep them
 * exact within each statement, whoever writes. No index of `deliveries` holds what changes when all goes well (pending →
 * delivered), so that this update stays heap-only: `failing_status` is null before it and after.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statuses = ["pending", "retrying", "delivered", "failed"]
const totals = [...statuses, "latency_sum", "latencies"]
const list = (items: ReadonlyArray<string>): string => items.join(", ")

/** Lower bounds in ms of the histogram's buckets but the first: ten per decade, so that they are 26 % wide at most. */
const latencyBounds =
  "1,2,3,4,5,6,8,10,13,16,20,25,32,40,50,63,79,100,126,158,200,251,316,398,501,631,794,1000,1259,1585,1995,2512,3162,3981,5012,6310,7943,10000,12589,15849,19953,25119,31623,39811,50119,63096"

/** Bits of `delivered_types`, from 1 on; what other types there will be shares bit 0. */
const eventTypes = `
  account.created account.settings_changed account.deleted trustline.created trustline.modified trustline.deleted
  nft.minted nft.burned nft.offer_created nft.offer_accepted nft.offer_cancelled
  escrow.created escrow.finished escrow.cancelled check.created check.cashed check.cancelled
  dex.offer_created dex.offer_partial dex.offer_filled dex.offer_cancelled payment.xrp payment.issued`
  .trim()
  .split(/\s+/)

/** An id's time: ten characters of Crockford's base 32 after the prefix, the most significant first. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const characters = Array.from({ length: 10 }, (_, i) => ({ place: 5 + i, shift: 5 * (9 - i) }))
const timeOfId = characters
  .map(({ place, shift }) => `((strpos('${ALPHABET}', substr(id, ${place}, 1)) - 1)::bigint << ${shift})`)
  .join(" + ")
const charactersOfTime = characters
  .map(({ shift }) => `substr('${ALPHABET}', ((ms >> ${shift}) & 31)::integer + 1, 1)`)
  .join(" || ")

/** Rows of `deliveries` as changes: each came (1) or went (-1). */
const changesOf = (rows: string, n: 1 | -1): string => `
  SELECT webhook_id, account_id, network, id, event_type, status, response_time_ms, ${n} AS n FROM ${rows}`

/** In the order of the key, so that no two writers wait for each other. */
const addTotals = (table: string, changes: string, columns: ReadonlyArray<string>): string => `
  INSERT INTO ${table} AS total (webhook_id, account_id, network, at, ${list(columns)})
  SELECT webhook_id, account_id, network, at, ${list(columns)} FROM ${changes}
  WHERE (${list(totals)}) <> (${list(totals.map(() => "0"))})
  ORDER BY webhook_id, at
  ON CONFLICT (webhook_id, at) DO UPDATE SET ${list(
    columns.map(
      (name) => `${name} = total.${name} ${name === "delivered_types" ? "|" : "+"} excluded.${name}`
    )
  )}`

const sumsBy = (time: string, changes: string): string => `
  SELECT webhook_id, ${time} AS at, min(account_id) AS account_id, min(network) AS network,
         ${list(totals.map((name) => `sum(${name}) AS ${name}`))}, bit_or(delivered_types) AS delivered_types
  FROM ${changes} GROUP BY 1, 2`

/** Events of a ledger share their moment: ids are read once for each moment, not for each row. */
const addChanges = (changes: string): string => `
  WITH moments AS MATERIALIZED (
    SELECT webhook_id, left(id, 14) AS moment, min(account_id) AS account_id, min(network) AS network,
      ${list(statuses.map((status) => `coalesce(sum(n) FILTER (WHERE status = '${status}'), 0) AS ${status}`))},
      coalesce(sum(n * response_time_ms) FILTER (WHERE status = 'delivered'), 0) AS latency_sum,
      coalesce(sum(n * latency_histogram(response_time_ms)) FILTER (WHERE status = 'delivered'), 0) AS latencies,
      coalesce(bit_or(event_type_bit(event_type)) FILTER (WHERE status = 'delivered'), 0) AS delivered_types
    FROM (${changes}) AS changes GROUP BY 1, 2
  ), times AS MATERIALIZED (
    SELECT moment, delivery_created_at(moment) AS created_at FROM (SELECT DISTINCT moment FROM moments) AS different
  ), minutes AS MATERIALIZED (
    ${sumsBy("date_trunc('minute', created_at, 'UTC')", "moments JOIN times USING (moment)")}
  ), hours AS (
    ${sumsBy("date_trunc('hour', at, 'UTC')", "minutes")}
  ), hours_added AS (
    ${addTotals("delivery_hours", "hours", [...totals, "delivered_types"])}
  )
  ${addTotals("delivery_minutes", "minutes", totals)}`

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
  const days = yield* sql<{ readonly table: string; readonly day: string }>`
    SELECT c.relname AS table, right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'deliveries'::regclass`

  // Adding the column writes the rows anew: with room beside each for its next version.
  for (const { table } of days) yield* sql`ALTER TABLE ${sql(table)} SET (fillfactor = 50)`
  yield* sql`
    ALTER TABLE deliveries ADD COLUMN failing_status text
      GENERATED ALWAYS AS (CASE WHEN status IN ('retrying', 'failed') THEN status END) STORED`
  yield* sql`CREATE INDEX deliveries_by_account_type ON deliveries (account_id, network, event_type, id)`
  yield* sql`CREATE INDEX deliveries_by_webhook_type ON deliveries (webhook_id, event_type, id)`
  yield* sql`
    CREATE INDEX deliveries_failing_by_account ON deliveries (account_id, network, failing_status, id)
    WHERE failing_status IS NOT NULL`
  yield* sql`
    CREATE INDEX deliveries_failing_by_account_type
    ON deliveries (account_id, network, failing_status, event_type, id) WHERE failing_status IS NOT NULL`
  yield* sql`
    CREATE INDEX deliveries_failing_by_webhook ON deliveries (webhook_id, failing_status, id)
    WHERE failing_status IS NOT NULL`
  yield* sql`
    CREATE INDEX deliveries_failing_by_webhook_type ON deliveries (webhook_id, failing_status, event_type, id)
    WHERE failing_status IS NOT NULL`

  yield* sql`
    CREATE FUNCTION delivery_created_at(id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_timestamp((${sql.literal(timeOfId)}) / 1000.0)`
  yield* sql`
    CREATE FUNCTION first_delivery_id(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 'dlv_' || ${sql.literal(charactersOfTime)} || '0000000000000000'`
  yield* sql`
    CREATE FUNCTION event_type_bit(event_type text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE event_type
      ${sql.literal(eventTypes.map((type, i) => `WHEN '${type}' THEN ${2 ** (i + 1)}`).join(" "))} ELSE 1 END::bigint`
  // A histogram is one number with twelve digits for each bucket: adding numbers adds histograms.
  yield* sql`
    CREATE FUNCTION latency_histogram(ms integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('1e' || 12 * width_bucket(ms, ${sql.literal(`'{${latencyBounds}}'::integer[]`)}))::numeric`

  for (const [table, suffix] of [
    ["delivery_minutes", "PARTITION BY RANGE (at)"],
    ["delivery_hours", "WITH (fillfactor = 50)"]
  ] as const) {
    yield* sql`
      CREATE TABLE ${sql(table)} (
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
        PRIMARY KEY (webhook_id, at)
      ) ${sql.literal(suffix)}`
    yield* sql`CREATE INDEX ${sql(`${table}_by_account`)} ON ${sql(table)} (account_id, network, at)`
  }
  // Types of which one may have been delivered: all that were, since a delivery stays delivered.
  yield* sql`ALTER TABLE delivery_hours ADD COLUMN delivered_types bigint NOT NULL`
  for (const { day } of days) {
    yield* sql`
      CREATE TABLE ${sql(`delivery_minutes_${day}`)} PARTITION OF delivery_minutes
      FOR VALUES FROM (${sql.literal(`'${day} 00:00Z'`)}) TO (${sql.literal(`'${day} 00:00Z'::timestamptz + interval '24 hours'`)})
      WITH (fillfactor = 50)`
  }

  yield* sql.unsafe(addChanges(changesOf("deliveries", 1)))
  for (const { event, rows, changes } of triggers) {
    const name = `count_deliveries_on_${event}`
    yield* sql.unsafe(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
      AS $body$ BEGIN ${addChanges(changes)}; RETURN NULL; END $body$`)
    yield* sql.unsafe(`
      CREATE TRIGGER ${name} AFTER ${event} ON deliveries REFERENCING ${rows}
      FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
  }
})
