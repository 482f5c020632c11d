/**
 * Statistics of the deliveries created in a period, and of the attempts that ended in it. A period begins with a whole
 * minute. Whole days are read from counts by day, the rest from narrower counts (`countWidths`). So a webhook's
 * statistics read a few hundred rows for each latency bucket, however many deliveries there are.
 */

import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { DeliveryStatus } from "../../domain/Delivery.ts"
import type { WebhookId } from "../../domain/Ids.ts"
import { percentile } from "../../domain/LatencyBuckets.ts"
import { countWidths, type StatsPeriod, statsWidths } from "../../domain/StatsPeriod.ts"
import type { Owner } from "../webhooks/WebhookStore.ts"

/** Attempts that ended in a time: the first ones of deliveries, and later ones. Test attempts do not count. */
export interface AttemptCounts {
  readonly first_delivered: number
  readonly first_failed: number
  readonly later_delivered: number
  readonly later_failed: number
}

const deliveryStatuses = "'pending', 'retrying', 'delivered', 'failed'"
/** As the function `attempt_counts` names attempts (migrations/0015_webhook_progress.ts). */
const attemptStatuses = "'first_delivered', 'first_failed', 'later_delivered', 'later_failed'"

interface DeliveryCounts {
  readonly delivered: number
  readonly failed: number
  /** `retrying` included. */
  readonly pending: number
}

export interface DeliveryPoint extends DeliveryCounts {
  readonly attempts: AttemptCounts
  /** Its beginning, in Unix milliseconds. The first point counts only deliveries within the period. */
  readonly at: number
  /** Latency of the attempts that delivered; exact within an eighth (domain/LatencyBuckets.ts). */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

export interface DeliveryStats extends DeliveryCounts {
  readonly attempts: AttemptCounts
  /** Over the attempts that delivered. */
  readonly latencySumMs: number
  /** From the start of the period to now, without gaps. Empty if only sums were asked for. */
  readonly points: ReadonlyArray<DeliveryPoint>
}

interface CountRow {
  /** The beginning of its point; null if only sums were asked for. */
  readonly point: Date | null
  readonly status: DeliveryStatus | keyof AttemptCounts
  readonly latency_bucket: number
  readonly count: number
  readonly latency_sum: number
}

type StatusCount = Pick<CountRow, "status" | "count">

const sumOf = (rows: ReadonlyArray<StatusCount>, ...statuses: ReadonlyArray<CountRow["status"]>): number =>
  rows.reduce((sum, { count, status }) => (statuses.includes(status) ? sum + count : sum), 0)

const countsOf = (rows: ReadonlyArray<StatusCount>): DeliveryCounts => ({
  delivered: sumOf(rows, "delivered"),
  failed: sumOf(rows, "failed"),
  pending: sumOf(rows, "pending", "retrying")
})

const attemptsOf = (rows: ReadonlyArray<StatusCount>): AttemptCounts => ({
  first_delivered: sumOf(rows, "first_delivered"),
  first_failed: sumOf(rows, "first_failed"),
  later_delivered: sumOf(rows, "later_delivered"),
  later_failed: sumOf(rows, "later_failed")
})

const pointOf = (at: number, rows: ReadonlyArray<CountRow>): DeliveryPoint => {
  const latencies = new Map(
    rows.flatMap(({ status, latency_bucket, count }) =>
      status === "delivered" ? [[latency_bucket, count] as const] : []
    )
  )
  const counts = { ...countsOf(rows), attempts: attemptsOf(rows) }
  return { at, ...counts, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) }
}

const upTo = (unixMs: number, widthMs: number) => Math.ceil(unixMs / widthMs) * widthMs
const downTo = (unixMs: number, widthMs: number) => Math.floor(unixMs / widthMs) * widthMs

/** The time whose counts are read, in whole minutes. */
interface Counted {
  readonly sinceMs: number
  /** Excluded. */
  readonly endMs: number
  /** Wider counts are not read. */
  readonly widestMs: number
}

const [{ widthMs: MINUTE_MS }] = countWidths

const sinceOf = (period: StatsPeriod, nowMs: number) =>
  downTo(nowMs - statsWidths[period].periodMs, MINUTE_MS)

