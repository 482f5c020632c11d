/**
 * How a job reads. A job by event ids reads only the ledgers that the ids name. A job by filters reads its span of
 * time in the log; if its accounts have few events, it reads only the ledgers that the event index names for them.
 */

import { Effect, Schedule } from "effect"
import { type BackfillRange, eventsOf } from "../../spine/domain/Backfill.ts"
import { EVENT_LOG_GROUP, eventsTopic } from "../../spine/event/LedgerEvent.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { Log } from "../../spine/log/Log.ts"
import { EventCounts } from "../events/EventCounts.ts"
import { replayLimits } from "./Limits.ts"
import type { Offsets } from "./Offsets.ts"
import { estimateReplay } from "./ReplayEstimate.ts"
import type { ClaimedJob, ReplayPlan } from "./ReplayWork.ts"

/** How long a job waits for the event index's tables to catch up. After that it reads all events instead. */
const INDEX_WAIT_MS = 10_000

/** How often the job checks whether the tables have caught up. */
const INDEX_POLL_MS = 250

/** Finding and reading one ledger takes as long as reading this many events in order. */
const LOOKUP_EVENTS = 200

/** Whether reading single ledgers costs less than reading all of `offsets` events. Pure. */
export const isCheaperByLedger = (estimatedEvents: number, offsets: number): boolean =>
  estimatedEvents <= replayLimits.replayLookups && estimatedEvents * LOOKUP_EVENTS < offsets

/** Whether the event index's tables have all events before the offset. Waits up to `INDEX_WAIT_MS` for them. */
const isIndexed = Effect.fnUntraced(function* ({ network }: ClaimedJob, endOffset: number) {
  const log = yield* Log
  const partition = { topic: eventsTopic(network), partition: 0 }
  return yield* log.committed(EVENT_LOG_GROUP, partition).pipe(
    // Compare the next record, not the committed offset: Kafka's transaction markers take offsets too.
    Effect.flatMap((offset) => log.read({ ...partition, offset }, 1)),
    Effect.map(([next]) => next === undefined || next.offset >= endOffset),
    Effect.repeat({ until: (indexed) => indexed, schedule: Schedule.spaced(INDEX_POLL_MS) }),
    Effect.timeoutOrElse({ duration: INDEX_WAIT_MS, orElse: () => Effect.succeed(false) })
  )
})

/** `history`: the events before the service's own ones, lowest ledger first. */
export const planJob = Effect.fnUntraced(function* (
  job: ClaimedJob,
  offsets: Offsets,
  history: ReadonlyArray<BackfillRange>
) {
  const { eventIds, filters } = job
  if (filters === null)
    return { startOffset: 0, endOffset: eventIds!.length, byLedger: true } satisfies ReplayPlan

  const log = yield* Log
  const { start } = yield* log.offsets({ topic: eventsTopic(job.network), partition: 0 })
  const { until } = filters
  // History ends where the service's own ledgers begin: do not read its ledgers a second time.
  const since = Math.max(filters.since ?? 0, (history.at(-1)?.lastClosedAt ?? 0) * 1_000)
  const from = since === 0 ? start : yield* offsets.firstEvent((ms) => ms > since, "any range")
  const to = until === undefined ? undefined : yield* offsets.firstEvent((ms) => ms >= until, "every range")
  const endOffset = Math.min(job.endOffset, to ?? job.endOffset)
  const liveOffset = Math.min(endOffset, Math.max(start, from ?? endOffset))
  // History events get the places directly below the service's first event, as if all were in one topic.
  const startOffset = liveOffset - eventsOf(history)
  const byLedger =
    history.length === 0 &&
    filters.accounts !== undefined &&
    isCheaperByLedger(job.totalEvents, endOffset - startOffset) &&
    (yield* isIndexed(job, endOffset))
  return { startOffset, endOffset, byLedger } satisfies ReplayPlan
})

/** A new estimate once the job's history is in the log; undefined if the job has no history. */
export const estimateWithBackfill = Effect.fnUntraced(function* (
  { filters, network }: ClaimedJob,
  history: ReadonlyArray<BackfillRange>
) {
  if (filters === null || history.length === 0) return undefined
  const from = { log: yield* Log, counts: yield* EventCounts, history: yield* BackfillStore }
  return (yield* estimateReplay(from, network, filters, true)).events
})
