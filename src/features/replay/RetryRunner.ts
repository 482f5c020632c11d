/**
 * Runs one retry job from its stored progress to its end. The job sends deliveries of one webhook again, with the
 * same ids, that failed or wait for their next attempt. A batch is: check whether the job may continue → read rows →
 * read their events → store states, work and progress in one SQL transaction (replay/RetryWork.ts). The
 * outbox publishes the work to the topic of replays, so live deliveries are sent first. The job waits while too many
 * of the deliveries that it queued have not been attempted.
 */

import { Clock, Effect } from "effect"
import type { RetriedDelivery } from "../../spine/deliveries/Transitions.ts"
import type { RetryFilters } from "../../spine/domain/Replay.ts"
import { parseLedgerEvent } from "../../spine/event/LedgerEvent.ts"
import { StoredEvents } from "../../spine/log/ledgers/StoredEvents.ts"
import { retryUntilSuccess } from "../../spine/observe/RetryUntilSuccess.ts"
import { traced } from "../../spine/observe/Tracing.ts"
import { CANCELLED, COMPLETED, QUOTA_USED_UP, webhookEndOf } from "./Endings.ts"
import { replayLimits } from "./Limits.ts"
import { type ClaimedJob, type JobOwnership, ReplayWork } from "./ReplayWork.ts"
import type { RetryablePage } from "./Retryable.ts"
import { type RetryBatch, RetryWork } from "./RetryWork.ts"

/** How often the job of a suspended account checks whether it may resume. */
export const SUSPENDED_POLL_MS = 500

/** How often a job that waits for its retries checks how many are left: each check looks up 1,000 rows. */
const AHEAD_POLL_MS = 250

/** The page's deliveries with their events. */
const batchOf = Effect.fnUntraced(function* (job: ClaimedJob, fromId: string, page: RetryablePage) {
  const stored = yield* StoredEvents
  const eventAt = yield* stored.at(
    job.network,
    page.deliveries.flatMap(({ position }) => position ?? [])
  )
  const deliveries = page.deliveries.flatMap(({ id, position, testEvent }) => {
    const event = position === null ? parseLedgerEvent(testEvent) : eventAt(position)
    return event === undefined ? [] : [{ id, event }]
  })
  const gone = page.deliveries.length - deliveries.length
  return { deliveries, gone, fromId, nextId: page.nextId } satisfies RetryBatch
})

/** Returns how the job ends; undefined if another worker has taken the job. */
export const retryDeliveries = Effect.fnUntraced(function* (job: ClaimedJob, filters: RetryFilters) {
  const jobs = yield* ReplayWork
  const retries = yield* RetryWork
  let ownership: JobOwnership = "held"
  let fromId = job.nextDeliveryId
  /** The newest that were queued, `replayLimits.replayAhead` at most. */
  let recent: ReadonlyArray<RetriedDelivery> = []

  while (ownership === "held") {
    const now = yield* Clock.currentTimeMillis
    const conditions = yield* jobs
      .conditions(job, now)
      .pipe(retryUntilSuccess("reading whether a retry job may continue"))
    ownership = conditions.ownership
    if (ownership !== "held") break
    const end = webhookEndOf(conditions.webhook)
    if (end !== undefined) return end
    if (conditions.suspended) {
      yield* Effect.sleep(SUSPENDED_POLL_MS)
      continue
    }
    if (recent.length > replayLimits.replayAhead - replayLimits.replayBatchEvents) {
      const waiting = yield* retries
        .waiting(recent)
        .pipe(retryUntilSuccess("reading what a retry job has queued"))
      if (waiting > replayLimits.replayAhead - replayLimits.replayBatchEvents) {
        yield* Effect.sleep(AHEAD_POLL_MS)
        continue
      }
    }
    const read = Effect.gen(function* () {
      const page = yield* retries.page(job, filters, fromId)
      return { batch: yield* batchOf(job, fromId, page), done: page.done }
    })
    const { batch, done } = yield* read.pipe(retryUntilSuccess("reading deliveries to retry"))
    const retrying = retries.retry(job, filters, batch, conditions.quotaLeft, now)
    const {
      ownership: after,
      queued,
      cut
    } = yield* traced(
      retrying.pipe(retryUntilSuccess("queueing retries of deliveries")),
      "retry deliveries",
      (retried) => ({ job_id: job.id, deliveries: retried.queued.length })
    )
    ownership = after
    if (ownership === "held" && cut) return QUOTA_USED_UP
    if (ownership === "held" && done) return COMPLETED
    fromId = batch.nextId
    recent = [...recent, ...queued].slice(-replayLimits.replayAhead)
  }
  return ownership === "cancelled" ? CANCELLED : undefined
})
