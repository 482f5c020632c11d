/**
 * The statements behind a page of deliveries, for any combination of filters: their cost follows the page's size, not the
 * number of rows. Totals tell the days that have some, newest first, and a range of an index gives those of a day; of
 * `pending` and `delivered`, which are in no index (migration 0006), totals tell the minutes (0017), and only the ids of
 * such minutes are looked through. Rows come newest first throughout, so that a full page ends the search. What is not in
 * the totals yet is looked for apart, and first: what is added to them meanwhile is then found twice, and not missed.
 * A page that its last day fills is looked for there alone. Written as text: making it of fragments takes twice as long.
 */
import { Limits } from "../config/Limits.ts"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import { firstIdAt, idTime } from "../domain/Ids.ts"
import { ALL_WEBHOOKS } from "./DeliveryTotals.ts"
import type { Owner } from "./WebhookStore.ts"

export interface DeliveryFilter {
  readonly webhookId: string | undefined
  readonly eventType: string | undefined
  readonly status: DeliveryStatus | undefined
  /** Both exclusive; Unix milliseconds, possibly with a fraction. */
  readonly since: number | undefined
  readonly until: number | undefined
}

/** What is to be read: up to `limit` rows with ids from the one, included, to the other, not included. */
export interface PageRange {
  readonly fromId: string
  readonly endId: string
  readonly limit: number
}

export interface Statement {
  readonly text: string
  /** Of `$1`, `$2`, … */
  readonly values: ReadonlyArray<string | ReadonlyArray<string>>
}

type Unit = "day" | "hour" | "minute"

/** What rows have in common, in an index's order: columns and their values in the statement. */
type Key = ReadonlyArray<readonly [name: string, value: string]>

const MINUTE_MS = 60_000

/** Below and above every id. */
const FIRST_ID = "dlv_"
const LAST_ID = "dlv_~"

/** Of a page's filter; `beforeId`: the last delivery of the page before. */
export const pageRange = (
  { since, until }: DeliveryFilter,
  beforeId: string | undefined,
  limit: number
): PageRange => {
  const fromId = since === undefined ? FIRST_ID : firstIdAt("dlv_", Math.max(0, Math.floor(since) + 1))
  const untilId = until === undefined ? LAST_ID : firstIdAt("dlv_", Math.max(0, Math.ceil(until)))
  return { fromId, endId: beforeId === undefined || untilId < beforeId ? untilId : beforeId, limit }
}

/** The last of a range: what was made up to `Limits.recentPageMs` before its end, or before now. */
export const recentPart = (range: PageRange, nowMs: number): PageRange => {
  const endMs = range.endId === LAST_ID ? nowMs : Math.min(nowMs, idTime(range.endId))
  const recentId = firstIdAt("dlv_", Math.max(0, endMs - Limits.recentPageMs))
  return recentId > range.fromId ? { ...range, fromId: recentId } : range
}

/** Takes a value, and gives its place in the text: the rest of the text is this program's own words. */
type Bind = (value: Statement["values"][number]) => string

const statementOf = (write: (bind: Bind) => string): Statement => {
  const values: Array<Statement["values"][number]> = []
  const text = write((value) => `$${values.push(value)}`)
  return { text, values }
}

const all = (conditions: ReadonlyArray<string>): string => conditions.join(" AND ")

