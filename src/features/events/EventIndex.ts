/**
 * Writes the event index: events, their accounts and their count by hour, in one transaction, once each. Partitions are
 * made for the days of the ledgers, dropped whole after RETENTION_EVENTS, and not made again.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { includables, includedFields } from "../../spine/event/Include.ts"
import type { LedgerEvent } from "../../spine/event/LedgerEvent.ts"
import { DAY_MS, DAYS_AHEAD, makeTimePartitions } from "../../spine/log/TimePartitions.ts"
import { makeClockTrust } from "../../spine/observe/ClockTrust.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { column } from "../../spine/store/Columns.ts"

/** Days in one table partition of the event index: see store/migrations/0006_events.ts. */
export const PARTITION_DAYS = 30

const includedJson = (event: LedgerEvent): string | null => {
  const included = JSON.stringify(includedFields(event, includables))
  return included === "{}" ? null : included
}

export class EventIndex extends Context.Service<EventIndex>()("ledgerhook/storage/EventIndex", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { retentionEventsMs } = yield* Settings
    const partitions = yield* makeTimePartitions({
      tables: ["event_accounts", "events"],
      days: PARTITION_DAYS,
      boundAt: (unixMs) => new Date(unixMs).toISOString()
    })

    const write = (events: ReadonlyArray<LedgerEvent>) => {
      const involved = events.flatMap((event) => event.accounts.map((account) => ({ event, account })))
      return sql`
        WITH involved AS (
          INSERT INTO event_accounts (network, account, event_type, close_time, ledger_index, position)
          SELECT * FROM unnest(
            ${column(involved.map(({ event }) => event.network))}::text[],
            ${column(involved.map(({ account }) => account))}::text[],
            ${column(involved.map(({ event }) => event.event_type))}::text[],
            ${column(involved.map(({ event }) => event.timestamp))}::timestamptz[],
            ${column(involved.map(({ event }) => event.ledger_index))}::bigint[],
            ${column(involved.map(({ event }) => event.position))}::int[])
          ON CONFLICT DO NOTHING
        ), written AS (
        INSERT INTO events (network, close_time, ledger_index, position, event_type, event_id, payload, included)
        SELECT * FROM unnest(
          ${column(events.map((event) => event.network))}::text[],
          ${column(events.map((event) => event.timestamp))}::timestamptz[],
          ${column(events.map((event) => event.ledger_index))}::bigint[],
          ${column(events.map((event) => event.position))}::int[],
          ${column(events.map((event) => event.event_type))}::text[],
          ${column(events.map((event) => event.event_id))}::text[],
          ${column(events.map((event) => JSON.stringify(event.payload)))}::text[],
          ${column(events.map(includedJson))}::text[])
        ON CONFLICT DO NOTHING
        RETURNING network, event_type, close_time
        )
        INSERT INTO event_hours AS total (network, event_type, hour, events)
        SELECT network, event_type, date_trunc('hour', close_time, 'UTC') AS hour, count(*) FROM written
        GROUP BY network, event_type, hour ORDER BY network, event_type, hour
        ON CONFLICT (network, event_type, hour) DO UPDATE SET events = total.events + excluded.events`
    }

    return {
      /** Inserts events that are new and not past retention at `nowMs`, in one transaction. */
      insert: Effect.fnUntraced(function* (events: ReadonlyArray<LedgerEvent>, nowMs: number) {
        // Compares whole partitions, as `drop` does: a dropped partition is not made again for a ledger that arrives
        // late.
        const oldestKeptMs = partitions.startOf(nowMs - retentionEventsMs)
        const kept = events.filter(({ timestamp }) => Date.parse(timestamp) >= oldestKeptMs)
        if (kept.length === 0) return
        for (const timestamp of new Set(kept.map((event) => event.timestamp))) {
          yield* partitions.ensure(Date.parse(timestamp), Date.parse(timestamp))
        }
        // If a partition is missing now, another process with a faster clock has dropped it.
        yield* write(kept).pipe(Effect.onError(() => partitions.forget))
      }),

      makeAhead: (nowMs: number) => partitions.ensure(nowMs, nowMs + DAYS_AHEAD * DAY_MS),

      /** Drops partitions past retention; returns how many. */
      applyRetention: Effect.fnUntraced(function* (nowMs: number) {
        const beforeMs = nowMs - retentionEventsMs
        const dropped = yield* partitions.drop(beforeMs)
        const oldestKept = new Date(partitions.startOf(beforeMs)).toISOString()
        yield* sql`DELETE FROM event_hours WHERE hour < ${oldestKept}::timestamptz`
        return dropped
      }),

      /** Summarises new blocks in the index by transaction. Until then every search for a transaction reads them. */
      summarise: sql`
        SELECT brin_summarize_new_values(inhrelid) FROM pg_inherits
        WHERE inhparent = 'events_by_transaction'::regclass`.pipe(Effect.asVoid)
    }
  })
}) {
  static readonly layer = Layer.effect(EventIndex, EventIndex.make)
}

/** Makes partitions ahead, drops those past RETENTION_EVENTS, and keeps the index by transaction up to date, hourly. */
export const maintainEvents = Effect.gen(function* () {
  const store = yield* EventIndex
  const isTrusted = yield* makeClockTrust("retention of the event index")
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* store.makeAhead(now)
    const dropped = (yield* isTrusted) ? yield* store.applyRetention(now) : 0
    if (dropped > 0) yield* Effect.logInfo(`retention dropped ${dropped} partitions of the event index`)
    yield* store.summarise
  })
  return yield* once.pipe(repeatEvery("retention of the event index", Limits.maintenanceMs))
})
