/**
 * Statistics of the deliveries created in a period, exact to the millisecond: whole hours from `delivery_hours`, the
 * whole minutes before them from `delivery_minutes`, and the rest of the first minute from the rows themselves. So their
 * cost follows the number of webhooks, not that of deliveries.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { firstIdAt } from "../domain/Ids.ts"
import { countsOf, percentile } from "../domain/LatencyHistogram.ts"
import { type StatsPeriod, statsWidths } from "../domain/StatsPeriod.ts"
import type { Owner } from "./WebhookStore.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

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
  /** From the period's beginning to now, without gaps. */
  readonly points: ReadonlyArray<DeliveryPoint>
}

interface PointRow {
  readonly at_ms: number
  readonly delivered: number
  readonly failed: number
  readonly pending: number
  readonly latency_sum: number
  readonly latencies: string
}

const upTo = (unixMs: number, widthMs: number) => Math.ceil(unixMs / widthMs) * widthMs
const downTo = (unixMs: number, widthMs: number) => Math.floor(unixMs / widthMs) * widthMs
const time = (unixMs: number) => new Date(unixMs).toISOString()

const pointOf = (at: number, row: PointRow | undefined): DeliveryPoint => {
  const counts = countsOf(row?.latencies ?? "")
  return {
    at,
    delivered: row?.delivered ?? 0,
    failed: row?.failed ?? 0,
    pending: row?.pending ?? 0,
    p50Ms: percentile(counts, 0.5),
    p99Ms: percentile(counts, 0.99)
  }
}

const statsOf = (
  rows: ReadonlyArray<PointRow>,
  firstMs: number,
  lastMs: number,
  pointMs: number
): DeliveryStats => {
  const sumOf = (value: (row: PointRow) => number) => rows.reduce((sum, row) => sum + value(row), 0)
  const byTime = new Map(rows.map((row) => [row.at_ms, row]))
  const points: Array<DeliveryPoint> = []
  for (let at = firstMs; at <= lastMs; at += pointMs) points.push(pointOf(at, byTime.get(at)))
  return {
    delivered: sumOf(({ delivered }) => delivered),
    failed: sumOf(({ failed }) => failed),
    pending: sumOf(({ pending }) => pending),
    latencySumMs: sumOf(({ latency_sum }) => latency_sum),
    points
  }
}

export const deliveryStats = (
  sql: SqlClient.SqlClient,
  owner: Owner,
  webhookId: string | undefined,
  period: StatsPeriod,
  nowMs: number
) => {
  const { periodMs, pointMs } = statsWidths[period]
  const sinceMs = nowMs - periodMs
  const lastMs = downTo(nowMs, pointMs)
  const minutesFrom = upTo(sinceMs, MINUTE_MS)
  // Points of a minute are made of minutes alone.
  const hoursFrom = pointMs < HOUR_MS ? lastMs + pointMs : upTo(sinceMs, HOUR_MS)
  const scope = sql.and([
    sql`account_id = ${owner.accountId}`,
    sql`network = ANY(${owner.networks}::text[])`,
    ...(webhookId === undefined ? [] : [sql`webhook_id = ${webhookId}`])
  ])
  const totals = sql`at, delivered, failed, pending + retrying AS pending, latency_sum, latencies`
  return sql<PointRow>`
    SELECT (extract(epoch FROM date_bin(${`${pointMs} ms`}::interval, at, 'epoch')) * 1000)::float8 AS at_ms,
           sum(delivered)::float8 AS delivered, sum(failed)::float8 AS failed, sum(pending)::float8 AS pending,
           sum(latency_sum)::float8 AS latency_sum, sum(latencies)::text AS latencies
    FROM (
      SELECT ${totals} FROM delivery_hours
      WHERE ${scope} AND at >= ${time(hoursFrom)}::timestamptz AND at <= ${time(nowMs)}::timestamptz
      UNION ALL
      SELECT ${totals} FROM delivery_minutes
      WHERE ${scope} AND at >= ${time(minutesFrom)}::timestamptz AND at < ${time(hoursFrom)}::timestamptz
      UNION ALL
      SELECT ${time(sinceMs)}::timestamptz, count(*) FILTER (WHERE status = 'delivered'),
             count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status IN ('pending', 'retrying')),
             coalesce(sum(response_time_ms) FILTER (WHERE status = 'delivered'), 0),
             coalesce(sum(latency_histogram(response_time_ms)) FILTER (WHERE status = 'delivered'), 0)
      FROM deliveries
      WHERE ${scope} AND id >= ${firstIdAt("dlv_", sinceMs)} AND id < ${firstIdAt("dlv_", minutesFrom)}
    ) AS parts GROUP BY 1`.pipe(
    Effect.map((rows) => statsOf(rows, downTo(sinceMs, pointMs), lastMs, pointMs))
  )
}
