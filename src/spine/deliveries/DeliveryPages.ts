/**
 * The statement for a page of deliveries, newest first, for any combination of filters. Without a status filter a
 * page is a range of an index. No index has the status: the totals show in which minutes (with a type filter: in
 * which ten minutes) there are deliveries of that status, and only those spans are searched until the page is full.
 * An event has few deliveries: all of them are read.
 */

import type { SqlClient, Statement } from "effect/sql"
import type { Owner } from "../domain/ApiKey.ts"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import type { Network } from "../event/Network.ts"
import { firstIdAt, idTime, type WebhookId } from "../words/Ids.ts"

/** The range of ids that the live deliveries of an event have, without `end`. */
export interface LiveIds {
  readonly network: Network
  readonly from: string
  readonly end: string
}

/** An event whose deliveries are wanted. `liveIds` is empty if the log does not have its ledger. */
export interface WantedEvent {
  readonly id: string
  readonly liveIds: ReadonlyArray<LiveIds>
}

/** A job of the caller whose deliveries are wanted. */
export interface JobDeliveries {
  readonly id: string
  readonly webhookId: WebhookId
  /** A replay's deliveries are in this range of ids. Undefined: a retry job, whose deliveries are in a list. */
  readonly ids: { readonly from: string; readonly end: string } | undefined
}

