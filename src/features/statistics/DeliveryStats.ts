/**
 * Statistics of the deliveries created in a period, and of the attempts that ended in it. A period begins with a whole
 * minute. Whole days are read from counts by day, the rest from narrower counts (`countWidths`). So a webhook's
 * statistics read a few hundred rows for each latency bucket, however many deliveries there are.
 */

import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import type { DeliveryStatus } from "../../spine/domain/Delivery.ts"
import { byAnswerTime, percentile } from "../../spine/domain/LatencyBuckets.ts"
import { countWidths, type StatsPeriod, statsWidths } from "../../spine/domain/StatsPeriod.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"

/** Attempts that ended in a time: the first ones of deliveries, and later ones. Test attempts do not count. */
export interface AttemptCounts {
  readonly first_delivered: number
  readonly first_failed: number
  readonly later_delivered: number
  readonly later_failed: number
}

const deliveryStatuses = "'pending', 'retrying', 'delivered', 'failed'"
/** As the function `attempt_counts` names attempts (store/migrations/0015_webhook_progress.ts). */
const attemptStatuses = "'first_delivered', 'first_failed', 'later_delivered', 'later_failed'"

interface DeliveryCounts {
  readonly delivered: number
  readonly failed: number
  /** `retrying` included. */
  readonly pending: number
  readonly retrying: number
}

