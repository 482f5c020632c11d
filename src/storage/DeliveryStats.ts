/**
 * Statistics of the deliveries created in a period, exact to the millisecond: from totals of whole days, of hours before
 * them and of minutes before these, none wider than a point that is asked for; from changes that are not in the totals
 * yet; and from the deliveries themselves for the rest of the first minute. So no period takes more than some 230 totals,
 * however many deliveries and webhooks there are.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { firstIdAt } from "../domain/Ids.ts"
import { addCounts, countsOf, percentile } from "../domain/LatencyHistogram.ts"
import { type StatsPeriod, statsWidths } from "../domain/StatsPeriod.ts"
import { ALL_WEBHOOKS } from "./DeliveryTotals.ts"
import type { Owner } from "./WebhookStore.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface DeliveryPoint {
  /** When it begins, in Unix milliseconds; the first one counts only what belongs to the period. */
  readonly at: number
  readonly delivered: number
  readonly failed: number
  /** `retrying` included. */
  readonly pending: number
  /** Of the last attempts of delivered ones; within an eighth (domain/LatencyHistogram.ts). */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

export interface DeliveryStats {
  readonly delivered: number
  readonly failed: number
  readonly pending: number
  /** Over the last attempts of delivered ones. */
  readonly latencySumMs: number
  /** From the period's beginning to now, without gaps; none when only the sums are asked for. */
  readonly points: ReadonlyArray<DeliveryPoint>
}

interface SumsRow {
  readonly delivered: number
  readonly failed: number
  readonly pending: number
  readonly latency_sum: number
}

interface PointRow extends SumsRow {
  /** A moment of it. */
  readonly point: Date
  readonly latencies: Uint8Array
}

/** What is known of a point. */
interface Found extends SumsRow {
  readonly latencies: ReadonlyArray<number>
}

const upTo = (unixMs: number, widthMs: number) => Math.ceil(unixMs / widthMs) * widthMs
const downTo = (unixMs: number, widthMs: number) => Math.floor(unixMs / widthMs) * widthMs

const pointOf = (at: number, found: Found | undefined): DeliveryPoint => ({
  at,
  delivered: found?.delivered ?? 0,
  failed: found?.failed ?? 0,
  pending: found?.pending ?? 0,
  p50Ms: found === undefined ? null : percentile(found.latencies, 0.5),
  p99Ms: found === undefined ? null : percentile(found.latencies, 0.99)
})

const sumsOf = (rows: ReadonlyArray<SumsRow>) => {
  const sumOf = (value: (row: SumsRow) => number) => rows.reduce((sum, row) => sum + value(row), 0)
  return {
    delivered: sumOf(({ delivered }) => delivered),
    failed: sumOf(({ failed }) => failed),
    pending: sumOf(({ pending }) => pending),
    latency_sum: sumOf(({ latency_sum }) => latency_sum)
  }
}

const statsOf = (rows: ReadonlyArray<SumsRow>) => {
  const { latency_sum, ...counts } = sumsOf(rows)
  return { ...counts, latencySumMs: latency_sum }
}

/** With another row of the same point. */
const withRow = (found: Found | undefined, row: PointRow): Found => {
  const latencies = countsOf(row.latencies)
  if (found !== undefined)
    return { ...sumsOf([found, row]), latencies: addCounts(found.latencies, latencies) }
  const { delivered, failed, pending, latency_sum } = row
  return { delivered, failed, pending, latency_sum, latencies }
}

const pointsOf = (rows: ReadonlyArray<PointRow>, firstMs: number, lastMs: number, pointMs: number) => {
  const byTime = new Map<number, Found>()
  for (const row of rows) {
    const at = downTo(row.point.getTime(), pointMs)
    byTime.set(at, withRow(byTime.get(at), row))
  }
  const points: Array<DeliveryPoint> = []
  for (let at = firstMs; at <= lastMs; at += pointMs) points.push(pointOf(at, byTime.get(at)))
  return points
}

