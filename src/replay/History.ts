/**
 * History in a job: what it asks for lies before the service's first ledger, so ingest fetches it (storage/HistoryRequests.ts)
 * and the job has no worker meanwhile. Its events then come before the service's own: places of a job count on downwards
 * from the first of those, so that all its ids, cursors and counts are as if they stood in one topic.
 */
import { Effect, Option } from "effect"
import { hasHistory, Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import {
  eventsOf,
  type HistoryStretch,
  historyEventOffset,
  historyEventsTopic,
  missingLedgers
} from "../domain/History.ts"
import { parseIsoTime } from "../domain/IsoTime.ts"
import { parseLedgerEvent } from "../domain/LedgerEvent.ts"
import { matching, type ReplayFilters } from "../domain/Replay.ts"
import { EventLog } from "../log/EventLog.ts"
import { firstLedger } from "../log/FirstLedger.ts"
import { EventCounts } from "../storage/EventCounts.ts"
import { HistoryRequests } from "../storage/HistoryRequests.ts"
import { HistoryStore } from "../storage/HistoryStore.ts"
import { estimateReplay } from "../storage/ReplayEstimate.ts"
import type { ClaimedJob, ReplayPlan } from "../storage/ReplayWork.ts"
import type { FoundEvent, Reading } from "./Reading.ts"

/** `stretches`: what comes before the service's own events, lowest ledger first. */
export type AskedHistory =
  | { readonly is: "none" | "open" }
  | { readonly is: "failed"; readonly error: string }
  | { readonly is: "ready"; readonly stretches: ReadonlyArray<HistoryStretch> }

/** Whether the job wants what closed before the service's first ledger, and there are servers for it. */
const isWanted = Effect.fnUntraced(function* ({ filters, network }: ClaimedJob) {
  if (!hasHistory(yield* Settings, network) || filters?.since === undefined) return false
  const first = yield* firstLedger(yield* EventLog, network)
  return first === undefined || parseIsoTime(first.close_time)! > filters.since
})

const GONE = "Some of the history was dropped by retention before it was replayed."

/** What has become of the job's wish for history; where nobody has asked for it yet, it is asked for now. */
export const historyOf = Effect.fnUntraced(function* (job: ClaimedJob) {
  const requests = yield* HistoryRequests
  const store = yield* HistoryStore
  // Event ids are looked for in all that is held, and nothing is fetched for them.
  if (job.eventIds !== null)
    return { is: "ready", stretches: yield* store.stretches(job.network) } satisfies AskedHistory
  const settled = yield* requests.find(job.id)
  if (Option.isNone(settled)) {
    if (job.plan !== undefined || !(yield* isWanted(job))) return { is: "none" } satisfies AskedHistory
    yield* requests.ask(job, job.filters!.since!)
    return { is: "open" } satisfies AskedHistory
  }
  if (settled.value.state === "failed")
    return { is: "failed", error: settled.value.error } satisfies AskedHistory
  const { beforeLedger, firstLedger: from } = settled.value
  const stretches = (yield* store.stretches(job.network)).filter(
    ({ firstLedger: first, lastLedger }) => lastLedger >= from && first < beforeLedger
  )
  // Of whole coverage there is one form only: another worker of the job gives every event the same place.
  return missingLedgers(from, beforeLedger, stretches) === 0
    ? ({ is: "ready", stretches } satisfies AskedHistory)
    : ({ is: "failed", error: GONE } satisfies AskedHistory)
})

/** Of a job whose history is held now; undefined where nothing more is known than when the job was made. */
export const estimateOf = Effect.fnUntraced(function* (
  { filters, network }: ClaimedJob,
  stretches: ReadonlyArray<HistoryStretch>
) {
  if (filters === null || stretches.length === 0) return undefined
  const from = { log: yield* EventLog, counts: yield* EventCounts, history: yield* HistoryStore }
  return yield* estimateReplay(from, network, filters, true)
})

/** `live`: the plan of the service's own events after the history. Pure. */
export const planWithHistory = (
  live: ReplayPlan,
  stretches: ReadonlyArray<HistoryStretch>,
  until: number | undefined
): ReplayPlan => {
  const tooLate = stretches.filter(
    ({ firstClosedAt }) => until !== undefined && firstClosedAt * 1_000 >= until
  )
  return {
    startOffset: live.startOffset - eventsOf(stretches),
    endOffset: tooLate.length > 0 ? live.startOffset - eventsOf(tooLate) : live.endOffset,
    byLedger: false
  }
}

interface Placed {
  readonly place: number
  readonly offset: number
  readonly value: string | null
}

/** The history's events from the cursor on, and after them what `live` gives. */
export const makeHistoryScan = Effect.fnUntraced(function* (
  { network }: ClaimedJob,
  plan: ReplayPlan,
  stretches: ReadonlyArray<HistoryStretch>,
  filters: ReplayFilters,
  live: Reading
) {
  const log = yield* EventLog
  const wanted = matching(filters)
  const partition = { topic: historyEventsTopic(network), partition: 0 }
  const liveStart = plan.startOffset + eventsOf(stretches)
  const end = Math.min(liveStart, plan.endOffset)
  let place = plan.startOffset
  const placed = stretches.map(({ eventOffset, events }) => {
    const from = place
    place += events
    return { from, before: place, eventOffset }
  })
  /** Read, and not looked at yet. */
  let ahead: ReadonlyArray<Placed> = []

  const recordsFrom = Effect.fnUntraced(function* (cursor: number) {
    if (ahead[0]?.place === cursor) return ahead
    const { before, eventOffset, from } = placed.find((one) => cursor < one.before)!
    const offset = eventOffset + cursor - from
    const records = yield* log.read(
      { ...partition, offset },
      Math.min(before - cursor, Limits.replayReadRecords)
    )
    if (records[0]?.offset !== offset)
      return yield* Effect.die(new Error(`${GONE} (${partition.topic}@${offset})`))
    return records.map((record) => ({
      place: cursor + record.offset - offset,
      offset: record.offset,
      value: record.value
    }))
  })

  const reading: Reading = Effect.fnUntraced(function* (from) {
    if (from >= end) return yield* live(from)
    const events: Array<FoundEvent> = []
    let cursor = from
    let looked = 0
    while (cursor < end && looked < Limits.replayBatchRecords) {
      const records = yield* recordsFrom(cursor)
      ahead = []
      for (const [i, { offset, place: at, value }] of records.entries()) {
        if (events.length >= Limits.replayBatchEvents) {
          ahead = records.slice(i)
          return { events, missing: 0, cursor: at, done: false }
        }
        const event = parseLedgerEvent(value)
        if (event !== undefined && wanted(event))
          events.push({ event, offset: at, storedAt: historyEventOffset(offset) })
        cursor = at + 1
      }
      looked += records.length
    }
    return { events, missing: 0, cursor, done: cursor >= plan.endOffset }
  })
  return reading
})
