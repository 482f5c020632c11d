/**
 * Counts the events that a filter matches. Without accounts the count is exact: whole hours are summed from
 * `event_hours`, and the partial hours at both ends are counted. With accounts it is exact up to
 * `Limits.estimateEnough` events; beyond that a sample is counted and scaled.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { ledgerOfEventId } from "../../domain/EventId.ts"
import { eventTypes as allTypes, type EventType } from "../../domain/EventType.ts"
import type { Network } from "../../domain/Network.ts"
import { column } from "../Columns.ts"
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

const HOUR = 3_600
/** Its multiples modulo 1 are spread evenly for any count, and share no rhythm with days. */
const GOLDEN_RATIO = 0.618_033_988_749_895

export interface BusyTime extends CloseTimes {
  readonly events: number
}

/** The time by which that many events had happened, if each of `times` has its events spread evenly. Pure. */
const momentOf = (times: ReadonlyArray<BusyTime>, events: number): number => {
  let left = events
  for (const { from, before, events: own } of times) {
    if (left < own) return from + (left / own) * (before - from)
    left -= own
  }
  return times.at(-1)!.before
}

/**
 * `count` windows of time. The time is cut into `count` slices with equal numbers of events, and each window has that
 * share (0 to 1) of its slice's events. Pure.
 */
export const sampleOf = (
  times: ReadonlyArray<BusyTime>,
  share: number,
  count: number
): ReadonlyArray<CloseTimes> => {
  const slice = times.reduce((sum, { events }) => sum + events, 0) / count
  return Array.from({ length: count }, (_, i) => {
    const start = slice * (i + ((i * GOLDEN_RATIO) % 1) * (1 - share))
    return { from: momentOf(times, start), before: momentOf(times, start + slice * share) }
  })
}

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

    /** DISTINCT, because an event has a row for each of its accounts. */
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

    const countIn = (windows: ReadonlyArray<CloseTimes>, wanted: WantedEvents) =>
      sql<{ readonly events: number }>`
        SELECT count(*)::float8 AS events
        FROM unnest(${column(windows.map(({ from }) => timeOf(from)))}::timestamptz[],
                    ${column(windows.map(({ before }) => timeOf(before)))}::timestamptz[]) AS sampled (since, until)
        CROSS JOIN LATERAL (
          SELECT DISTINCT ledger_index, position FROM event_accounts
          WHERE ${ofAccounts(wanted)} AND close_time >= since AND close_time < until
        ) AS found`.pipe(Effect.map(([row]) => row!.events))

    /** Counts the events of all accounts by hour. A partial hour counts in proportion to its length. */
    const hoursOf = ({ network, eventTypes = allTypes, from, before }: WantedEvents) =>
      sql<{ readonly hour: number; readonly events: number }>`
        SELECT extract(epoch FROM hour)::float8 AS hour, sum(events)::float8 AS events FROM event_hours
        WHERE network = ${network} AND event_type = ANY(${column(eventTypes)}::text[])
          AND hour > ${timeOf(from - HOUR)}::timestamptz AND hour < ${timeOf(before)}::timestamptz
        GROUP BY 1 ORDER BY 1`.pipe(
        Effect.map((rows) =>
          rows.map(({ hour, events }): BusyTime => {
            const within = { from: Math.max(hour, from), before: Math.min(hour + HOUR, before) }
            return { ...within, events: (events * (within.before - within.from)) / HOUR }
          })
        )
      )

    /** Samples a growing share of the events until it has found enough. A share of 1 gives the exact number. */
    const estimateAccounts = Effect.fnUntraced(function* (wanted: WantedEvents) {
      const enough = Limits.estimateEnough
      const { fewest, lookups, most } = Limits.estimateWindows
      const windows = Math.min(most, Math.max(fewest, Math.floor(lookups / (wanted.accounts?.length ?? 1))))
      const hours = yield* hoursOf(wanted)
      const all = hours.reduce((sum, { events }) => sum + events, 0)
      let share = Math.min(1, Limits.estimateFirstLook / all)
      while (true) {
        const found = yield* countIn(share === 1 ? [wanted] : sampleOf(hours, share, windows), wanted)
        if (share === 1 || found >= enough) return Math.round(found / share)
        share = Math.min(1, share * Math.max(2, (2 * enough) / Math.max(1, found)))
      }
    })

    return {
      estimate: (wanted: WantedEvents) =>
        wanted.accounts === undefined
          ? Effect.map(tallyTypes(wanted), (tallies) => tallies.reduce((sum, { events }) => sum + events, 0))
          : estimateAccounts(wanted),

      /** Exact counts by type. A type without events has no row. With accounts, the cost grows with their events. */
      tally: (wanted: WantedEvents) =>
        wanted.accounts === undefined ? tallyTypes(wanted) : tallyAccounts(wanted),

      /** Counts the given events that the event index has. */
      tallyIds: (network: Network, eventIds: ReadonlyArray<string>) => {
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