export const makeDeliveryStats = (sql: SqlClient.SqlClient) => {
  const ownedBy = ({ accountId, networks }: Owner) =>
    sql`account_id = ${accountId} AND network = ANY(${networks}::text[])`

  /** The counts that meet `condition`. */
  const countsIn = (
    { sinceMs, endMs, widestMs }: Counted,
    condition: Statement.Fragment
  ): Statement.Fragment => {
    /** Where counts of that width begin: after the narrower ones end. */
    const begins = countWidths.map(({ widthMs }) =>
      widthMs > widestMs ? endMs : Math.min(upTo(sinceMs, widthMs), endMs)
    )
    const parts = countWidths.map(
      ({ width }, i) => sql`
        SELECT webhook_id, at, status, latency_bucket, count, latency_sum FROM delivery_counts
        WHERE ${condition} AND width = ${width}
          AND at >= ${new Date(begins[i]!)} AND at < ${new Date(begins[i + 1] ?? endMs)}`
    )
    return sql`(${sql.join(" UNION ALL ", false)(parts)}) AS parts`
  }

  return {
    /** Statistics of deliveries created in the period before `nowMs`, for one webhook or all. */
    stats: (
      owner: Owner,
      webhookId: WebhookId | undefined,
      period: StatsPeriod,
      nowMs: number,
      withPoints: boolean
    ): Effect.Effect<DeliveryStats, SqlError.SqlError> => {
      const { pointMs } = statsWidths[period]
      const sinceMs = sinceOf(period, nowMs)
      const [firstPointMs, endMs] = [downTo(sinceMs, pointMs), downTo(nowMs, pointMs) + pointMs]
      const ofWebhook = webhookId === undefined ? sql.literal("NOT is_empty") : sql`webhook_id = ${webhookId}`
      const counts = countsIn(
        { sinceMs, endMs, widestMs: withPoints ? pointMs : Number.POSITIVE_INFINITY },
        sql`${ownedBy(owner)} AND ${ofWebhook} AND status IN (${sql.literal(`${deliveryStatuses}, ${attemptStatuses}`)})`
      )
      const point = withPoints
        ? sql`date_bin(${`${pointMs} ms`}::interval, at, 'epoch')`
        : sql.literal("NULL::timestamptz")
      return sql<CountRow>`
        SELECT ${point} AS point, status, latency_bucket, sum(count)::float8 AS count,
               sum(latency_sum)::float8 AS latency_sum
        FROM ${counts} GROUP BY 1, 2, 3`.pipe(
        Effect.map((rows) => {
          const rowsAt = Map.groupBy(rows, ({ point }) => point?.getTime())
          const points: Array<DeliveryPoint> = []
          if (withPoints)
            for (let at = firstPointMs; at < endMs; at += pointMs)
              points.push(pointOf(at, rowsAt.get(at) ?? []))
          const delivered = rows.filter(({ status }) => status === "delivered")
          return {
            ...countsOf(rows),
            attempts: attemptsOf(rows),
            latencySumMs: delivered.reduce((sum, { latency_sum }) => sum + latency_sum, 0),
            points
          }
        })
      )
    },

    /** Sums of several webhooks, by id, in one statement. Without those that have no deliveries in the period. */
    statsOfWebhooks: (
      owner: Owner,
      webhookIds: ReadonlyArray<WebhookId>,
      period: StatsPeriod,
      nowMs: number
    ): Effect.Effect<ReadonlyMap<string, DeliveryCounts>, SqlError.SqlError> => {
      const counts = countsIn(
        {
          sinceMs: sinceOf(period, nowMs),
          endMs: downTo(nowMs, MINUTE_MS) + MINUTE_MS,
          widestMs: Number.POSITIVE_INFINITY
        },
        sql`${ownedBy(owner)} AND webhook_id = ANY(${webhookIds}::text[]) AND status IN (${sql.literal(deliveryStatuses)})`
      )
      return sql<Pick<CountRow, "status" | "count"> & { readonly webhook_id: WebhookId }>`
        SELECT webhook_id, status, sum(count)::float8 AS count FROM ${counts} GROUP BY 1, 2`.pipe(
        Effect.map((rows) => {
          const rowsOf = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
          return new Map(Array.from(rowsOf, ([id, own]) => [id, countsOf(own)]))
        })
      )
    }
  }
}
