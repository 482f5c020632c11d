/**
 * A job's events, batch by batch from its cursor, in ledger order. Nothing here remembers what was queued: a reading that
 * begins at a stored cursor gives what the one before it would have given.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { ledgerOfEventId } from "../domain/EventId.ts"
import { type HistoryStretch, historyEventOffset, historyEventsTopic } from "../domain/History.ts"
import { eventsTopic, type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import { matching, type ReplayFilters } from "../domain/Replay.ts"
import { EventLog, type EventLogError, type LogRecord } from "../log/EventLog.ts"
import type { NotAMarker } from "../log/LedgerMarkers.ts"
import { EventCounts, secondsBetween } from "../storage/EventCounts.ts"
import type { ClaimedJob, ReplayPlan } from "../storage/ReplayWork.ts"
import { makeHistoryScan } from "./History.ts"
import type { Places } from "./Places.ts"

export interface FoundEvent {
  readonly event: LedgerEvent
  /** Its place in the job's order. */
  readonly offset: number
  /** How a delivery's row tells where it stands in the log, where that is not `offset`. */
  readonly storedAt?: number
}

export interface Batch {
  readonly events: ReadonlyArray<FoundEvent>
  /** Wanted, and not there. */
  readonly missing: number
  /** Where the next batch begins. */
  readonly cursor: number
  readonly done: boolean
}

/** The next batch from the cursor. */
export type Reading = (cursor: number) => Effect.Effect<Batch, EventLogError | NotAMarker | SqlError.SqlError>

const eventOf = (record: LogRecord): LedgerEvent | undefined => parseLedgerEvent(record.value)

/** Everything from the cursor, an offset, to the plan's end. */
const makeScan = Effect.fnUntraced(function* (job: ClaimedJob, plan: ReplayPlan, filters: ReplayFilters) {
  const log = yield* EventLog
  const topic = eventsTopic(job.network)
  const wanted = matching(filters)
  /** Read, and not looked at yet. */
  let ahead: ReadonlyArray<LogRecord> = []

  const recordsFrom = (offset: number) => {
    const first = ahead[0]?.offset
    return first !== undefined && first >= offset
      ? Effect.succeed(ahead)
      : log.read({ topic, partition: 0, offset }, Limits.replayReadRecords)
  }

  const reading: Reading = Effect.fnUntraced(function* (from) {
    const events: Array<FoundEvent> = []
    let cursor = from
    let looked = 0
    while (cursor < plan.endOffset && looked < Limits.replayBatchRecords) {
      const records = yield* recordsFrom(cursor)
      if (records.length === 0) return { events, missing: 0, cursor: plan.endOffset, done: true }
      for (const [i, record] of records.entries()) {
        if (i % Limits.replayParseRecords === 0) yield* Effect.yieldNow
        if (record.offset >= plan.endOffset || events.length >= Limits.replayBatchEvents) {
          ahead = records.slice(i)
          cursor = Math.min(record.offset, plan.endOffset)
          return { events, missing: 0, cursor, done: cursor >= plan.endOffset }
        }
        const event = eventOf(record)
        if (event !== undefined && wanted(event)) events.push({ event, offset: record.offset })
        cursor = record.offset + 1
      }
      ahead = []
      looked += records.length
    }
    return { events, missing: 0, cursor, done: cursor >= plan.endOffset }
  })
  return reading
})

/** Which ledgers come after one, and which of a ledger's events are wanted. */
interface Wanted {
  readonly after: (ledger: number) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
  readonly has: (event: LedgerEvent) => boolean
  /** How many events are wanted of these ledgers, where that is known. */
  readonly countOf: (ledgers: ReadonlyArray<number>) => number | undefined
  /** How many are wanted of the ledgers before this one, where that is known. */
  readonly before: (ledger: number) => number
}

/** An id may name any number: one too large for a cursor is a ledger that is not there, like others. */
const ledgerOf = (eventId: string): number => Math.min(ledgerOfEventId(eventId), Number.MAX_SAFE_INTEGER)

