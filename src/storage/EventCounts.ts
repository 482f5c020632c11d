/**
 * How many events of the log a filter means, without reading them: whole hours from `event_hours`, which is exact, and
 * the hours cut by a bound from the event log's index. With accounts, the index is counted up to a bound and, for
 * accounts with more events than that, in samples of the time. And which ledgers hold accounts' events.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { type EventType, eventTypes } from "../domain/EventType.ts"
import type { Network } from "../domain/Network.ts"
import { column } from "./Columns.ts"
import { spanBetween } from "./EventRanges.ts"

/** `from` included, `before` not: Unix seconds, since ledgers close at whole ones. */
export interface CountedEvents {
  readonly network: Network
  readonly eventTypes: ReadonlyArray<EventType> | undefined
  readonly accounts: ReadonlyArray<string> | undefined
  readonly from: number
  readonly before: number
}

const HOUR = 3_600

/** What closed after `since` and before `until`, Unix milliseconds that may have a fraction, in whole seconds. Pure. */
export const secondsBetween = (since: number | undefined, until: number | undefined) => {
  const { from, before } = spanBetween(since, until)
  return { from: from.closeTime, before: before.closeTime }
}

const timeOf = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()

/** The hours that lie within, and what is cut off before and after them. Pure. */
export const hoursWithin = (from: number, before: number) => {
  const [first, end] = [Math.ceil(from / HOUR) * HOUR, Math.floor(before / HOUR) * HOUR]
  return first < end
    ? {
        hours: { from: first, before: end },
        rest: [
          { from, before: first },
          { from: end, before }
        ].filter((part) => part.from < part.before)
      }
    : { hours: undefined, rest: [{ from, before }] }
}

interface Window {
  readonly from: number
  readonly before: number
}

/** From 0 to 1, the same for the same number, and without a rhythm that events could share. Pure. */
const scattered = (n: number): number => {
  const mixed = Math.imul(n ^ (n >>> 15) ^ 0x2c1b3c6d, 0x297a2d39)
  return (Math.imul(mixed ^ (mixed >>> 13), 0x9e3779b1) >>> 0) / 2 ** 32
}

/**
 * Windows over the time, one somewhere in each of `count` equal slices: `hours` whole hours, or as many as it has, where a
 * slice holds several, since what all accounts do in those is known; else a tenth of the slice. Pure.
 */
export const samplesOf = (
  { from, before }: Window,
  count: number,
  hours = 1
): { readonly windows: ReadonlyArray<Window>; readonly wholeHours: boolean } => {
  const slice = (before - from) / count
  const wholeHours = slice >= 2 * HOUR
  const windows = Array.from({ length: count }, (_, i) => {
    const [start, end] = [from + slice * i, from + slice * (i + 1)]
    if (!wholeHours) {
      const at = start + scattered(i) * 0.9 * slice
      return { from: at, before: at + 0.1 * slice }
    }
    const [first, last] = [Math.ceil(start / HOUR), Math.floor(end / HOUR)]
    const length = Math.min(hours, last - first)
    const hour = (first + Math.floor(scattered(i) * (last - first - length + 1))) * HOUR
    return { from: hour, before: hour + length * HOUR }
  })
  return { windows, wholeHours }
}

