/**
 * Counts the events that a filter matches. Without accounts, whole hours are summed from `event_hours`, and only the
 * partial hours at both ends are counted. With accounts each event is read, so an estimate ends at a limit and then
 * says "at least".
 */

import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { ledgerOfEventId } from "../../spine/event/EventId.ts"
import { eventTypes as allTypes, type EventType } from "../../spine/event/EventType.ts"
import type { Network } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import type { EventId } from "../../spine/words/Ids.ts"
import { type CloseTimes, timeOf } from "./CloseTimes.ts"

export interface WantedEvents extends CloseTimes {
  readonly network: Network
  readonly eventTypes: ReadonlyArray<EventType> | undefined
  readonly accounts: ReadonlyArray<string> | undefined
}

export interface EventTally {
  readonly type: EventType
  readonly events: number
  readonly first_ledger: number
  readonly last_ledger: number
}

export interface EventEstimate {
  readonly events: number
  /** Whether there may be more: not all events of the accounts were read. */
  readonly atLeast: boolean
}

const HOUR = 3_600

export class EventCounts extends Context.Service<EventCounts>()("ledgerhook/storage/EventCounts", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const closed = (from: number, before: number) =>
      sql`close_time >= ${timeOf(from)}::timestamptz AND close_time < ${timeOf(before)}::timestamptz`
    const tallied = sql`
      count(*)::float8 AS events, min(ledger_index)::float8 AS first_ledger, max(ledger_index)::float8 AS last_ledger`

    const tallyTypes = ({ network, eventTypes = allTypes, from, before }: WantedEvents) => {
      const [firstHour, endHour] = [Math.ceil(from / HOUR) * HOUR, Math.floor(before / HOUR) * HOUR]
      // If the time has no whole hour, the part before the hours is all of it.
      const hours = firstHour < endHour ? ([firstHour, endHour] as const) : ([before, before] as const)
      const ofType = (start: number, end: number) =>
        sql`FROM events WHERE network = ${network} AND event_type = type AND ${closed(start, end)}`
      const ledgerAt = (order: "ASC" | "DESC") => sql`(
        SELECT ledger_index::float8 ${ofType(from, before)}
        ORDER BY close_time ${sql.literal(order)}, ledger_index ${sql.literal(order)} LIMIT 1)`
      return sql<EventTally>`
        SELECT type, events::float8 AS events, ${ledgerAt("ASC")} AS first_ledger, ${ledgerAt("DESC")} AS last_ledger
        FROM unnest(${column(eventTypes)}::text[]) AS type
        CROSS JOIN LATERAL (
          SELECT coalesce((
            SELECT sum(events) FROM event_hours
            WHERE network = ${network} AND event_type = type
              AND hour >= ${timeOf(hours[0])}::timestamptz AND hour < ${timeOf(hours[1])}::timestamptz
          ), 0) + (SELECT count(*) ${ofType(from, hours[0])}) + (SELECT count(*) ${ofType(hours[1], before)}) AS events
        ) AS counted WHERE events > 0`
    }

    /** An event has a row for each of its accounts. */
    const ofAccounts = ({ network, accounts = [], eventTypes = allTypes }: WantedEvents) =>
      sql.and([
        // A subquery: PostgreSQL would otherwise estimate each of 10,000 accounts, and planning would take longer
        // than running.
        sql`network = ${network} AND account = ANY((SELECT ${column(accounts)}::text[])::text[])`,
        sql`event_type = ANY(${column(eventTypes)}::text[])`
      ])

    const tallyAccounts = (wanted: WantedEvents) =>
      sql<EventTally>`
        SELECT event_type AS type, ${tallied} FROM (
          SELECT DISTINCT event_type, ledger_index, position FROM event_accounts
          WHERE ${ofAccounts(wanted)} AND ${closed(wanted.from, wanted.before)}
        ) AS found GROUP BY event_type`

    const estimateAccounts = (wanted: WantedEvents) =>
      sql<EventEstimate>`
        SELECT count(*)::float8 AS events, coalesce(sum(rows), 0) = ${Limits.countedRows} AS "atLeast"
        FROM (
          SELECT count(*) AS rows FROM (
            SELECT ledger_index, position FROM event_accounts
            WHERE ${ofAccounts(wanted)} AND ${closed(wanted.from, wanted.before)} LIMIT ${Limits.countedRows}
          ) AS read GROUP BY ledger_index, position
        ) AS found`.pipe(Effect.map(([row]) => row!))

    return {
      estimate: (wanted: WantedEvents) =>
        wanted.accounts === undefined
          ? Effect.map(
              tallyTypes(wanted),
              (tallies): EventEstimate => ({
                events: tallies.reduce((sum, { events }) => sum + events, 0),
                atLeast: false
              })
            )
          : estimateAccounts(wanted),

      /** Exact counts by type. A type without events has no row. With accounts, the cost grows with their events. */
      tally: (wanted: WantedEvents) =>
        wanted.accounts === undefined ? tallyTypes(wanted) : tallyAccounts(wanted),

      /** The number of events of each hour from `sinceMs` on, without the hours that have none. */
      byHour: (network: Network, sinceMs: number) =>
        sql<{ readonly hour: Date; readonly events: number }>`
          SELECT hour, sum(events)::float8 AS events FROM event_hours
          WHERE network = ${network} AND event_type = ANY(${column(allTypes)}::text[])
            AND hour >= ${timeOf(sinceMs / 1_000)}::timestamptz
          GROUP BY hour`.pipe(
          Effect.map((rows) => new Map(rows.map(({ events, hour }) => [new Date(hour).getTime(), events])))
        ),

      /** Counts the given events that the event index has. */
      tallyIds: (network: Network, eventIds: ReadonlyArray<EventId>) => {
        const possible = eventIds.filter((id) => Number.isSafeInteger(ledgerOfEventId(id)))
        return sql<EventTally>`
          SELECT event_type AS type, ${tallied}
          FROM unnest(${column(possible)}::text[], ${column(possible.map((id) => String(ledgerOfEventId(id))))}::bigint[])
            AS wanted (id, ledger)
          CROSS JOIN LATERAL (
            SELECT event_type, ledger_index FROM events
            WHERE network = ${network} AND ledger_index = wanted.ledger AND event_id = wanted.id LIMIT 1
          ) AS found GROUP BY event_type`
      },

      /** The ledgers that have events of the accounts, ascending. */
      ledgersOf: (wanted: WantedEvents) =>
        sql<{ readonly ledger: number }>`
          SELECT DISTINCT ledger_index::float8 AS ledger FROM event_accounts
          WHERE ${ofAccounts(wanted)} AND ${closed(wanted.from, wanted.before)}
          ORDER BY ledger`.pipe(Effect.map((rows) => rows.map(({ ledger }) => ledger)))
    }
  })
}) {
  static readonly layer = Layer.effect(EventCounts, EventCounts.make)
}