interface DeliverySums extends DeliveryCounts {
  readonly attempts: AttemptCounts
  /** Latency of the attempts that delivered; exact within an eighth (domain/LatencyBuckets.ts). */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

export interface DeliveryPoint extends DeliverySums {
  /** Its beginning, in Unix milliseconds. The first point counts only deliveries within the period. */
  readonly at: number
  /** The attempts that delivered, by class of latency (`answerTimeBoundsMs`). */
  readonly answerTimes: ReadonlyArray<number>
}

export interface DeliveryStats extends DeliverySums {
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

interface CountOfWebhook extends Pick<CountRow, "status" | "latency_bucket" | "count"> {
  readonly webhook_id: WebhookId
}

interface BarOfWebhook {
  readonly webhook_id: WebhookId
  readonly bar: number
  readonly answered: number | null
  readonly failed: number | null
}

/** Attempts of the last 24 hours are shown by half hours. */
const BAR_MS = 30 * 60_000
const BARS = 48

/** Answered and failed attempts of each half hour, oldest first. */
export type AttemptBars = ReadonlyArray<readonly [answered: number, failed: number]>

export interface WebhookStats extends DeliverySums {
  readonly bars: AttemptBars
}

const barsFrom = (rows: ReadonlyArray<BarOfWebhook>): AttemptBars => {
  const found = new Map(rows.map(({ answered, bar, failed }) => [bar, [answered ?? 0, failed ?? 0] as const]))
  return Array.from({ length: BARS }, (_, bar) => found.get(bar) ?? ([0, 0] as const))
}

type StatusCount = Pick<CountRow, "status" | "count">

const sumOf = (rows: ReadonlyArray<StatusCount>, ...statuses: ReadonlyArray<CountRow["status"]>): number =>
  rows.reduce((sum, { count, status }) => (statuses.includes(status) ? sum + count : sum), 0)

const countsOf = (rows: ReadonlyArray<StatusCount>): DeliveryCounts => ({
  delivered: sumOf(rows, "delivered"),
  failed: sumOf(rows, "failed"),
  pending: sumOf(rows, "pending", "retrying"),
  retrying: sumOf(rows, "retrying")
})

const attemptsOf = (rows: ReadonlyArray<StatusCount>): AttemptCounts => ({
  first_delivered: sumOf(rows, "first_delivered"),
  first_failed: sumOf(rows, "first_failed"),
  later_delivered: sumOf(rows, "later_delivered"),
  later_failed: sumOf(rows, "later_failed")
})

type Counts = ReadonlyArray<Pick<CountRow, "status" | "latency_bucket" | "count">>

/** The number of attempts that delivered in each latency bucket. */
const latenciesOf = (rows: Counts): ReadonlyMap<number, number> => {
  const latencies = new Map<number, number>()
  for (const { count, latency_bucket, status } of rows)
    if (status === "delivered") latencies.set(latency_bucket, (latencies.get(latency_bucket) ?? 0) + count)
  return latencies
}

/** Of rows of any number of points. */
const sumsOf = (rows: Counts): DeliverySums => {
  const latencies = latenciesOf(rows)
  return {
    ...countsOf(rows),
    attempts: attemptsOf(rows),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99)
  }
}

const pointAt = (at: number, rows: Counts): DeliveryPoint => ({
  at,
  ...sumsOf(rows),
  answerTimes: byAnswerTime(latenciesOf(rows))
})

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

const QUARTER_MS = 15 * MINUTE_MS

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
    /**
     * Statistics of deliveries created in the period before `nowMs`, for one webhook or all. `series`: with the points of
     * the period, or with one for each quarter of an hour.
     */
    stats: (
      owner: Owner,
      webhookId: WebhookId | undefined,
      period: StatsPeriod,
      nowMs: number,
      series: boolean | "quarters"
    ): Effect.Effect<DeliveryStats, SqlError.SqlError> => {
      const withPoints = series !== false
      const pointMs = series === "quarters" ? QUARTER_MS : statsWidths[period].pointMs
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
              points.push(pointAt(at, rowsAt.get(at) ?? []))
          const delivered = rows.filter(({ status }) => status === "delivered")
          return {
            ...sumsOf(rows),
            latencySumMs: delivered.reduce((sum, { latency_sum }) => sum + latency_sum, 0),
            points
          }
        })
      )
    },

    /** Sums of several webhooks, by id. Without those that have neither deliveries nor attempts. */
    statsOfWebhooks: Effect.fnUntraced(function* (
      owner: Owner,
      webhookIds: ReadonlyArray<WebhookId>,
      period: StatsPeriod,
      nowMs: number
    ) {
      const endMs = downTo(nowMs, MINUTE_MS) + MINUTE_MS
      const some = (statuses: string) =>
        sql`${ownedBy(owner)} AND webhook_id = ANY(${webhookIds}::text[]) AND status IN (${sql.literal(statuses)})`
      const inPeriod = countsIn(
        { sinceMs: sinceOf(period, nowMs), endMs, widestMs: Number.POSITIVE_INFINITY },
        some(`${deliveryStatuses}, ${attemptStatuses}`)
      )
      const counts = yield* sql<CountOfWebhook>`
        SELECT webhook_id, status, latency_bucket, sum(count)::float8 AS count FROM ${inPeriod} GROUP BY 1, 2, 3`
      const firstBarMs = downTo(nowMs, BAR_MS) - (BARS - 1) * BAR_MS
      const inBars = countsIn({ sinceMs: firstBarMs, endMs, widestMs: MINUTE_MS }, some(attemptStatuses))
      const bars = yield* sql<BarOfWebhook>`
        SELECT webhook_id, floor((extract(epoch FROM at) * 1000 - ${firstBarMs}::float8) / ${BAR_MS})::int AS bar,
               sum(count) FILTER (WHERE status IN ('first_delivered', 'later_delivered'))::float8 AS answered,
               sum(count) FILTER (WHERE status IN ('first_failed', 'later_failed'))::float8 AS failed
        FROM ${inBars} GROUP BY 1, 2`
      const barsOf = Map.groupBy(bars, ({ webhook_id }) => webhook_id)
      return new Map(
        Array.from(
          Map.groupBy(counts, ({ webhook_id }) => webhook_id),
          ([id, rows]) => [id, { ...sumsOf(rows), bars: barsFrom(barsOf.get(id) ?? []) }] as const
        )
      ) as ReadonlyMap<string, WebhookStats>
    })
  }
}
