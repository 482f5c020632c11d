/**
 * Reads a job's events in batches, in ledger order, from a cursor: either every event of the plan, or only the
 * ledgers that have wanted ones. A reader that starts at a stored cursor returns the same events with the same places
 * as the one before it.
 */

import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { type BackfillRange, eventTopicOf } from "../../spine/domain/Backfill.ts"
import { matching, type ReplayFilters } from "../../spine/domain/Replay.ts"
import { ledgerOfEventId } from "../../spine/event/EventId.ts"
import { type LedgerEvent, parseLedgerEvent } from "../../spine/event/LedgerEvent.ts"
import { Log, type LogError } from "../../spine/log/Log.ts"
import type { NotAMarker } from "../../spine/log/ledgers/LedgerMarkers.ts"
import type { EventId } from "../../spine/words/Ids.ts"
import { secondsBetween } from "../events/CloseTimes.ts"
import { EventCounts } from "../events/EventCounts.ts"
import { HISTORY_GONE } from "./JobHistory.ts"
import { replayLimits } from "./Limits.ts"
import type { Offsets } from "./Offsets.ts"
import type { ClaimedJob, ReplayPlan } from "./ReplayWork.ts"

/** Records per read. With smaller reads, the same rows of the embedded log would be decoded repeatedly. */
export const READ_RECORDS = 2_000

/** The most records that are read for one batch. */
const BATCH_RECORDS = 5 * READ_RECORDS

/** Ledgers in one batch of a job that reads single ledgers, and how many are read concurrently. */
const BATCH_LEDGERS = 100
const LEDGERS_AT_ONCE = 8

export interface FoundEvent {
  readonly event: LedgerEvent
  /** The event's number in the job's order. The delivery's id is derived from it. */
  readonly place: number
  readonly offset: number
  /** Whether `offset` is in the topic of history events. */
  readonly isHistory: boolean
}

export interface NextEvents {
  readonly events: ReadonlyArray<FoundEvent>
  /** The cursor at which the next batch begins. */
  readonly cursor: number
  readonly done: boolean
}

/** The next batch from the cursor. */
export type ReadNext = (
  cursor: number
) => Effect.Effect<NextEvents, LogError | NotAMarker | SqlError.SqlError>

/** Consecutive events of a topic, from `offset` on. They have the places `from` to `before` - 1. */
interface Segment {
  readonly isHistory: boolean
  readonly offset: number
  readonly from: number
  readonly before: number
}

/**
 * Returns the segments of history events, then those of the service's own events, whose places are their offsets.
 * Pure.
 */
export const segmentsOf = (
  { endOffset, startOffset }: ReplayPlan,
  history: ReadonlyArray<BackfillRange>
): ReadonlyArray<Segment> => {
  let from = startOffset
  const ranges = history.map(({ eventOffset, events }) => {
    const segment = { isHistory: true, offset: eventOffset, from, before: from + events }
    from = segment.before
    return segment
  })
  return [...ranges, { isHistory: false, offset: from, from, before: endOffset }]
}

/** Reads all events of the plan. The cursor is the place of the next one. */
const makeScanReader = Effect.fnUntraced(function* (
  job: ClaimedJob,
  plan: ReplayPlan,
  history: ReadonlyArray<BackfillRange>,
  filters: ReplayFilters
) {
  const log = yield* Log
  const segments = segmentsOf(plan, history)
  const wanted = matching(filters)

  const read = Effect.fnUntraced(function* (cursor: number) {
    const { before, from, isHistory, offset: first } = segments.find((segment) => cursor < segment.before)!
    const position = {
      topic: eventTopicOf(job.network, isHistory),
      partition: 0,
      offset: first + cursor - from
    }
    const records = yield* log.read(position, Math.min(before - cursor, READ_RECORDS))
    if (isHistory && records[0]?.offset !== position.offset)
      return yield* Effect.die(new Error(`${HISTORY_GONE} (${position.topic}@${position.offset})`))
    return records
      .map(({ offset, value }) => ({ isHistory, offset, value, place: from + offset - first }))
      .filter(({ place }) => place < before)
  })

  /** Records that were read and did not fit into the last batch. */
  let ahead: Effect.Success<ReturnType<typeof read>> = []
  const reading: ReadNext = Effect.fnUntraced(function* (from) {
    const events: Array<FoundEvent> = []
    let cursor = from
    let recordsRead = 0
    while (cursor < plan.endOffset && recordsRead < BATCH_RECORDS) {
      const records = ahead[0]?.place === cursor ? ahead : yield* read(cursor)
      ahead = []
      if (records.length === 0) cursor = plan.endOffset
      for (const [i, { value, ...found }] of records.entries()) {
        if (i % Limits.parsedRecords === 0) yield* Effect.yieldNow
        if (events.length === replayLimits.replayBatchEvents) {
          ahead = records.slice(i)
          return { events, cursor: found.place, done: false }
        }
        const event = parseLedgerEvent(value)
        if (event !== undefined && wanted(event)) events.push({ event, ...found })
        cursor = found.place + 1
      }
      recordsRead += records.length
    }
    return { events, cursor, done: cursor >= plan.endOffset }
  })
  return reading
})