export const deliveryStats = (
  sql: SqlClient.SqlClient,
  owner: Owner,
  webhookId: string | undefined,
  period: StatsPeriod,
  nowMs: number,
  withPoints: boolean
): Effect.Effect<DeliveryStats, SqlError.SqlError> => {
  const { periodMs, pointMs } = statsWidths[period]
  const sinceMs = nowMs - periodMs
  const lastMs = downTo(nowMs, pointMs)
  /** Where the totals of that width begin: none is wider than a point that is asked for. */
  const beginOf = (widthMs: number) =>
    withPoints && widthMs > pointMs ? lastMs + pointMs : Math.min(upTo(sinceMs, widthMs), lastMs + pointMs)
  const owned = sql`account_id = ${owner.accountId} AND network = ANY(${owner.networks}::text[])`
  const ofWebhook = webhookId === undefined ? sql.literal("") : sql`AND webhook_id = ${webhookId}`
  /** What only points need. */
  const forPoints = (text: string) => sql.literal(withPoints ? text : "")
  /** Each goes on from the part before it; what is empty is left out. */
  const totalsOf = (table: string, fromMs: number, untilMs: number) => sql`
    UNION ALL
    SELECT at, delivered, failed, pending + retrying AS pending, latency_sum ${forPoints(", latencies")}
    FROM ${sql(table)} WHERE ${owned} AND at >= ${new Date(fromMs)} AND at < ${new Date(untilMs)}`
  const ofTotals = (table: string, fromMs: number, untilMs: number) =>
    fromMs < untilMs
      ? sql`${totalsOf(table, fromMs, untilMs)} AND webhook_id = ${webhookId ?? ALL_WEBHOOKS}`
      : sql.literal("")
  /**
   * Of the first minute, the part that belongs to the period. Key and id are compared and ordered as a whole, and the id
   * again in words that tell the partition and fit no index, as in DeliveryPages.ts: PostgreSQL is left no index but the
   * one that begins with the key, and could otherwise read all accounts' deliveries, or the account's whole day.
   */
  const ofRows = (
    names: ReadonlyArray<string>,
    values: Statement.Fragment,
    condition: Statement.Fragment
  ) => {
    const columns = [...names, "id"]
    const key = sql.literal(`(${columns.join(", ")})`)
    const [fromId, untilId] = [firstIdAt("dlv_", sinceMs), firstIdAt("dlv_", beginOf(MINUTE_MS))]
    return sql`
    SELECT ${new Date(sinceMs)} AS at, (count(*) FILTER (WHERE is_delivered))::int AS delivered,
           (count(*) FILTER (WHERE is_failed))::int AS failed,
           (count(*) FILTER (WHERE NOT is_delivered AND NOT is_failed))::int AS pending,
           coalesce(sum(response_time_ms) FILTER (WHERE is_delivered), 0) AS latency_sum
           ${forPoints(", coalesce(sum(latency_histogram(response_time_ms)) FILTER (WHERE is_delivered), 0) AS latencies")}
    FROM (
      SELECT status = 'delivered' AS is_delivered, status = 'failed' AS is_failed, response_time_ms FROM deliveries
      WHERE ${key} >= (${values}, ${fromId}) AND ${key} < (${values}, ${untilId}) ${condition}
        AND (id >= ${fromId} OR id IS NULL) AND (id < ${untilId} OR id IS NULL)
      ORDER BY ${sql.literal(columns.join(", "))} OFFSET 0
    ) AS each
    HAVING count(*) > 0`
  }
  const firstRows =
    webhookId === undefined
      ? owner.networks.map((network) =>
          ofRows(["account_id", "network"], sql`${owner.accountId}, ${network}`, sql.literal(""))
        )
      : [
          ofRows(
            ["webhook_id"],
            sql`${webhookId}`,
            sql`AND EXISTS (SELECT FROM webhooks WHERE id = ${webhookId} AND ${owned})`
          )
        ]
  // Their columns have the same types, so that PostgreSQL converts none of them a row at a time.
  const parts = sql`
    ${sql.join(" UNION ALL ", false)(firstRows)}
    ${ofTotals("delivery_minutes", beginOf(MINUTE_MS), beginOf(HOUR_MS))}
    ${ofTotals("delivery_hours", beginOf(HOUR_MS), beginOf(DAY_MS))}
    ${ofTotals("delivery_days", beginOf(DAY_MS), lastMs + pointMs)}
    ${totalsOf("delivery_changes", beginOf(MINUTE_MS), lastMs + pointMs)} ${ofWebhook}`
  if (!withPoints) {
    const sum = (name: string) => sql.literal(`coalesce(sum(${name}), 0)::float8 AS ${name}`)
    return sql<SumsRow>`
      SELECT ${sql.csv(["delivered", "failed", "pending", "latency_sum"].map(sum))} FROM (${parts}) AS parts`.pipe(
      Effect.map((rows) => ({ ...statsOf(rows), points: [] }))
    )
  }
  // A minute of a network is one row, and mostly nothing has to be added up.
  const single = pointMs === MINUTE_MS && owner.networks.length === 1
  const total = (name: string) => sql.literal(single ? name : `sum(${name})`)
  const count = (name: string) => sql.literal(`${single ? name : `sum(${name})::float8`} AS ${name}`)
  const point = single ? sql.literal("at") : sql`date_bin(${`${pointMs} ms`}::interval, at, 'epoch')`
  return sql<PointRow>`
    SELECT ${point} AS point, ${sql.csv(["delivered", "failed", "pending"].map(count))},
           ${total("latency_sum")}::float8 AS latency_sum, numeric_send(${total("latencies")}) AS latencies
    FROM (${parts}) AS parts ${sql.literal(single ? "" : "GROUP BY 1")}`.pipe(
    Effect.map((rows) => ({
      ...statsOf(rows),
      points: pointsOf(rows, downTo(sinceMs, pointMs), lastMs, pointMs)
    }))
  )
}