/** What the statements for one filter are made of. */
const partsOf = (bind: Bind, columns: string, owner: Owner, filter: DeliveryFilter, range: PageRange) => {
  const { webhookId, eventType, status } = filter
  const { fromId, endId, limit } = range
  const [from, end] = [bind(fromId), bind(endId)]
  const account = bind(owner.accountId)
  const webhook = webhookId === undefined ? undefined : bind(webhookId)
  const type = eventType === undefined ? undefined : bind(eventType)
  const ofAccount = [`account_id = ${account}`, "network = watched.name"]
  const ofWebhook: Key =
    webhook === undefined
      ? [
          ["account_id", account],
          ["network", "watched.name"]
        ]
      : [["webhook_id", webhook]]
  const ofType: Key = type === undefined ? [] : [["event_type", type]]

  /**
   * The newest deliveries of a range of ids that share a key. Compared and ordered as a whole, a key leaves PostgreSQL no
   * choice but the index that begins with it: with single equalities it may take another one, and look through all rows for
   * the few that match the rest. Ids alone are compared once more to tell the partition, in words that fit no index.
   */
  const rowsBetween = (from: string, end: string, key: Key, conditions: ReadonlyArray<string>) => {
    const names = [...key.map(([name]) => name), "id"]
    const whole = `(${names.join(", ")})`
    const values = key.map(([, value]) => `${value}, `).join("")
    return `
      SELECT ${columns} FROM deliveries WHERE ${all([
        `${whole} >= (${values}${from})`,
        `${whole} < (${values}${end})`,
        // Rows are asked in this order, and most are none that these want.
        ...conditions,
        `(id >= ${from} OR id IS NULL)`,
        `(id < ${end} OR id IS NULL)`
      ])} ORDER BY ${names.map((name) => `${name} DESC`).join(", ")} LIMIT ${limit}`
  }

  /** What indexes have in the order of a page: deliveries in any status, or in one that fails. */
  const rowsInOrder = (from: string, end: string) =>
    status === undefined
      ? rowsBetween(from, end, [...ofWebhook, ...ofType], [])
      : // As the index says it, or PostgreSQL does not see that the index holds them.
        rowsBetween(
          from,
          end,
          [...ofWebhook, ["failing_status", bind(status)], ...ofType],
          ["failing_status IS NOT NULL"]
        )

  /** One search per network, merged: a plain `network = ANY` would have to sort everything first. */
  const ofNetworks = (search: string) => {
    const owned = `WHERE EXISTS (SELECT FROM webhooks WHERE ${all([`id = ${webhook}`, ...ofAccount])})`
    return `
      SELECT page.* FROM unnest(${bind(owner.networks)}::text[]) AS watched (name) CROSS JOIN LATERAL (${search}) AS page
      ${webhook === undefined ? "" : owned} ORDER BY page.id DESC LIMIT ${limit}`
  }

  // Not as text: PostgreSQL reads no year beyond 9999 in that of ISO 8601.
  const timeOf = (id: string) => `to_timestamp(${bind(String(idTime(id)))}::float8 / 1000)`

  /** Spans of that width that the range touches. */
  const ofRange = (unit: Unit): ReadonlyArray<string> => [
    ...(fromId === FIRST_ID ? [] : [`at >= date_trunc('${unit}', ${timeOf(fromId)}, 'UTC')`]),
    ...(endId === LAST_ID ? [] : [`at <= ${timeOf(endId)}`])
  ]

  /** The newest of what `rows` finds in each span. Spans come newest first, so that a full page ends the search. */
  const newestOf = (unit: Unit, spans: string, rows: string) => `
    SELECT found.* FROM (${spans}) AS ${unit} CROSS JOIN LATERAL (${rows}) AS found
    ORDER BY ${unit}.at DESC, found.id DESC LIMIT ${limit}`

  /** Rows of a span, from its first id to its last. */
  const within = (unit: Unit, rows: string) => {
    const unixMs = (time: string) => `(extract(epoch FROM ${time}) * 1000)::bigint`
    return `
      SELECT delivery.* FROM (
        SELECT greatest(first_delivery_id(from_ms), ${from} COLLATE "C") AS from_id,
               least(first_delivery_id(end_ms), ${end} COLLATE "C") AS end_id
        FROM (SELECT ${unixMs(`${unit}.at`)} AS from_ms, ${unixMs(`${unit}.at + interval '1 ${unit}'`)} AS end_ms OFFSET 0) AS times OFFSET 0
      ) AS ids CROSS JOIN LATERAL (${rows}) AS delivery`
  }

  /** As minutes tell whose deliveries they count. */
  const ofMinute: Key = status === "pending" ? [["webhook_id", "minute.webhook_id"]] : ofWebhook

  /**
   * Deliveries in a status that no index has, of a span. Of a type, only type and id are compared as a whole: with all of
   * the key, PostgreSQL, which expects next to nothing here, may take the narrower index that has no type, and read a
   * webhook's day for a minute.
   */
  const rowsAmong = (key: Key) => {
    const some = `status = ${bind(status ?? "")}`
    return type === undefined
      ? rowsBetween("from_id", "end_id", key, [some])
      : rowsBetween("from_id", "end_id", ofType, [...key.map(([name, value]) => `${name} = ${value}`), some])
  }

  return {
    from,
    end,
    webhook,
    type,
    ofAccount,
    ofWebhook,
    ofMinute,
    ofRange,
    newestOf,
    within,
    rowsAmong,
    rowsInOrder,
    ofNetworks
  }
}

