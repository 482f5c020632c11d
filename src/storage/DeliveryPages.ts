/**
 * The statement behind a page of deliveries, for any combination of filters: its cost follows the page's size, not the
 * number of rows. Webhook, type and time are ranges of an index, and so are `failed` and `retrying`. `pending` and
 * `delivered` are in no index (migration 0006): totals tell the hours and minutes that have some, and only the ids of
 * such minutes are looked through. Rows come newest first throughout, so that a full page ends the search.
 */
import type { SqlClient, Statement } from "effect/sql"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import { firstIdAt, idTime } from "../domain/Ids.ts"
import type { Owner } from "./WebhookStore.ts"

export interface DeliveryFilter {
  readonly webhookId: string | undefined
  readonly eventType: string | undefined
  readonly status: DeliveryStatus | undefined
  /** Both exclusive; Unix milliseconds, possibly with a fraction. */
  readonly since: number | undefined
  readonly until: number | undefined
}

/** Below and above every id. */
const FIRST_ID = "dlv_"
const LAST_ID = "dlv_~"

const at = (unixMs: number) => new Date(unixMs).toISOString()

export const pageStatement = <Row extends object>(
  sql: SqlClient.SqlClient,
  columns: Statement.Fragment,
  owner: Owner,
  filter: DeliveryFilter,
  beforeId: string | undefined,
  limit: number
): Statement.Statement<Row> => {
  const { webhookId, eventType, status } = filter
  const fromMs = filter.since === undefined ? undefined : Math.max(0, Math.floor(filter.since) + 1)
  const untilMs = filter.until === undefined ? undefined : Math.max(0, Math.ceil(filter.until))

  const fromId = fromMs === undefined ? FIRST_ID : firstIdAt("dlv_", fromMs)
  const untilId = untilMs === undefined ? LAST_ID : firstIdAt("dlv_", untilMs)
  const endId = beforeId === undefined || untilId < beforeId ? untilId : beforeId

  const webhook = webhookId === undefined ? [] : [sql`webhook_id = ${webhookId}`]
  const scope = [sql`account_id = ${owner.accountId}`, sql`network = watched.name`, ...webhook]

  // A number the planner sees: not knowing it, it expects a tenth of all rows.
  const most = sql.literal(String(limit))
  // As the index says it, or PostgreSQL does not see that the index holds them.
  const failing = status === "failed" || status === "retrying" ? [sql`failing_status IS NOT NULL`] : []
  // Compared and ordered as a whole, a key leaves PostgreSQL no choice but the index that begins with it: with single
  // equalities it may take another one, and look through all rows for the few that match the rest.
  const pageOf = (key: ReadonlyArray<readonly [name: string, value: Statement.Fragment]>) => {
    const names = [...key.map(([name]) => name), "id"]
    const whole = sql.literal(`(${names.join(", ")})`)
    const bound = (id: string) => sql.csv([...key.map(([, value]) => value), sql`${id}`])
    return sql`
      SELECT ${columns} FROM deliveries
      WHERE ${sql.and([sql`${whole} >= (${bound(fromId)})`, sql`${whole} < (${bound(endId)})`, ...failing])}
      ORDER BY ${sql.literal(names.map((name) => `${name} DESC`).join(", "))} LIMIT ${most}`
  }

  const searched = (count: "pending" | "delivered") => {
    const some = sql.and([
      ...scope,
      sql`${sql(count)} > 0`,
      ...(count === "delivered" && eventType !== undefined
        ? [sql`delivered_types & event_type_bit(${eventType}) <> 0`]
        : [])
    ])
    const first = sql`(SELECT min(at) FROM delivery_hours WHERE ${sql.and(scope)})`
    const last = sql`(SELECT max(at) FROM delivery_hours WHERE ${sql.and(scope)})`
    const from = fromMs === undefined ? first : sql`greatest(${first}, ${at(fromMs)}::timestamptz)`
    const newest = endId === LAST_ID ? undefined : sql`${at(idTime(endId))}::timestamptz`
    // Null, and with it no hour at all, where nothing is kept: bounds alone may be millennia apart.
    const to =
      newest === undefined ? last : sql`CASE WHEN ${last} > ${newest} THEN ${newest} ELSE ${last} END`
    const firstId = (time: Statement.Fragment) =>
      sql`first_delivery_id((extract(epoch FROM ${time}) * 1000)::bigint)`
    // What to look through of an hour, newest first. Few minutes have pending ones: they are found by webhook. Most have
    // delivered ones: they come in order of time. Of one type an hour has few, and whether any was delivered is known.
    const [spans, width] =
      count === "pending"
        ? [
            sql`
              SELECT minute.* FROM unnest(webhooks.ids) AS one (id) CROSS JOIN LATERAL (
                SELECT webhook_id, at FROM delivery_minutes
                WHERE webhook_id = one.id AND pending > 0 AND at >= hour.at AND at < hour.at + interval '1 hour' OFFSET 0
              ) AS minute ORDER BY at DESC`,
            sql`interval '1 minute'`
          ]
        : eventType === undefined
          ? [
              sql`
                SELECT webhook_id, at FROM delivery_minutes
                WHERE ${sql.and(scope)} AND delivered > 0 AND at >= hour.at AND at < hour.at + interval '1 hour'
                ORDER BY at DESC`,
              sql`interval '1 minute'`
            ]
          : [
              sql`SELECT one.id AS webhook_id, hour.at FROM unnest(webhooks.ids) AS one (id)`,
              sql`interval '1 hour'`
            ]
    return sql`
      SELECT of_hour.* FROM (
        SELECT at FROM generate_series(
          date_trunc('hour', ${to}, 'UTC'), date_trunc('hour', ${from}, 'UTC'), interval '-1 hour'
        ) AS at ORDER BY at DESC
      ) AS hour CROSS JOIN LATERAL (
        SELECT array_agg(webhook_id) AS ids FROM delivery_hours WHERE ${some} AND at = hour.at
      ) AS webhooks CROSS JOIN LATERAL (
        SELECT of_span.* FROM (${spans}) AS span CROSS JOIN LATERAL (
          SELECT ${columns} FROM deliveries WHERE ${sql.and([
            sql`webhook_id = span.webhook_id`,
            sql`id >= ${firstId(sql`span.at`)}`,
            sql`id < ${firstId(sql`span.at + ${width}`)}`,
            sql`id >= ${fromId}`,
            sql`id < ${endId}`,
            sql`status = ${count}`,
            ...(eventType === undefined ? [] : [sql`event_type = ${eventType}`])
          ])} ORDER BY id DESC LIMIT ${most}
        ) AS of_span ORDER BY span.at DESC, of_span.id DESC LIMIT ${most}
      ) AS of_hour WHERE webhooks.ids IS NOT NULL ORDER BY hour.at DESC, of_hour.id DESC LIMIT ${most}`
  }

  const chosen =
    status === "pending" || status === "delivered"
      ? searched(status)
      : pageOf([
          ...(webhookId === undefined
            ? ([
                ["account_id", sql`${owner.accountId}`],
                ["network", sql`watched.name`]
              ] as const)
            : ([["webhook_id", sql`${webhookId}`]] as const)),
          ...(status === undefined ? [] : ([["failing_status", sql`${status}`]] as const)),
          ...(eventType === undefined ? [] : ([["event_type", sql`${eventType}`]] as const))
        ])
  const owned = sql`
    EXISTS (SELECT FROM webhooks WHERE id = ${webhookId} AND account_id = ${owner.accountId} AND network = watched.name)`
  // One search per network, merged: a plain `network = ANY` would have to sort everything first.
  return sql<Row>`
    SELECT page.* FROM unnest(${owner.networks}::text[]) AS watched (name) CROSS JOIN LATERAL (${chosen}) AS page
    ${webhookId === undefined ? sql.literal("") : sql`WHERE ${owned}`} ORDER BY page.id DESC LIMIT ${most}`
}
