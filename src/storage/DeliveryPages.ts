/**
 * The statement behind a page of deliveries, for any combination of filters: its cost follows the page's size, not the
 * number of rows. Totals tell the days that have some, newest first, and a range of an index gives those of a day; of
 * `pending` and `delivered`, which are in no index (migration 0006), totals tell the hours and minutes, and only the ids of
 * such minutes are looked through. Rows come newest first throughout, so that a full page ends the search.
 */
import type { SqlClient, Statement } from "effect/sql"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import { firstIdAt, idTime } from "../domain/Ids.ts"
import { ALL_WEBHOOKS } from "./DeliveryStats.ts"
import type { Owner } from "./WebhookStore.ts"

export interface DeliveryFilter {
  readonly webhookId: string | undefined
  readonly eventType: string | undefined
  readonly status: DeliveryStatus | undefined
  /** Both exclusive; Unix milliseconds, possibly with a fraction. */
  readonly since: number | undefined
  readonly until: number | undefined
}

type Unit = "day" | "hour" | "minute"

/** What rows have in common, in an index's order. */
type Key = ReadonlyArray<readonly [name: string, value: Statement.Fragment]>

/** Below and above every id. */
const FIRST_ID = "dlv_"
const LAST_ID = "dlv_~"

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

  // Not as text: PostgreSQL reads no year beyond 9999 in that of ISO 8601.
  const timeAt = (unixMs: number) => sql`to_timestamp(${String(unixMs)}::float8 / 1000)`
  const ofAccount = [sql`account_id = ${owner.accountId}`, sql`network = watched.name`]
  // A number the planner sees: not knowing it, it expects a tenth of all rows.
  const most = sql.literal(String(limit))

  /** Days or hours of the webhook, or of the account, in which there may be some. */
  const spansOf = (unit: Unit, conditions: ReadonlyArray<Statement.Fragment>) => sql`
    SELECT at FROM ${sql(`delivery_${unit}s`)} WHERE ${sql.and([
      sql`webhook_id = ${webhookId ?? ALL_WEBHOOKS}`,
      ...ofAccount,
      ...(fromMs === undefined
        ? []
        : [sql`at >= date_trunc(${sql.literal(`'${unit}'`)}, ${timeAt(fromMs)}, 'UTC')`]),
      ...(endId === LAST_ID ? [] : [sql`at <= ${timeAt(idTime(endId))}`]),
      ...conditions
    ])}`

  /** Minutes of an hour in which there are some, newest first. Few of a minute's are pending: they are found by webhook. */
  const minutesOf = (count: "pending" | "delivered") => {
    const minutes = (webhook: Statement.Fragment) => sql`
      SELECT webhook_id, at FROM delivery_minutes WHERE ${sql.and([
        sql`webhook_id = ${webhook}`,
        ...ofAccount,
        sql`${sql(count)} > 0`,
        sql`at >= hour.at`,
        sql`at < hour.at + interval '1 hour'`
      ])}`
    if (webhookId !== undefined || count === "delivered")
      return sql`${minutes(sql`${webhookId ?? ALL_WEBHOOKS}`)} ORDER BY at DESC`
    const webhooks = sql.and([
      ...ofAccount,
      sql`at = hour.at`,
      sql`pending > 0`,
      sql`webhook_id <> ${ALL_WEBHOOKS}`
    ])
    return sql`
      SELECT of_one.* FROM (SELECT webhook_id FROM delivery_hours WHERE ${webhooks} OFFSET 0) AS one
      CROSS JOIN LATERAL (${minutes(sql`one.webhook_id`)} OFFSET 0) AS of_one ORDER BY at DESC`
  }

  /** The newest of what `rows` finds in each span. Spans come newest first, so that a full page ends the search. */
  const newestOf = (unit: Unit, spans: Statement.Fragment, rows: Statement.Fragment) => sql`
    SELECT found.* FROM (${spans}) AS ${sql(unit)} CROSS JOIN LATERAL (${rows}) AS found
    ORDER BY ${sql(unit)}.at DESC, found.id DESC LIMIT ${most}`

  /**
   * The newest deliveries of a span that share a key. Compared and ordered as a whole, a key leaves PostgreSQL no choice
   * but the index that begins with it: with single equalities it may take another one, and look through all rows for the
   * few that match the rest. Ids alone are compared once more to tell the partition, in words that fit no index.
   */
  const rowsOf = (unit: Unit, key: Key, conditions: ReadonlyArray<Statement.Fragment>) => {
    const names = [...key.map(([name]) => name), "id"]
    const whole = sql.literal(`(${names.join(", ")})`)
    const bound = (id: string) => sql.csv([...key.map(([, value]) => value), sql.literal(id)])
    const begin = sql`${sql(unit)}.at`
    const end = sql`${begin} + ${sql.literal(`interval '1 ${unit}'`)}`
    const unixMs = (time: Statement.Fragment) => sql`(extract(epoch FROM ${time}) * 1000)::bigint`
    return sql`
      SELECT delivery.* FROM (
        SELECT greatest(first_delivery_id(from_ms), ${fromId} COLLATE "C") AS from_id,
               least(first_delivery_id(end_ms), ${endId} COLLATE "C") AS end_id
        FROM (SELECT ${unixMs(begin)} AS from_ms, ${unixMs(end)} AS end_ms OFFSET 0) AS times OFFSET 0
      ) AS ids CROSS JOIN LATERAL (
        SELECT ${columns} FROM deliveries WHERE ${sql.and([
          sql`${whole} >= (${bound("from_id")})`,
          sql`${whole} < (${bound("end_id")})`,
          sql`(id >= from_id OR id IS NULL)`,
          sql`(id < end_id OR id IS NULL)`,
          ...conditions
        ])} ORDER BY ${sql.literal(names.map((name) => `${name} DESC`).join(", "))} LIMIT ${most}
      ) AS delivery`
  }

  const scope: Key =
    webhookId === undefined
      ? [
          ["account_id", sql`${owner.accountId}`],
          ["network", sql`watched.name`]
        ]
      : [["webhook_id", sql`${webhookId}`]]
  const type: Key = eventType === undefined ? [] : [["event_type", sql`${eventType}`]]
  const search = () => {
    switch (status) {
      case undefined:
        return newestOf("day", spansOf("day", []), rowsOf("day", [...scope, ...type], []))
      case "failed":
      case "retrying": {
        const key: Key = [...scope, ["failing_status", sql`${status}`], ...type]
        // As the index says it, or PostgreSQL does not see that the index holds them.
        const rows = rowsOf("day", key, [sql`failing_status IS NOT NULL`])
        return newestOf("day", spansOf("day", [sql`${sql(status)} > 0`]), rows)
      }
      case "delivered":
      case "pending": {
        const some = sql`${sql(status)} > 0`
        const has = [sql`status = ${status}`]
        // Of one type an hour has few, and whether any was delivered is known.
        if (status === "delivered" && eventType !== undefined) {
          const ofType = sql`delivered_types & event_type_bit(${eventType}) <> 0`
          return newestOf("hour", spansOf("hour", [some, ofType]), rowsOf("hour", [...scope, ...type], has))
        }
        const ofMinute: Key = status === "pending" ? [["webhook_id", sql`minute.webhook_id`]] : scope
        const rows = rowsOf("minute", [...ofMinute, ...type], has)
        return newestOf("hour", spansOf("hour", [some]), newestOf("minute", minutesOf(status), rows))
      }
    }
  }
  const owned = sql`
    EXISTS (SELECT FROM webhooks WHERE id = ${webhookId} AND account_id = ${owner.accountId} AND network = watched.name)`
  // One search per network, merged: a plain `network = ANY` would have to sort everything first.
  return sql<Row>`
    SELECT page.* FROM unnest(${owner.networks}::text[]) AS watched (name) CROSS JOIN LATERAL (${search()}) AS page
    ${webhookId === undefined ? sql.literal("") : sql`WHERE ${owned}`} ORDER BY page.id DESC LIMIT ${most}`
}