/** Both exclusive; Unix milliseconds, possibly with a fraction. */
export interface Period {
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface DeliveryFilter extends Period {
  readonly webhookId?: WebhookId | undefined
  readonly eventType?: string | undefined
  /** Any of these; not empty. */
  readonly statuses?: ReadonlyArray<DeliveryStatus> | undefined
  readonly event?: WantedEvent | undefined
  readonly job?: JobDeliveries | undefined
}

/** An index of deliveries: its columns before the id, and their values. */
export type Key = ReadonlyArray<readonly [column: string, value: Statement.Fragment]>

/**
 * The condition and order for a key's deliveries with ids from `from` (included) to `end` (excluded), newest first.
 * The key's last column and the id are compared as a row, so that PostgreSQL can use only the index that begins with
 * the key: with single conditions it may choose another index and scan all its rows. `(id >= $1 OR id IS NULL)` is
 * added because no index matches it, but it prunes partitions.
 */
export const idRange = (
  sql: SqlClient.SqlClient,
  key: Key,
  from: Statement.Fragment,
  end: Statement.Fragment
) => {
  const equal = key.slice(0, -1).map(([column, value]) => sql`${sql(column)} = ${value}`)
  const [last, value] = key.at(-1)!
  return {
    range: sql.and([
      ...equal,
      sql`(${sql(last)}, id) >= (${value}, ${from})`,
      sql`(${sql(last)}, id) < (${value}, ${end})`,
      sql`(id >= ${from} OR id IS NULL)`,
      sql`(id < ${end} OR id IS NULL)`
    ]),
    order: sql`${sql(last)} DESC, id DESC`
  }
}

/** The condition of the partial index `deliveries_by_event` (store/migrations/0003_deliveries.ts). */
export const BY_EVENT = "(replay_job_id IS NOT NULL OR test_event IS NOT NULL)"

/**
 * The deliveries of one event. Live deliveries have no index by event. Their ids begin with the time at which the event's
 * ledger was taken and with the event's position in it, so they are a range of ids. The ids of replayed and test
 * deliveries do not depend on that: these deliveries have an index by event.
 */
const ofEvent = (
  sql: SqlClient.SqlClient,
  { accountId }: Owner,
  { id, liveIds }: WantedEvent
): Statement.Fragment => {
  const rows = (where: Statement.Fragment) =>
    sql`SELECT * FROM deliveries WHERE event_id = ${id} AND ${where}`
  const live = liveIds.map(({ network, from, end }) => {
    const key: Key = [
      ["account_id", sql`${accountId}`],
      ["network", sql`${network}`]
    ]
    const { range } = idRange(sql, key, sql`${from}`, sql`${end}`)
    return rows(sql`${range} AND ${sql.literal(`NOT ${BY_EVENT}`)}`)
  })
  return sql.join(" UNION ALL ", false)([...live, rows(sql.literal(BY_EVENT))])
}

/** Later than any id's time. */
export const NEVER_MS = 2 ** 48 - 1

/** The whole milliseconds of the period: `fromMs` is included, `endMs` is not. */
export const timesOf = ({ since, until }: Period) => ({
  fromMs: since === undefined ? 0 : Math.max(0, Math.floor(since) + 1),
  endMs: until === undefined ? NEVER_MS : Math.max(0, Math.ceil(until))
})

/** Up to `limit` deliveries with ids below `beforeId`. */
export const deliveryPage = <Row extends object>(
  sql: SqlClient.SqlClient,
  columns: Statement.Fragment,
  owner: Owner,
  filter: DeliveryFilter,
  beforeId: string | undefined,
  limit: number
): Statement.Statement<Row> => {
  const { accountId, networks } = owner
  const { eventType, statuses, event, job } = filter
  const webhookId = job?.webhookId ?? filter.webhookId
  const { fromMs, endMs } = timesOf(filter)
  const [firstId, untilId] = [firstIdAt("dlv_", fromMs), firstIdAt("dlv_", endMs)]
  const endId = beforeId === undefined || untilId < beforeId ? untilId : beforeId
  const timeOf = (id: string) => sql`to_timestamp(${idTime(id)}::float8 / 1000)`

  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${sql(column)} = ${value}`]
  const [ofWebhook, ofType] = [equal("webhook_id", webhookId), equal("event_type", eventType)]
  const ofStatus = statuses === undefined ? [] : [sql.or(statuses.map((status) => sql`status = ${status}`))]
  const ofJob =
    job === undefined
      ? []
      : job.ids === undefined
        ? // `OFFSET 0`: it is looked up for each row that meets the other conditions, instead of the whole list.
          [
            sql`EXISTS (SELECT FROM retried_deliveries r WHERE r.job_id = ${job.id} AND r.delivery_id = id OFFSET 0)`
          ]
        : [sql`replay_job_id = ${job.id}`]
  if (event !== undefined) {
    // MATERIALIZED: an event has few deliveries, and no index of the other conditions may be chosen instead of its own.
    return sql<Row>`
      WITH of_event AS MATERIALIZED (${ofEvent(sql, owner, event)})
      SELECT ${columns} FROM of_event
      WHERE ${sql.and([
        sql`account_id = ${accountId} AND network = ANY(${networks}::text[])`,
        sql`id >= ${firstId} AND id < ${endId}`,
        ...ofWebhook,
        ...ofType,
        ...ofStatus,
        ...ofJob
      ])} ORDER BY id DESC LIMIT ${limit}`
  }
  const chosen = [...ofType, ...ofStatus]
  if (job?.ids !== undefined) {
    const [from, end] = [[firstId, job.ids.from].toSorted()[1]!, [endId, job.ids.end].toSorted()[0]!]
    const { range, order } = idRange(sql, [["webhook_id", sql`${job.webhookId}`]], sql`${from}`, sql`${end}`)
    // `CASE`: PostgreSQL then expects that many rows meet the conditions, and reads the range in the order of its index.
    return sql<Row>`
      SELECT ${columns} FROM deliveries WHERE ${range} AND CASE WHEN ${sql.and([...ofJob, ...chosen])} THEN true ELSE false END
      ORDER BY ${order} LIMIT ${limit}`
  }
  // Of a retry job's deliveries most are delivered in the end. Others are searched by the totals, as without a job.
  if (job !== undefined && (statuses === undefined || statuses.includes("delivered"))) {
    // `OFFSET 0`: each delivery of the list is looked up by its id, in the order of the list.
    return sql<Row>`
      SELECT found.* FROM (
        SELECT delivery_id FROM retried_deliveries
        WHERE job_id = ${job.id} AND delivery_id >= ${firstId} AND delivery_id < ${endId}
        ORDER BY delivery_id DESC OFFSET 0
      ) AS listed CROSS JOIN LATERAL (
        SELECT ${columns} FROM deliveries WHERE ${sql.and([sql`id = listed.delivery_id`, ...chosen])} OFFSET 0
      ) AS found LIMIT ${limit}`
  }

  const ofOwner: Key =
    webhookId === undefined
      ? [
          ["account_id", sql`${accountId}`],
          ["network", sql.literal("owner.network")]
        ]
      : [["webhook_id", sql`${webhookId}`]]
  const key: Key = eventType === undefined ? ofOwner : [...ofOwner, ["event_type", sql`${eventType}`]]
  const rowsBetween = (from: Statement.Fragment, end: Statement.Fragment) => {
    const { range, order } = idRange(sql, key, from, end)
    return sql`
      SELECT ${columns} FROM deliveries WHERE ${sql.and([range, ...ofStatus, ...ofJob])} ORDER BY ${order} LIMIT ${limit}`
  }

  /** Conditions on totals, and on changes that are not in the totals yet. */
  const counted = [sql`account_id = ${accountId} AND network = owner.network AND count > 0`, ...ofWebhook]
  /** The condition of the index over an account's webhooks (store/migrations/0004_delivery_totals.ts). */
  const byIndex = webhookId === undefined ? [sql.literal("NOT is_empty")] : []

  /** The spans of time that have matching deliveries, newest first, and the rows of each. */
  const rowsInSpans = (
    width: string,
    totals: Statement.Fragment,
    ofTotals: ReadonlyArray<Statement.Fragment>
  ) => {
    const startOf = (time: Statement.Fragment) => sql`date_bin(${width}::interval, ${time}, 'epoch')`
    // One search for each status: each is in the order of an index.
    const counts = (statuses ?? []).map(
      (status) => sql`
        (SELECT at FROM ${totals}
         WHERE ${sql.and([...counted, ...equal("status", status), ...byIndex, ...ofTotals])} ORDER BY at DESC)
        UNION ALL
        (SELECT ${startOf(sql.literal("at"))} AS at FROM delivery_changes
         WHERE ${sql.and([...counted, ...equal("status", status), ...ofType])} ORDER BY 1 DESC)`
    )
    const spans = sql`
      SELECT DISTINCT ON (at) at FROM (${sql.join(" UNION ALL ", false)(counts)}) AS counts
      WHERE at >= ${startOf(timeOf(firstId))} AND at <= ${timeOf(endId)} ORDER BY at DESC`
    // `OFFSET 0`: PostgreSQL then computes a span's ids once, not in every comparison.
    return sql`
      SELECT found.* FROM (
        SELECT at, greatest(first_delivery_id(at), ${firstId} COLLATE "C") AS from_id,
               least(first_delivery_id(at + ${width}::interval), ${endId} COLLATE "C") AS end_id
        FROM (${spans}) AS spans ORDER BY at DESC OFFSET 0
      ) AS span CROSS JOIN LATERAL (${rowsBetween(sql.literal("span.from_id"), sql.literal("span.end_id"))}) AS found
      ORDER BY span.at DESC, found.id DESC LIMIT ${limit}`
  }

  const search =
    statuses === undefined
      ? rowsBetween(sql`${firstId}`, sql`${endId}`)
      : eventType === undefined
        ? rowsInSpans("1 minute", sql.literal("delivery_totals"), [sql`width = '1 minute'`])
        : rowsInSpans("10 minutes", sql.literal("delivery_type_totals"), ofType)

  // One search for each network, merged: with `network = ANY` PostgreSQL would sort all rows first.
  const owners =
    webhookId === undefined
      ? sql`unnest(${networks}::text[])`
      : sql`(SELECT network FROM webhooks
             WHERE id = ${webhookId} AND account_id = ${accountId} AND network = ANY(${networks}::text[]))`
  return sql<Row>`
    SELECT page.* FROM ${owners} AS owner (network) CROSS JOIN LATERAL (${search}) AS page
    ORDER BY page.id DESC LIMIT ${limit}`
}
