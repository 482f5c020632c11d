/**
 * Moves changes from `delivery_changes` to the totals of deliveries (store/migrations/0004_delivery_totals.ts), in one
 * transaction: a reader of the views over both always sees exact counts. Attempts that ended on a day for which there
 * is no table partition, by a wrong clock, are not counted.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { countWidths } from "../../spine/domain/StatsPeriod.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"

/** If the table of changes is larger than this, its free end is returned to the file system. */
export const CHANGES_BYTES = 4 * 1024 * 1024

const fold = `
  WITH changes AS (
    DELETE FROM delivery_changes RETURNING *
  ), counts AS (
    SELECT account_id, network, webhook_id, status, at, latency_bucket, count, latency_sum FROM changes
    UNION ALL
    SELECT account_id, network, webhook_id, kind, at, 0::smallint, n, 0
    FROM (
      SELECT account_id, network, webhook_id, status, at, sum(attempts) AS attempts, sum(first_attempts) AS first_attempts
      FROM changes WHERE attempts > 0 GROUP BY 1, 2, 3, 4, 5
    ) AS attempted CROSS JOIN LATERAL attempt_counts(status, attempts, first_attempts) AS counted
  ), totals_added AS (
    INSERT INTO delivery_totals AS total
      (account_id, network, webhook_id, status, width, at, latency_bucket, count, latency_sum)
    SELECT account_id, network, webhook_id, status, width, date_bin(width::interval, at, 'epoch'), latency_bucket,
           sum(count), sum(latency_sum)
    FROM counts CROSS JOIN (VALUES ${countWidths.map(({ width }) => `('${width}')`).join(", ")}) AS widths (width)
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING (sum(count) <> 0 OR sum(latency_sum) <> 0)
      AND CASE WHEN status LIKE '%\\_%' THEN to_regclass(
        'delivery_totals_' || to_char(date_bin(width::interval, at, 'epoch') AT TIME ZONE 'UTC', 'YYYYMMDD')
      ) IS NOT NULL ELSE true END
    ON CONFLICT (account_id, network, webhook_id, status, width, at, latency_bucket)
    DO UPDATE SET count = total.count + excluded.count, latency_sum = total.latency_sum + excluded.latency_sum
  ), types_added AS (
    INSERT INTO delivery_type_totals AS total (account_id, network, webhook_id, event_type, status, at, count)
    SELECT account_id, network, webhook_id, event_type, status, date_bin('10 minutes', at, 'epoch'), sum(count)
    FROM changes GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(count) <> 0
    ON CONFLICT (account_id, network, webhook_id, event_type, status, at)
    DO UPDATE SET count = total.count + excluded.count
  ), waiting_added AS (
    INSERT INTO delivery_waiting AS total (webhook_id, status, parked, at, count)
    SELECT webhook_id, status, parked, date_bin('1 day', at, 'epoch'), sum(count)
    FROM changes WHERE status IN ('pending', 'retrying') GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0
    ON CONFLICT (webhook_id, status, parked, at) DO UPDATE SET count = total.count + excluded.count
  )
  SELECT count(*)::int AS changes, pg_relation_size('delivery_changes')::float8 AS bytes FROM changes`

interface Folded {
  /** How many changes were added. */
  readonly changes: number
  /** The size of `delivery_changes`. */
  readonly bytes: number
}

/** Adds changes to the totals. */
export const foldChanges = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.gen(function* () {
    // One transaction at a time: a lease that moves may briefly leave two processes that do this.
    yield* sql`LOCK TABLE ONLY delivery_totals IN SHARE ROW EXCLUSIVE MODE`
    const [row] = yield* sql.unsafe<Folded>(fold)
    // So that its readers pay only for webhooks that have waiting deliveries.
    yield* sql`DELETE FROM delivery_waiting WHERE count = 0`
    return row ?? { changes: 0, bytes: 0 }
  }).pipe(sql.withTransaction)
)

/** Repeats it every `deliveryChangesMs`, then vacuums the changes: readers scan their whole table. */
export const keepTotals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keep = Effect.gen(function* () {
    const { changes, bytes } = yield* foldChanges
    if (changes === 0) return
    // Truncating needs an exclusive lock, so only a large table is worth it.
    const large = bytes > CHANGES_BYTES
    yield* sql`VACUUM (TRUNCATE ${sql.literal(String(large))}) delivery_changes`
  })
  return yield* keep.pipe(repeatEvery("totals of deliveries", Limits.deliveryChangesMs))
})
