/**
 * The deliveries of a webhook that a retry job takes: counted by type, and read in pages in id order. No index has
 * the status. Counts come from the totals, and at both ends of the period from a bounded number of rows. A page searches
 * only minutes in which the totals count such deliveries, and a bounded number of minutes at a time.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { idRange, NEVER_MS, timesOf } from "../../spine/deliveries/DeliveryPages.ts"
import type { EventPosition } from "../../spine/domain/Backfill.ts"
import type { RetryFilters } from "../../spine/domain/Replay.ts"
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import type { Network } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import { type AccountId, firstIdAt, idTime, type WebhookId } from "../../spine/words/Ids.ts"

/** Rows that a count of deliveries to retry reads at each end of its period: some 20 ms. It then says "at least". */
const COUNT_ROWS = 20_000

/** A batch of a retry job searches this many minutes of deliveries: a minute may have 300,000, of which few failed. */
const BATCH_MINUTES = 10

export interface RetryTarget {
  readonly accountId: AccountId
  readonly network: Network
  readonly webhookId: WebhookId
}

export interface RetryableDelivery {
  readonly id: string
  /** Null for test deliveries: they have `testEvent` instead. */
  readonly position: EventPosition | null
  /** A `LedgerEvent` in JSON. */
  readonly testEvent: string | null
}

export interface RetryablePage {
  readonly deliveries: ReadonlyArray<RetryableDelivery>
  /** The id at which the next page begins. */
  readonly nextId: string
  readonly done: boolean
}

const MINUTE_MS = 60_000
/** The period that one row of the totals by type covers. */
const TYPE_TOTAL_MS = 10 * MINUTE_MS

/** No id is between the two. */
export const idAfter = (id: string): string => `${id}0`

const [first, last] = [
  (...ids: ReadonlyArray<string>) => ids.toSorted()[0]!,
  (...ids: ReadonlyArray<string>) => ids.toSorted().at(-1)!
]

const moment = (sql: SqlClient.SqlClient, unixMs: number) => sql`to_timestamp(${unixMs}::float8 / 1000)`

const ofTarget = (sql: SqlClient.SqlClient, { accountId, network, webhookId }: RetryTarget) =>
  sql`account_id = ${accountId} AND network = ${network} AND webhook_id = ${webhookId}`

const ofFilters = (sql: SqlClient.SqlClient, { event_types = eventTypes, statuses }: RetryFilters) =>
  sql`status = ANY(${column(statuses)}::text[]) AND event_type = ANY(${column(event_types)}::text[])`

export interface RetryCount {
  /** In the order of `eventTypes`. A type without any is left out. */
  readonly byType: ReadonlyMap<EventType, number>
  readonly matched: number
  /** Whether not all rows at an end of the period were read, so that there may be more. */
  readonly atLeast: boolean
}

const NONE: RetryCount = { byType: new Map(), matched: 0, atLeast: false }