const wantedIds = (eventIds: ReadonlyArray<string>): Wanted => {
  const counts = new Map<number, number>()
  for (const id of eventIds) counts.set(ledgerOf(id), (counts.get(ledgerOf(id)) ?? 0) + 1)
  const ledgers = [...counts.keys()].sort((a, b) => a - b)
  const ids = new Set(eventIds)
  const before = new Map<number, number>()
  let sum = 0
  for (const ledger of ledgers) {
    before.set(ledger, sum)
    sum += counts.get(ledger) ?? 0
  }
  return {
    after: (ledger) => {
      const next = ledgers.findIndex((one) => one > ledger)
      return Effect.succeed(next === -1 ? [] : ledgers.slice(next, next + Limits.replayBatchLedgers))
    },
    has: (event) => ids.has(event.event_id),
    countOf: (some) => some.reduce((all, ledger) => all + (counts.get(ledger) ?? 0), 0),
    before: (ledger) => before.get(ledger) ?? 0
  }
}

const wantedAccounts = Effect.fnUntraced(function* (job: ClaimedJob, filters: ReplayFilters) {
  const counts = yield* EventCounts
  const { accounts = [], event_types: eventTypes, since, until } = filters
  const bounds = {
    network: job.network,
    accounts,
    eventTypes,
    ...secondsBetween(since, until)
  }
  let known: ReadonlyArray<number> = []
  const wanted: Wanted = {
    after: Effect.fnUntraced(function* (ledger) {
      known = known.filter((one) => one > ledger)
      if (known.length === 0) known = yield* counts.ledgersOf(bounds, ledger, Limits.replayLedgerPage)
      return known.slice(0, Limits.replayBatchLedgers)
    }),
    has: matching(filters),
    countOf: () => undefined,
    before: () => 0
  }
  return wanted
})

/** The ledgers that hold what is wanted, and no others; the cursor is the last one read. */
const makeLookUp = Effect.fnUntraced(function* (
  { network }: ClaimedJob,
  { startOffset }: ReplayPlan,
  places: Places,
  wanted: Wanted
) {
  const log = yield* EventLog

  const eventsOf = Effect.fnUntraced(function* (ledger: number) {
    const place = yield* places.ofLedger(ledger)
    if (place === undefined || place.events === 0) return []
    const found = new Map<string, FoundEvent>()
    const { isHistory, offset } = place
    const topic = isHistory ? historyEventsTopic(network) : eventsTopic(network)
    const records = yield* log.read({ topic, partition: 0, offset }, place.events)
    for (const record of records) {
      const event = eventOf(record)
      if (event?.ledger_index !== ledger || !wanted.has(event)) continue
      found.set(
        event.event_id,
        isHistory
          ? {
              event,
              offset: startOffset + wanted.before(ledger) + found.size,
              storedAt: historyEventOffset(record.offset)
            }
          : { event, offset: record.offset }
      )
    }
    return [...found.values()]
  })

  const reading: Reading = Effect.fnUntraced(function* (cursor) {
    const ledgers = yield* wanted.after(cursor)
    const events: Array<FoundEvent> = []
    let read = 0
    while (read < ledgers.length && events.length < Limits.replayBatchEvents) {
      const some = ledgers.slice(read, read + Limits.replayLedgersAtOnce)
      const found = yield* Effect.forEach(some, eventsOf, { concurrency: Limits.replayLedgersAtOnce })
      events.push(...found.flat())
      read += some.length
    }
    const count = wanted.countOf(ledgers.slice(0, read))
    return {
      events,
      missing: count === undefined ? 0 : count - events.length,
      cursor: ledgers[read - 1] ?? cursor,
      done: ledgers.length === 0
    }
  })
  return reading
})

/** `history`: what comes before the service's own events; then nothing is looked up. */
export const makeReading = Effect.fnUntraced(function* (
  job: ClaimedJob,
  plan: ReplayPlan,
  places: Places,
  history: ReadonlyArray<HistoryStretch>
) {
  if (job.eventIds !== null) return yield* makeLookUp(job, plan, places, wantedIds(job.eventIds))
  const filters = job.filters ?? {}
  if (plan.byLedger) return yield* makeLookUp(job, plan, places, yield* wantedAccounts(job, filters))
  const scan = yield* makeScan(job, plan, filters)
  return history.length === 0 ? scan : yield* makeHistoryScan(job, plan, history, filters, scan)
})
