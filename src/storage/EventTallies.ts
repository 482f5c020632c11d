/**
 * How many events of each type a replay would queue, and from which ledger to which: exact, from the event log's indexes.
 * By time and type alone that takes no longer for a year than for a day; by accounts it takes as long as they have events.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ledgerOfEventId } from "../domain/EventId.ts"
import { type EventType, eventTypes } from "../domain/EventType.ts"
import type { Network } from "../domain/Network.ts"
import { column } from "./Columns.ts"
import { type CountedEvents, hoursWithin } from "./EventCounts.ts"

/** A type without events has none. */
export interface EventTally {
  readonly type: EventType
  readonly events: number
  readonly first_ledger: number
  readonly last_ledger: number
}

const time = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()

const tally = `
  count(*)::float8 AS events, min(ledger_index)::float8 AS first_ledger, max(ledger_index)::float8 AS last_ledger`

const tallyTypes = Effect.fnUntraced(function* ({ network, from, before, ...wanted }: CountedEvents) {
  const sql = yield* SqlClient.SqlClient
  const { hours, rest } = hoursWithin(from, before)
  const whole = hours ?? { from, before: from }
  const end = (order: "" | "DESC") => sql`(
    SELECT ledger_index FROM events
    WHERE network = ${network} AND event_type = type
      AND close_time >= ${time(from)}::timestamptz AND close_time < ${time(before)}::timestamptz
    ORDER BY close_time ${sql.literal(order)}, ledger_index ${sql.literal(order)} LIMIT 1)::float8`
  return yield* sql<EventTally>`
    SELECT type, events::float8 AS events, ${end("")} AS first_ledger, ${end("DESC")} AS last_ledger
    FROM unnest(${column(wanted.eventTypes ?? eventTypes)}::text[]) AS type
    CROSS JOIN LATERAL (
      SELECT coalesce((
        SELECT sum(events) FROM event_hours
        WHERE network = ${network} AND event_type = type
          AND hour >= ${time(whole.from)}::timestamptz AND hour < ${time(whole.before)}::timestamptz
      ), 0) + (
        SELECT count(*)
        FROM unnest(${column(rest.map((part) => time(part.from)))}::timestamptz[],
                    ${column(rest.map((part) => time(part.before)))}::timestamptz[]) AS part (since, until)
        JOIN events ON network = ${network} AND event_type = type AND close_time >= since AND close_time < until
      ) AS events
    ) AS counted
    WHERE events > 0`
})

const tallyAccounts = Effect.fnUntraced(function* ({ network, from, before, ...wanted }: CountedEvents) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<EventTally>`
    SELECT event_type AS type, ${sql.literal(tally)} FROM (
      SELECT DISTINCT event_type, ledger_index, position FROM event_accounts
      WHERE network = ${network} AND account = ANY(${column(wanted.accounts ?? [])}::text[])
        AND event_type = ANY(${column(wanted.eventTypes ?? eventTypes)}::text[])
        AND close_time >= ${time(from)}::timestamptz AND close_time < ${time(before)}::timestamptz
    ) AS found GROUP BY event_type`
})

/** Of the time, types and accounts. */
export const tallyEvents = (wanted: CountedEvents) =>
  wanted.accounts === undefined ? tallyTypes(wanted) : tallyAccounts(wanted)

/** Of these events, as far as the event log has them. */
export const tallyEventIds = Effect.fnUntraced(function* (network: Network, eventIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const possible = eventIds.filter((id) => Number.isSafeInteger(ledgerOfEventId(id)))
  return yield* sql<EventTally>`
    SELECT event_type AS type, ${sql.literal(tally)}
    FROM unnest(${column(possible)}::text[], ${column(possible.map((id) => String(ledgerOfEventId(id))))}::bigint[])
      AS wanted (id, ledger)
    CROSS JOIN LATERAL (
      SELECT event_type, ledger_index FROM events
      WHERE network = ${network} AND ledger_index = wanted.ledger AND event_id = wanted.id LIMIT 1
    ) AS found GROUP BY event_type`
})
