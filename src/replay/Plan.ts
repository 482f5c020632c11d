/**
 * How a job reads: event ids name their ledgers, so only those are read; filters are read from where their time begins
 * to where it ends, or, when they name accounts with few events, by the ledgers that the event log knows of them.
 */
import { Effect, Schedule } from "effect"
import { Limits } from "../config/Limits.ts"
import type { HistoryStretch } from "../domain/History.ts"
import { eventsTopic } from "../domain/LedgerEvent.ts"
import { EventLog } from "../log/EventLog.ts"
import type { ClaimedJob, ReplayPlan } from "../storage/ReplayWork.ts"
import { firstUnindexed } from "../storage/Unindexed.ts"
import { planWithHistory } from "./History.ts"
import type { Places } from "./Places.ts"

/** Whether looking its ledgers up takes less than reading all of `offsets` events. Pure. */
export const worthLookingUp = (estimatedEvents: number, offsets: number): boolean =>
  estimatedEvents * Limits.replayLookupEvents < offsets && estimatedEvents <= Limits.replayCountedRows

/** `history`: what comes before the service's own events, lowest ledger first. */
export const planJob = Effect.fnUntraced(function* (
  job: ClaimedJob,
  places: Places,
  history: ReadonlyArray<HistoryStretch>
) {
  const log = yield* EventLog
  const partition = { topic: eventsTopic(job.network), partition: 0 }
  const { start } = yield* log.offsets(partition)
  const { endOffset, filters } = job
  if (filters === null) {
    // What is found in the history takes the places before the first event of the service's own.
    const startOffset = start - (job.eventIds?.length ?? 0)
    return { startOffset, endOffset, byLedger: true } satisfies ReplayPlan
  }

  const { until } = filters
  // History goes on to the service's first ledger, and nothing before that is in both.
  const since = Math.max(filters.since ?? 0, (history.at(-1)?.lastClosedAt ?? 0) * 1_000)
  const from = since === 0 ? start : yield* places.firstEvent((ms) => ms > since, "any range")
  const to = until === undefined ? undefined : yield* places.firstEvent((ms) => ms >= until, "every range")
  const end = Math.min(endOffset, to ?? endOffset)
  const plan = {
    startOffset: Math.min(end, Math.max(start, from ?? end)),
    endOffset: end,
    byLedger: false
  }
  if (history.length > 0) return planWithHistory(plan, history, until)
  if (filters.accounts === undefined) return plan
  if (!worthLookingUp(job.estimatedEvents, plan.endOffset - plan.startOffset)) return plan
  // The index must hold all that the log held when the job was made.
  const isIndexed = yield* firstUnindexed(log, job.network).pipe(
    Effect.map((lacking) => lacking === undefined || lacking.offset >= plan.endOffset),
    Effect.repeat({ until: (indexed) => indexed, schedule: Schedule.spaced(Limits.replayIndexLookMs) }),
    Effect.timeoutOrElse({ duration: Limits.replayIndexWaitMs, orElse: () => Effect.succeed(false) })
  )
  return { ...plan, byLedger: isIndexed }
})
