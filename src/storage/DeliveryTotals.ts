/**
 * Totals of deliveries by webhook and minute, hour and day, and of an account's webhooks together. Triggers append what
 * changes to `delivery_changes` (migration 0015); here it is moved to the totals, which both happens or neither. Whoever
 * reads totals adds the changes that are still there.
 */
import { Duration, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"

/** As totals name what an account's webhooks on a network come to together. */
export const ALL_WEBHOOKS = ""

const key = ["webhook_id", "account_id", "network", "at"]
const counts = ["pending", "retrying", "delivered", "failed", "latency_sum", "latencies"]
const list = (items: ReadonlyArray<string>): string => items.join(", ")

const sumsBy = (unit: string, changes: string, more = ""): string => `
  SELECT webhook_id, account_id, network, date_trunc('${unit}', at, 'UTC') AS at,
         ${list(counts.map((name) => `sum(${name}) AS ${name}`))}, bit_or(delivered_types) AS delivered_types${more}
  FROM ${changes} GROUP BY 1, 2, 3, 4`

const changed = `(${list(counts)}) <> (${list(counts.map(() => "0"))})`

/** In the order of the key, so that no two that do this wait for each other in a circle. */
const addTotals = (
  table: string,
  changes: string,
  columns: ReadonlyArray<string>,
  which = changed
): string => `
  INSERT INTO ${table} AS total (${list([...key, ...columns])})
  SELECT ${list([...key, ...columns])} FROM ${changes}
  WHERE ${which}
  ORDER BY ${list(key)}
  ON CONFLICT (${list(key)}) DO UPDATE SET ${list(
    columns.map(
      (name) => `${name} = total.${name} ${name === "delivered_types" ? "|" : "+"} excluded.${name}`
    )
  )}`

/**
 * All that there is: of what one delivery went through, the last without the first would count it less than once. However
 * much that is, it is read once, and PostgreSQL keeps no more of it in memory than `work_mem`.
 */
const fold = `
  WITH changes AS (
    DELETE FROM delivery_changes RETURNING *
  ), of_account AS (
    SELECT '${ALL_WEBHOOKS}', ${list([...key.slice(1), ...counts, "delivered_types"])} FROM changes
  ), minutes AS MATERIALIZED (
    ${sumsBy("minute", "(SELECT * FROM changes UNION ALL SELECT * FROM of_account) AS each", ", max(pending) > 0 AS some_came")}
  ), hours AS MATERIALIZED (
    ${sumsBy("hour", "minutes")}
  ), days AS (
    ${sumsBy("day", "hours")}
  ), minutes_added AS (
    -- Also where one that came is made up for by one that went: which types are pending is forgotten then (0018).
    ${addTotals("delivery_minutes", "minutes", counts, `${changed} OR some_came`)}
  ), hours_added AS (
    ${addTotals("delivery_hours", "hours", [...counts, "delivered_types"])}
  ), days_added AS (
    ${addTotals("delivery_days", "days", counts)}
  )
  SELECT count(*)::int AS changes, pg_relation_size('delivery_changes')::float8 AS bytes FROM changes`

interface Folded {
  /** How many were added. */
  readonly changes: number
  /** The size of the table they came from. */
  readonly bytes: number
}

/** Adds what has changed to the totals. */
export const foldChanges: Effect.Effect<Folded, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(sql.unsafe<Folded>(fold), ([row]) => row ?? { changes: 0, bytes: 0 })
)

/**
 * Adds changes to the totals every moment, and has their room used again: who reads totals looks through all of it. The
 * more there is to do the more of it goes together, so that it takes a fifth of a connection's time. Never ends by itself.
 */
export const keepTotals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { shortest, unchanged, longest } = Limits.deliveryChangesMs
  let sinceVacuum = 0
  /** Returns the shortest pause after it. */
  const keep = Effect.gen(function* () {
    const { changes, bytes } = yield* foldChanges
    sinceVacuum += changes
    const large = bytes > Limits.deliveryChangesBytes
    if (large || sinceVacuum >= Limits.deliveryChangesVacuumed) {
      // To give its end back it needs a moment in which nobody writes.
      yield* sql`VACUUM (TRUNCATE ${sql.literal(String(large))}) delivery_changes`
      sinceVacuum = 0
    }
    return changes === 0 ? unchanged : shortest
  })
  return yield* Effect.forever(
    Effect.flatMap(Effect.timed(patiently("totals of deliveries")(keep)), ([took, pauseMs]) =>
      Effect.sleep(Math.min(Math.max(pauseMs, 4 * Duration.toMillis(took)), longest))
    )
  )
})