/** Counts retryable deliveries. `mostRows`: how many rows it reads at each end of the period. */
export const countRetryable = (
  sql: SqlClient.SqlClient,
  target: RetryTarget,
  filters: RetryFilters,
  mostRows: number = COUNT_ROWS
): Effect.Effect<RetryCount, SqlError.SqlError> => {
  const { fromMs, endMs } = timesOf(filters)
  const wholeFrom = Math.ceil(fromMs / TYPE_TOTAL_MS) * TYPE_TOTAL_MS
  const wholeEnd = endMs === NEVER_MS ? NEVER_MS : Math.floor(endMs / TYPE_TOTAL_MS) * TYPE_TOTAL_MS
  const wanted = ofFilters(sql, filters)
  const counted = (table: string) => sql`
    SELECT event_type, count, false FROM ${sql.literal(table)}
    WHERE ${ofTarget(sql, target)} AND ${wanted} AND at >= ${moment(sql, wholeFrom)} AND at < ${moment(sql, wholeEnd)}`
  const rows = (from: number, end: number): ReadonlyArray<Statement.Fragment> => {
    if (from >= end) return []
    const ids = [firstIdAt("dlv_", from), firstIdAt("dlv_", end)] as const
    const { range } = idRange(sql, [["webhook_id", sql`${target.webhookId}`]], sql`${ids[0]}`, sql`${ids[1]}`)
    return [
      sql`
        SELECT event_type, (CASE WHEN ${wanted} THEN 1 ELSE 0 END)::bigint, count(*) OVER () > ${mostRows} FROM (
          SELECT event_type, status FROM deliveries WHERE ${range} ORDER BY webhook_id, id LIMIT ${mostRows + 1}
        ) AS read`
    ]
  }
  const parts =
    wholeFrom >= wholeEnd
      ? rows(fromMs, endMs)
      : [
          ...rows(fromMs, wholeFrom),
          counted("delivery_type_totals"),
          counted("delivery_changes"),
          ...rows(wholeEnd, endMs)
        ]
  if (parts.length === 0) return Effect.succeed(NONE)
  return sql<{ readonly type: EventType; readonly count: number; readonly cut: boolean }>`
    SELECT event_type AS type, sum(count)::float8 AS count, bool_or(cut) AS cut
    FROM (${sql.join(" UNION ALL ", false)(parts)}) AS parts (event_type, count, cut) GROUP BY 1`.pipe(
    Effect.map((counts) => {
      const found = new Map(counts.map(({ count, type }) => [type, count]))
      const byType = new Map(eventTypes.map((type) => [type, found.get(type) ?? 0] as const))
      return {
        byType: new Map([...byType].filter(([, count]) => count > 0)),
        matched: [...byType.values()].reduce((sum, some) => sum + some, 0),
        atLeast: counts.some(({ cut }) => cut)
      }
    })
  )
}

/** Up to `limit` of them with ids from `fromId` on, included, oldest first; "": from the beginning. */
export const retryablePage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  target: RetryTarget,
  filters: RetryFilters,
  fromId: string,
  limit: number
) {
  const { fromMs, endMs } = timesOf(filters)
  const [firstId, endId] = [fromId === "" ? firstIdAt("dlv_", fromMs) : fromId, firstIdAt("dlv_", endMs)]
  const firstMs = Math.floor(idTime(firstId.slice(0, endId.length)) / MINUTE_MS) * MINUTE_MS
  const inTime = sql`at >= ${moment(sql, firstMs)} AND at < ${moment(sql, endMs)} AND count > 0`
  const most = BATCH_MINUTES
  const counted = filters.statuses.map(
    (status) => sql`
      (SELECT at FROM delivery_totals
       WHERE ${ofTarget(sql, target)} AND status = ${status} AND width = '1 minute' AND ${inTime}
       ORDER BY at LIMIT ${most})`
  )
  const changed = sql`
    (SELECT at FROM delivery_changes
     WHERE ${ofTarget(sql, target)} AND status = ANY(${column(filters.statuses)}::text[]) AND ${inTime})`
  const minutes = yield* sql<{ readonly ms: number }>`
    SELECT DISTINCT (extract(epoch FROM at) * 1000)::float8 AS ms
    FROM (${sql.join(" UNION ALL ", false)([...counted, changed])}) AS minutes ORDER BY 1 LIMIT ${most}`

  const found: Array<RetryableDelivery> = []
  let nextId = firstId
  for (const { ms } of minutes) {
    const [from, end] = [firstIdAt("dlv_", ms), firstIdAt("dlv_", ms + MINUTE_MS)]
    const { range } = idRange(
      sql,
      [["webhook_id", sql`${target.webhookId}`]],
      sql`${last(from, firstId)}`,
      sql`${first(end, endId)}`
    )
    const rows = yield* sql<RetryableDelivery>`
      SELECT id, test_event AS "testEvent", CASE WHEN event_offset IS NOT NULL
        THEN jsonb_build_object('fromHistory', from_history, 'offset', event_offset, 'eventId', event_id) END AS position
      FROM deliveries WHERE ${range} AND ${ofFilters(sql, filters)}
      ORDER BY webhook_id, id LIMIT ${limit - found.length}`
    found.push(...rows)
    // This minute may have more deliveries.
    if (found.length === limit)
      return { deliveries: found, nextId: idAfter(found.at(-1)!.id), done: false } satisfies RetryablePage
    nextId = end
  }
  return { deliveries: found, nextId, done: minutes.length < most } satisfies RetryablePage
})
