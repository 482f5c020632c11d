/**
 * Statistics of the deliveries created in a period, exact to the millisecond. Whole days are read from counts by day,
 * the rest from narrower counts (`countWidths`), and the first partial minute from the deliveries themselves. So a
 * webhook's statistics read a few hundred rows for each latency bucket, however many deliveries there are.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { DeliveryStatus } from "../../domain/Delivery.ts"
import { firstIdAt } from "../../domain/Ids.ts"
import { percentile } from "../../domain/LatencyBuckets.ts"
import { countWidths, type StatsPeriod, statsWidths } from "../../domain/StatsPeriod.ts"
import type { Owner } from "../webhooks/WebhookStore.ts"
import { idRange, type Key } from "./DeliveryPages.ts"

export interface DeliveryPoint {
  /** Its beginning, in Unix milliseconds. The first point counts only deliveries within the period. */
  readonly at: number
  readonly delivered: number
  readonly failed: number
  /** `retrying` included. */
  readonly pending: number
  /** Latency of the attempts that delivered; exact within an eighth (domain/LatencyBuckets.ts). */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

export interface DeliveryStats {
  readonly delivered: number
  readonly failed: number
  readonly pending: number
  /** Over the attempts that delivered. */
  readonly latencySumMs: number
  /** From the start of the period to now, without gaps. Empty if only sums were asked for. */
  readonly points: ReadonlyArray<DeliveryPoint>
}

interface CountRow {
  /** The beginning of its point; null if only sums were asked for. */
  readonly point: Date | null
  readonly status: DeliveryStatus
  readonly latency_bucket: number
  readonly count: number
  readonly latency_sum: number
}

const sumOf = (rows: ReadonlyArray<CountRow>, ...statuses: ReadonlyArray<DeliveryStatus>) =>
  rows.reduce((sum, { status, count }) => (statuses.includes(status) ? sum + count : sum), 0)

const countsOf = (rows: ReadonlyArray<CountRow>) => ({
  delivered: sumOf(rows, "delivered"),
  failed: sumOf(rows, "failed"),
  pending: sumOf(rows, "pending", "retrying")
})

const pointOf = (at: number, rows: ReadonlyArray<CountRow>): DeliveryPoint => {
  const latencies = new Map(
    rows.flatMap(({ status, latency_bucket, count }) =>
      status === "delivered" ? [[latency_bucket, count] as const] : []
    )
  )
  return { at, ...countsOf(rows), p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) }
}

const upTo = (unixMs: number, widthMs: number) => Math.ceil(unixMs / widthMs) * widthMs
const downTo = (unixMs: number, widthMs: number) => Math.floor(unixMs / widthMs) * widthMs

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
  const [firstPointMs, endMs] = [downTo(sinceMs, pointMs), downTo(nowMs, pointMs) + pointMs]
  const owned = sql`account_id = ${owner.accountId} AND network = ANY(${owner.networks}::text[])`
  const ofWebhook = webhookId === undefined ? sql.literal("NOT is_empty") : sql`webhook_id = ${webhookId}`

  /** Where counts of that width begin: after the narrower ones end. Counts wider than a point are not used. */
  const beginOf = (widthMs: number) =>
    withPoints && widthMs > pointMs ? endMs : Math.min(upTo(sinceMs, widthMs), endMs)
  const counted = (width: string, fromMs: number, untilMs: number) => sql`
    SELECT at, status, latency_bucket, count, latency_sum FROM delivery_counts
    WHERE ${owned} AND ${ofWebhook} AND status IN ('pending', 'retrying', 'delivered', 'failed') AND width = ${width}
      AND at >= ${new Date(fromMs)} AND at < ${new Date(untilMs)}`

  /** The deliveries of the first, partial minute. */
  const rowsOf = (key: Key, condition: Statement.Fragment) => {
    const [fromId, endId] = [firstIdAt("dlv_", sinceMs), firstIdAt("dlv_", beginOf(countWidths[0].widthMs))]
    const { range, order } = idRange(sql, key, sql`${fromId}`, sql`${endId}`)
    return sql`
      (SELECT ${new Date(sinceMs)} AS at, status, latency_bucket(coalesce(response_time_ms, 0)), 1,
              coalesce(response_time_ms, 0)
       FROM deliveries WHERE ${range} AND ${condition} ORDER BY ${order})`
  }
  const firstRows =
    webhookId === undefined
      ? owner.networks.map((network) =>
          rowsOf(
            [
              ["account_id", sql`${owner.accountId}`],
              ["network", sql`${network}`]
            ],
            sql.literal("true")
          )
        )
      : [
          rowsOf(
            [["webhook_id", sql`${webhookId}`]],
            sql`EXISTS (SELECT FROM webhooks WHERE id = ${webhookId} AND ${owned})`
          )
        ]

  const begins = [...countWidths.map(({ widthMs }) => beginOf(widthMs)), endMs]
  const parts = [
    ...countWidths.map(({ width }, i) => counted(width, begins[i]!, begins[i + 1]!)),
    ...firstRows
  ]
  const point = withPoints
    ? sql`date_bin(${`${pointMs} ms`}::interval, at, 'epoch')`
    : sql.literal("NULL::timestamptz")
  return sql<CountRow>`
    SELECT ${point} AS point, status, latency_bucket, sum(count)::float8 AS count, sum(latency_sum)::float8 AS latency_sum
    FROM (${sql.join(" UNION ALL ", false)(parts)}) AS parts GROUP BY 1, 2, 3`.pipe(
    Effect.map((rows) => {
      const rowsAt = Map.groupBy(rows, ({ point }) => point?.getTime())
      const points: Array<DeliveryPoint> = []
      if (withPoints)
        for (let at = firstPointMs; at < endMs; at += pointMs) points.push(pointOf(at, rowsAt.get(at) ?? []))
      return {
        ...countsOf(rows),
        latencySumMs: rows.reduce(
          (sum, { status, latency_sum }) => (status === "delivered" ? sum + latency_sum : sum),
          0
        ),
        points
      }
    })
  )
}