export class EventCounts extends Context.Service<
  EventCounts,
  {
    readonly estimate: (wanted: CountedEvents) => Effect.Effect<number, SqlError.SqlError>
    /** The next ledgers after `afterLedger` that hold events of the accounts, in order. */
    readonly ledgersOf: (
      wanted: CountedEvents & { readonly accounts: ReadonlyArray<string> },
      afterLedger: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
  }
>()("ledgerhook/storage/EventCounts") {
  static readonly layer = Layer.effect(
    EventCounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const counted = (rows: Effect.Effect<ReadonlyArray<{ readonly events: number }>, SqlError.SqlError>) =>
        Effect.map(rows, ([row]) => row?.events ?? 0)

      const countEvents = ({ network, eventTypes: types = eventTypes, from, before }: CountedEvents) =>
        counted(sql`
          SELECT count(*)::float8 AS events FROM events
          WHERE network = ${network} AND event_type = ANY(${column(types)}::text[])
            AND close_time >= ${timeOf(from)}::timestamptz AND close_time < ${timeOf(before)}::timestamptz`)

      const countHours = ({ network, eventTypes: types = eventTypes, from, before }: CountedEvents) =>
        counted(sql`
          SELECT coalesce(sum(events), 0)::float8 AS events FROM event_hours
          WHERE network = ${network} AND event_type = ANY(${column(types)}::text[])
            AND hour >= ${timeOf(from)}::timestamptz AND hour < ${timeOf(before)}::timestamptz`)

      /** Rows of an account are as many as its events; several accounts may share one. */
      const involving = ({ network, accounts = [], eventTypes: types }: CountedEvents) =>
        sql.and([
          sql`network = ${network} AND account = ANY(${column(accounts)}::text[])`,
          // The index by time is for queries that say so: migration 0007.
          types === undefined ? sql`position >= 0` : sql`event_type = ANY(${column(types)}::text[])`
        ])

      const countBounded = (wanted: CountedEvents) =>
        // Grouped, which hashes; a count of distinct rows would sort them, in four times the time.
        sql<{ readonly rows: number; readonly events: number }>`
          SELECT coalesce(sum(rows), 0)::float8 AS rows, count(*)::float8 AS events FROM (
            SELECT count(*) AS rows FROM (
              SELECT ledger_index, position FROM event_accounts
              WHERE ${involving(wanted)} AND close_time >= ${timeOf(wanted.from)}::timestamptz
                AND close_time < ${timeOf(wanted.before)}::timestamptz
              LIMIT ${Limits.replayCountedRows}
            ) AS found GROUP BY ledger_index, position
          ) AS event`.pipe(Effect.map(([row]) => row!))

      const spansOf = (windows: ReadonlyArray<Window>) =>
        sql`unnest(${column(windows.map(({ from }) => timeOf(from)))}::timestamptz[],
                   ${column(windows.map(({ before }) => timeOf(before)))}::timestamptz[]) AS sample (since, until)`
      const countIn = (windows: ReadonlyArray<Window>, wanted: CountedEvents) =>
        counted(sql`
          SELECT count(*)::float8 AS events FROM ${spansOf(windows)}
          CROSS JOIN LATERAL (
            SELECT DISTINCT ledger_index, position FROM event_accounts
            WHERE ${involving(wanted)} AND close_time >= since AND close_time < until
          ) AS found`)
      const countAllIn = (
        windows: ReadonlyArray<Window>,
        { network, eventTypes: types = eventTypes }: CountedEvents
      ) =>
        counted(sql`
          SELECT coalesce(sum(events), 0)::float8 AS events FROM ${spansOf(windows)}
          CROSS JOIN LATERAL (
            SELECT sum(events) AS events FROM event_hours
            WHERE network = ${network} AND event_type = ANY(${column(types)}::text[]) AND hour >= since AND hour < until
          ) AS found`)

      /**
       * Of more accounts fewer samples, since each asks for each of them, but longer ones: as long as `looked` events take,
       * and again, longer still, where that finds too few of the accounts' to tell their number by.
       */
      const countSampled = Effect.fnUntraced(function* (wanted: CountedEvents) {
        const { most, fewest, lookups, looked, events, longestHours } = Limits.replaySamples
        const count = Math.min(most, Math.max(fewest, Math.floor(lookups / (wanted.accounts?.length ?? 1))))
        const all = yield* countAll(wanted)
        const perHour = (all * HOUR) / (wanted.before - wanted.from)
        const hours = (times: number) =>
          Math.min(longestHours, Math.max(1, Math.ceil((times * looked) / (count * Math.max(1, perHour)))))
        let { windows, wholeHours } = samplesOf(wanted, count, hours(1))
        let found = yield* countIn(windows, wanted)
        if (!wholeHours) return Math.round(found * 10)
        const times = Math.ceil(events / Math.max(1, found))
        if (hours(times) > hours(1)) {
          windows = samplesOf(wanted, count, hours(times)).windows
          found = yield* countIn(windows, wanted)
        }
        // The accounts' share of what happened in those hours is their share of all that happened.
        const inSamples = yield* countAllIn(windows, wanted)
        return inSamples === 0 ? 0 : Math.round((found / inSamples) * all)
      })

      const countAll = Effect.fnUntraced(function* (wanted: CountedEvents) {
        const { hours, rest } = hoursWithin(wanted.from, wanted.before)
        const parts = yield* Effect.forEach(rest, (part) => countEvents({ ...wanted, ...part }))
        const whole = hours === undefined ? 0 : yield* countHours({ ...wanted, ...hours })
        return parts.reduce((sum, events) => sum + events, whole)
      })

      return EventCounts.of({
        estimate: Effect.fnUntraced(function* (wanted) {
          if (wanted.from >= wanted.before) return 0
          if (wanted.accounts !== undefined) {
            const { rows, events } = yield* countBounded(wanted)
            return rows < Limits.replayCountedRows ? events : yield* countSampled(wanted)
          }
          return yield* countAll(wanted)
        }),

        ledgersOf: (wanted, afterLedger, limit) =>
          sql<{ readonly ledger: number }>`
            SELECT DISTINCT ledger_index::float8 AS ledger FROM event_accounts
            WHERE ${involving(wanted)} AND ledger_index > ${afterLedger}::bigint
              AND close_time >= ${timeOf(wanted.from)}::timestamptz AND close_time < ${timeOf(wanted.before)}::timestamptz
            ORDER BY ledger LIMIT ${limit}`.pipe(Effect.map((rows) => rows.map(({ ledger }) => ledger)))
      })
    })
  )
}
