/**
 * Statistics of the deliveries created in a period, exact to the millisecond. Whole days are read from counts by day,
 * the rest from narrower counts (`countWidths`), and the first partial minute from the deliveries themselves. So a
 * webhook's statistics read a few hundred rows for each latency bucket, however many deliveries there are. Several
 * webhooks' sums are read with one statement.
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

/** The time whose counts are read. */
interface Counted {
  readonly sinceMs: number
  /** Excluded. A whole minute. */
  readonly endMs: number
  /** Wider counts are not read. */
  readonly widestMs: number
}

/**
 * Statements for the counts of deliveries that meet `condition`, and for `firstRows`: the deliveries of the first,
 * partial minute, with ids from `fromId` to `endId` (excluded), in the columns webhook, time, status, latency bucket,
 * count and sum of latencies.
 */
const partsOf = (
  sql: SqlClient.SqlClient,
  { sinceMs, endMs, widestMs }: Counted,
  condition: Statement.Fragment,
  firstRows: (fromId: Statement.Fragment, endId: Statement.Fragment) => ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  /** Where counts of that width begin: after the narrower ones end. */
  const beginOf = (widthMs: number) => (widthMs > widestMs ? endMs : Math.min(upTo(sinceMs, widthMs), endMs))
  const counted = (width: string, fromMs: number, untilMs: number) => sql`
    SELECT webhook_id, at, status, latency_bucket, count, latency_sum FROM delivery_counts
    WHERE ${condition} AND status IN ('pending', 'retrying', 'delivered', 'failed') AND width = ${width}
      AND at >= ${new Date(fromMs)} AND at < ${new Date(untilMs)}`
  const begins = [...countWidths.map(({ widthMs }) => beginOf(widthMs)), endMs]
  return sql.join(
    " UNION ALL ",
    false
  )([
    ...countWidths.map(({ width }, i) => counted(width, begins[i]!, begins[i + 1]!)),
    ...firstRows(sql`${firstIdAt("dlv_", sinceMs)}`, sql`${firstIdAt("dlv_", begins[0]!)}`)
  ])
}

const rowColumns = (sql: SqlClient.SqlClient, sinceMs: number) => sql`
  webhook_id, ${new Date(sinceMs)} AS at, status, latency_bucket(coalesce(response_time_ms, 0)), 1,
  coalesce(response_time_ms, 0)`

const ownedBy = (sql: SqlClient.SqlClient, owner: Owner) =>
  sql`account_id = ${owner.accountId} AND network = ANY(${owner.networks}::text[])`

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
  const owned = ownedBy(sql, owner)
  const ofWebhook = webhookId === undefined ? sql.literal("NOT is_empty") : sql`webhook_id = ${webhookId}`

  const rowsOf = (
    key: Key,
    condition: Statement.Fragment,
    fromId: Statement.Fragment,
    endId: Statement.Fragment
  ) => {
    const { range, order } = idRange(sql, key, fromId, endId)
    return sql`
      (SELECT ${rowColumns(sql, sinceMs)} FROM deliveries WHERE ${range} AND ${condition} ORDER BY ${order})`
  }
  const firstRows = (fromId: Statement.Fragment, endId: Statement.Fragment) =>
    webhookId === undefined
      ? owner.networks.map((network) =>
          rowsOf(
            [
              ["account_id", sql`${owner.accountId}`],
              ["network", sql`${network}`]
            ],
            sql.literal("true"),
            fromId,
            endId
          )
        )
      : [
          rowsOf(
            [["webhook_id", sql`${webhookId}`]],
            sql`EXISTS (SELECT FROM webhooks WHERE id = ${webhookId} AND ${owned})`,
            fromId,
            endId
          )
        ]

  const counted = { sinceMs, endMs, widestMs: withPoints ? pointMs : Number.POSITIVE_INFINITY }
  const parts = partsOf(sql, counted, sql`${owned} AND ${ofWebhook}`, firstRows)
  const point = withPoints
    ? sql`date_bin(${`${pointMs} ms`}::interval, at, 'epoch')`
    : sql.literal("NULL::timestamptz")
  return sql<CountRow>`
    SELECT ${point} AS point, status, latency_bucket, sum(count)::float8 AS count, sum(latency_sum)::float8 AS latency_sum
    FROM (${parts}) AS parts GROUP BY 1, 2, 3`.pipe(
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

export interface WebhookStats extends Pick<DeliveryStats, "delivered" | "failed" | "pending"> {
  readonly webhook_id: string
}

/** Sums of several webhooks, in one statement. A webhook without deliveries in the period has no row. */
export const webhookStats = (
  sql: SqlClient.SqlClient,
  owner: Owner,
  webhookIds: ReadonlyArray<string>,
  period: StatsPeriod,
  nowMs: number
): Effect.Effect<ReadonlyArray<WebhookStats>, SqlError.SqlError> => {
  const sinceMs = nowMs - statsWidths[period].periodMs
  const counted = {
    sinceMs,
    endMs: downTo(nowMs, countWidths[0].widthMs) + countWidths[0].widthMs,
    widestMs: Number.POSITIVE_INFINITY
  }
  const owned = ownedBy(sql, owner)
  const firstRows = (fromId: Statement.Fragment, endId: Statement.Fragment) => {
    const { range, order } = idRange(sql, [["webhook_id", sql`wanted.id`]], fromId, endId)
    return [
      sql`
        SELECT found.* FROM webhooks AS wanted CROSS JOIN LATERAL (
          SELECT ${rowColumns(sql, sinceMs)} FROM deliveries WHERE ${range} ORDER BY ${order}
        ) AS found WHERE wanted.id = ANY(${webhookIds}::text[]) AND ${owned}`
    ]
  }
  const parts = partsOf(sql, counted, sql`${owned} AND webhook_id = ANY(${webhookIds}::text[])`, firstRows)
  const sum = (condition: string) =>
    sql.literal(`coalesce(sum(count) FILTER (WHERE status IN (${condition})), 0)::float8`)
  return sql<WebhookStats>`
    SELECT webhook_id, ${sum("'delivered'")} AS delivered, ${sum("'failed'")} AS failed,
           ${sum("'pending', 'retrying'")} AS pending
    FROM (${parts}) AS parts GROUP BY 1`
}
