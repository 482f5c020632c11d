/**
 * How a job reads. Event ids name their ledgers, so only those are read. Filters are read from where their time begins in
 * the log to where it ends; if they name accounts with few events, by the ledgers that the event log knows of them.
 */
import { Effect, Schedule } from "effect"
import { Limits } from "../config/Limits.ts"
import { estimateReplay } from "../coverage/ReplayEstimate.ts"
import { eventsOf, type HistoryStretch } from "../domain/History.ts"
import { EVENT_LOG_GROUP, eventsTopic } from "../domain/LedgerEvent.ts"
import { EventLog } from "../log/EventLog.ts"
import { EventCounts } from "../storage/events/EventCounts.ts"
import { HistoryStore } from "../storage/events/HistoryStore.ts"
import type { ClaimedJob, ReplayPlan } from "../storage/replays/ReplayWork.ts"
import type { Offsets } from "./Offsets.ts"

/** Whether looking its ledgers up takes less than reading all of `offsets` events. Pure. */
export const isCheaperByLedger = (estimatedEvents: number, offsets: number): boolean =>
  estimatedEvents <= Limits.replayLookups && estimatedEvents * Limits.replayLookupEvents < offsets

/** Whether the event log's tables hold all events before the offset; waits a little until they do. */
const isIndexed = Effect.fnUntraced(function* ({ network }: ClaimedJob, endOffset: number) {
  const log = yield* EventLog
  const partition = { topic: eventsTopic(network), partition: 0 }
  return yield* log.committed(EVENT_LOG_GROUP, partition).pipe(
    // The record decides, and not the offset: Kafka's offsets count its transactions' markers too.
    Effect.flatMap((offset) => log.read({ ...partition, offset }, 1)),
    Effect.map(([next]) => next === undefined || next.offset >= endOffset),
    Effect.repeat({ until: (indexed) => indexed, schedule: Schedule.spaced(Limits.replayIndexPollMs) }),
    Effect.timeoutOrElse({ duration: Limits.replayIndexWaitMs, orElse: () => Effect.succeed(false) })
  )
})

/** `history`: what comes before the service's own events, lowest ledger first. */
export const planJob = Effect.fnUntraced(function* (
  job: ClaimedJob,
  offsets: Offsets,
  history: ReadonlyArray<HistoryStretch>
) {
  const { eventIds, filters } = job
  if (filters === null)
    return { startOffset: 0, endOffset: eventIds!.length, byLedger: true } satisfies ReplayPlan

  const log = yield* EventLog
  const { start } = yield* log.offsets({ topic: eventsTopic(job.network), partition: 0 })
  const { until } = filters
  // History reaches up to the service's first ledger: what closed earlier is not read a second time.
  const since = Math.max(filters.since ?? 0, (history.at(-1)?.lastClosedAt ?? 0) * 1_000)
  const from = since === 0 ? start : yield* offsets.firstEvent((ms) => ms > since, "any range")
  const to = until === undefined ? undefined : yield* offsets.firstEvent((ms) => ms >= until, "every range")
  const endOffset = Math.min(job.endOffset, to ?? job.endOffset)
  const liveOffset = Math.min(endOffset, Math.max(start, from ?? endOffset))
  // Places count on downwards from the service's first event, as if all stood in one topic.
  const startOffset = liveOffset - eventsOf(history)
  const byLedger =
    history.length === 0 &&
    filters.accounts !== undefined &&
    isCheaperByLedger(job.totalEvents, endOffset - startOffset) &&
    (yield* isIndexed(job, endOffset))
  return { startOffset, endOffset, byLedger } satisfies ReplayPlan
})

/** Of a job whose history is held now; undefined where nothing more is known than when the job was made. */
export const estimateWithHistory = Effect.fnUntraced(function* (
  { filters, network }: ClaimedJob,
  history: ReadonlyArray<HistoryStretch>
) {
  if (filters === null || history.length === 0) return undefined
  const from = { log: yield* EventLog, counts: yield* EventCounts, history: yield* HistoryStore }
  return yield* estimateReplay(from, network, filters, true)
})