/** Whether `rowsInOrder` has what the filter wants. */
export const isInOrder = ({ status }: DeliveryFilter): boolean =>
  status !== "pending" && status !== "delivered"

/**
 * For a range of a day or two. PostgreSQL sees at once which partitions that is, and opens no others: of a month of them,
 * opening takes several times as long as reading a page.
 */
export const recentStatement = (
  columns: string,
  owner: Owner,
  filter: DeliveryFilter,
  range: PageRange
): Statement =>
  statementOf((bind) => {
    const { from, end, rowsInOrder, ofNetworks } = partsOf(bind, columns, owner, filter, range)
    return ofNetworks(rowsInOrder(from, end))
  })

/** Whether totals tell what the filter wants by type. */
const isByType = ({ status, eventType }: DeliveryFilter): boolean =>
  status === "delivered" && eventType !== undefined

/**
 * Of changes that are not in the totals yet: those after which there may be more that the filter wants than totals tell.
 * Where one came and one went, totals tell of the minute anyway, but not of the type that came, if they know types (0018).
 */
const someChanged = (
  key: string,
  filter: DeliveryFilter,
  nowMs: number,
  bind: Bind,
  conditions: ReadonlyArray<string>
): string => {
  const { status, eventType } = filter
  const more = `sum(${status}) > 0`
  // From half the age on at which types are found out: clocks may differ.
  const mayBeKnown = () =>
    `at < to_timestamp(${bind(String(nowMs - Limits.pendingTypes.afterMs / 2))}::float8 / 1000)`
  const some = isByType(filter)
    ? `bit_or(delivered_types) & event_type_bit(${bind(eventType ?? "")}) <> 0`
    : status === "pending" && eventType !== undefined
      ? `(${more} OR max(pending) > 0 AND ${mayBeKnown()})`
      : more
  return `
    SELECT ${key} FROM delivery_changes WHERE ${all(conditions)}
    GROUP BY ${key} ${filter.status === undefined ? "" : `HAVING ${some}`}`
}

/** When the deliveries were made of which there are such changes: the first and the last minute. */
export interface ChangedTimes {
  readonly first_ms: number | null
  readonly last_ms: number | null
}

/** Finds `ChangedTimes`. */
export const changedTimesStatement = (owner: Owner, filter: DeliveryFilter, nowMs: number): Statement =>
  statementOf((bind) => {
    const changed = someChanged("webhook_id, at", filter, nowMs, bind, [
      `account_id = ${bind(owner.accountId)}`,
      `network = ANY(${bind(owner.networks)}::text[])`,
      ...(filter.webhookId === undefined ? [] : [`webhook_id = ${bind(filter.webhookId)}`])
    ])
    const unixMs = (time: string) => `(extract(epoch FROM ${time}) * 1000)::float8`
    return `SELECT ${unixMs("min(at)")} AS first_ms, ${unixMs("max(at)")} AS last_ms FROM (${changed}) AS changed`
  })

/** As much of a range as lies in those times; undefined where there is none. */
export const changedPart = (range: PageRange, { first_ms, last_ms }: ChangedTimes): PageRange | undefined => {
  if (first_ms === null || last_ms === null) return undefined
  const [firstId, pastId] = [firstIdAt("dlv_", first_ms), firstIdAt("dlv_", last_ms + MINUTE_MS)]
  const [, fromId = ""] = [range.fromId, firstId].toSorted()
  const [endId = ""] = [range.endId, pastId].toSorted()
  return fromId < endId ? { ...range, fromId, endId } : undefined
}