/** Which ledgers to read, and which of their events are wanted. */
interface WantedEvents {
  /** Ascending. */
  readonly ledgers: ReadonlyArray<number>
  readonly has: (event: LedgerEvent) => boolean
  /** The place of the `n`th wanted event of the ledger. */
  readonly placeOf: (ledger: number, n: number, offset: number) => number
}

/** An id may contain any number. One that is too large for a cursor stands for a ledger that does not exist. */
const ledgerOf = (eventId: EventId): number => Math.min(ledgerOfEventId(eventId), Number.MAX_SAFE_INTEGER)

/** Places are numbers of ids, so they do not depend on which events exist. */
const wantedIds = (eventIds: ReadonlyArray<EventId>): WantedEvents => {
  const ids = new Set(eventIds)
  const sorted = eventIds.map(ledgerOf).sort((a, b) => a - b)
  const places = new Map<number, number>()
  for (const [i, ledger] of sorted.entries()) if (!places.has(ledger)) places.set(ledger, i)
  return {
    ledgers: [...places.keys()],
    has: (event) => ids.has(event.event_id),
    placeOf: (ledger, n) => places.get(ledger)! + n
  }
}

const wantedAccounts = Effect.fnUntraced(function* ({ network }: ClaimedJob, filters: ReplayFilters) {
  const counts = yield* EventCounts
  const { accounts, event_types: eventTypes, since, until } = filters
  return {
    ledgers: yield* counts.ledgersOf({ network, accounts, eventTypes, ...secondsBetween(since, until) }),
    has: matching(filters),
    placeOf: (_ledger, _n, offset) => offset
  } satisfies WantedEvents
})

/** Reads only the ledgers with wanted events. The cursor is the last ledger that was read. */
const makeLedgerReader = Effect.fnUntraced(function* (
  job: ClaimedJob,
  { endOffset }: ReplayPlan,
  offsets: Offsets,
  { has, ledgers, placeOf }: WantedEvents
) {
  const log = yield* Log

  const eventsOf = Effect.fnUntraced(function* (ledger: number) {
    const begin = yield* offsets.ofLedger(ledger)
    if (begin === undefined || begin.events === 0) return []
    const { isHistory } = begin
    const position = { topic: eventTopicOf(job.network, isHistory), partition: 0, offset: begin.offset }
    const records = yield* log.read(position, begin.events)
    const found: Array<FoundEvent> = []
    for (const { offset, value } of records) {
      const event = parseLedgerEvent(value)
      if (event?.ledger_index !== ledger || !has(event)) continue
      found.push({ event, place: placeOf(ledger, found.length, offset), offset, isHistory })
    }
    // The tables may contain events that are newer than the job.
    return found.filter(({ place }) => place < endOffset)
  })

  const reading: ReadNext = Effect.fnUntraced(function* (cursor) {
    const left = ledgers.filter((ledger) => ledger > cursor)
    const events: Array<FoundEvent> = []
    let read = 0
    while (read < Math.min(left.length, BATCH_LEDGERS) && events.length < replayLimits.replayBatchEvents) {
      const some = left.slice(read, read + LEDGERS_AT_ONCE)
      const found = yield* Effect.forEach(some, eventsOf, { concurrency: LEDGERS_AT_ONCE })
      events.push(...found.flat())
      read += some.length
    }
    return { events, cursor: left[read - 1] ?? cursor, done: read === left.length }
  })
  return reading
})

/** `history`: the events before the service's own ones. */
export const makeEventReader = Effect.fnUntraced(function* (
  job: ClaimedJob,
  plan: ReplayPlan,
  offsets: Offsets,
  history: ReadonlyArray<BackfillRange>
) {
  if (job.eventIds !== null) return yield* makeLedgerReader(job, plan, offsets, wantedIds(job.eventIds))
  const filters = job.filters ?? {}
  return yield* plan.byLedger
    ? makeLedgerReader(job, plan, offsets, yield* wantedAccounts(job, filters))
    : makeScanReader(job, plan, history, filters)
})