/** For a range of changed times: what the changes tell of, and the totals do not. */
export const changedStatement = (
  columns: string,
  owner: Owner,
  filter: DeliveryFilter,
  range: PageRange,
  nowMs: number
): Statement => {
  if (isInOrder(filter)) return recentStatement(columns, owner, filter, range)
  return statementOf((bind) => {
    const parts = partsOf(bind, columns, owner, filter, range)
    const { webhook, ofAccount, ofMinute, ofRange, newestOf, within, rowsAmong, ofNetworks } = parts
    const minutes = someChanged(filter.status === "pending" ? "webhook_id, at" : "at", filter, nowMs, bind, [
      ...ofAccount,
      ...(webhook === undefined ? [] : [`webhook_id = ${webhook}`]),
      ...ofRange("minute")
    ])
    return ofNetworks(
      newestOf("minute", `${minutes} ORDER BY at DESC`, within("minute", rowsAmong(ofMinute)))
    )
  })
}

/** For any range. */
export const pageStatement = (
  columns: string,
  owner: Owner,
  filter: DeliveryFilter,
  range: PageRange
): Statement =>
  statementOf((bind) => {
    const { status } = filter
    const parts = partsOf(bind, columns, owner, filter, range)
    const { webhook, type, ofAccount, ofMinute, ofWebhook, ofRange, newestOf, within, rowsAmong } = parts
    const ofAll = `'${ALL_WEBHOOKS}'`
    const ofTotals = webhook ?? ofAll

    /** Days or hours of the webhook, or of the account, in which there may be some. */
    const spansOf = (unit: Unit, conditions: ReadonlyArray<string>) => `
      SELECT at FROM delivery_${unit}s
      WHERE ${all([`webhook_id = ${ofTotals}`, ...ofAccount, ...ofRange(unit), ...conditions])}`

    const deliveredMinutes = () => `
      SELECT at FROM delivery_minutes WHERE ${all([
        `webhook_id = ${ofTotals}`,
        ...ofAccount,
        "delivered > 0",
        "at >= hour.at",
        "at < hour.at + interval '1 hour'"
      ])} ORDER BY at DESC`

    /**
     * Few of a minute's are pending: they are found by webhook, and their types may be known (0018). The first conditions
     * are those of two indexes.
     */
    const pendingMinutes = () => `
      SELECT webhook_id, at FROM delivery_minutes WHERE ${all([
        "has_pending",
        webhook === undefined ? `webhook_id <> ${ofAll}` : `webhook_id = ${webhook}`,
        ...ofAccount,
        ...ofRange("minute"),
        ...(type === undefined
          ? []
          : [`(pending_types IS NULL OR pending_types & (SELECT event_type_bit(${type})) <> 0)`])
      ])} ORDER BY at DESC`

    const search = () => {
      switch (status) {
        case undefined:
          return newestOf("day", spansOf("day", []), within("day", parts.rowsInOrder("from_id", "end_id")))
        case "failed":
        case "retrying":
          return newestOf(
            "day",
            spansOf("day", [`${status} > 0`]),
            within("day", parts.rowsInOrder("from_id", "end_id"))
          )
        case "pending":
          return newestOf("minute", pendingMinutes(), within("minute", rowsAmong(ofMinute)))
        case "delivered": {
          // Of one type an hour has few, and whether any was delivered is known.
          if (isByType(filter)) {
            const hours = spansOf("hour", [`delivered_types & event_type_bit(${type}) <> 0`])
            return newestOf("hour", hours, within("hour", rowsAmong(ofWebhook)))
          }
          const ofHour = newestOf("minute", deliveredMinutes(), within("minute", rowsAmong(ofMinute)))
          return newestOf("hour", spansOf("hour", ["delivered > 0"]), ofHour)
        }
      }
    }
    return parts.ofNetworks(search())
  })
