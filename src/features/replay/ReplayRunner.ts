/**
 * Runs one job to its end. A batch is: check whether the job may continue → read events → insert `pending` rows,
 * whose ids derive from job and event → append work to `webhooks.replays` → store the cursor. A crash between any two
 * steps repeats the batch with the same ids; the actor drops the second record of an attempt. A job waits while the
 * database or the log is down, and while too many of its deliveries wait for their first attempt.
 */

import { Clock, Effect } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import { DeliveryStore } from "../../spine/deliveries/DeliveryStore.ts"
import type { NewDelivery } from "../../spine/deliveries/Transitions.ts"
import { newWork, REPLAYS_TOPIC } from "../../spine/domain/Delivery.ts"
import { replayDeliveryId } from "../../spine/domain/Replay.ts"
import { Log } from "../../spine/log/Log.ts"
import { NotAMarker } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { retryUntilSuccess } from "../../spine/observe/RetryUntilSuccess.ts"
import { traced } from "../../spine/observe/Tracing.ts"
import { CANCELLED, COMPLETED, failed, jobEndOf, QUOTA_USED_UP } from "./Endings.ts"
import { type FoundEvent, makeEventReader } from "./EventReader.ts"
import { historyOf } from "./JobHistory.ts"
import { replayLimits } from "./Limits.ts"
import { makeOffsets } from "./Offsets.ts"
import { estimateWithBackfill, planJob } from "./ReplayPlan.ts"
import {
  type ClaimedJob,
  type JobOwnership,
  type ReplayConditions,
  type ReplayPlan,
  ReplayWork
} from "./ReplayWork.ts"
import { retryDeliveries, SUSPENDED_POLL_MS } from "./RetryRunner.ts"

/** How often a job that is at the limit `replayAhead` is checked again. */
const AHEAD_POLL_MS = 25

/** How long the job waits before its conditions are checked again. 0: its next batch may be queued. Pure. */
export const waitBeforeBatchMs = ({ suspended, waiting }: ReplayConditions): number => {
  if (suspended) return SUSPENDED_POLL_MS
  return waiting > replayLimits.replayAhead - replayLimits.replayBatchEvents ? AHEAD_POLL_MS : 0
}

/** The deliveries of these events: their rows, and the work of their first attempts. */
const toQueue = (job: ClaimedJob, { startOffset }: ReplayPlan, events: ReadonlyArray<FoundEvent>) =>
  events.map(({ event, isHistory, offset, place }) => {
    const id = replayDeliveryId({ ...job, startOffset }, place, event.event_id)
    const row: NewDelivery = {
      id,
      webhookId: job.webhookId,
      accountId: job.accountId,
      network: job.network,
      eventId: event.event_id,
      eventType: event.event_type,
      eventOffset: offset,
      fromHistory: isHistory,
      replayJobId: job.id
    }
    return { row, work: { ...newWork(id, job.webhookId, event), replay: true as const } }
  })

const makeQueue = Effect.fnUntraced(function* (job: ClaimedJob, plan: ReplayPlan) {
  const log = yield* Log
  const deliveries = yield* DeliveryStore

  return Effect.fnUntraced(function* (events: ReadonlyArray<FoundEvent>) {
    if (events.length === 0) return
    const queued = toQueue(job, plan, events)
    const now = yield* Clock.currentTimeMillis
    const rows = queued.map(({ row }) => row)
    const notStored = yield* deliveries
      .insertPending(rows, now)
      .pipe(retryUntilSuccess("queueing replayed deliveries"))
    const append = queued.flatMap(({ row, work }) =>
      notStored.has(row.id) ? [] : [{ topic: REPLAYS_TOPIC, key: job.webhookId, value: JSON.stringify(work) }]
    )
    // Retried after an unknown result: the log may then have it twice, and the actor drops the second one.
    yield* log.transaction({ append }).pipe(retryUntilSuccess("queueing replayed deliveries"))
  })
})

/** Retries until it succeeds, except if a marker cannot be read: retrying would not help. */
const readWithRetries =
  (what: string) =>
  <A, E, R>(self: Effect.Effect<A, E | NotAMarker, R>): Effect.Effect<A, never, R> =>
    self.pipe(
      Effect.catchIf((error) => error instanceof NotAMarker, Effect.die),
      retryUntilSuccess(what)
    )

/** Returns how the job ends, or `waits` if it needs history. Undefined if another worker has taken the job. */
const runBatches = Effect.fnUntraced(function* (job: ClaimedJob) {
  const jobs = yield* ReplayWork
  const log = yield* Log
  const asked = yield* historyOf(job).pipe(readWithRetries("requesting history for a replay"))
  if (asked.state === "open") return "waits" as const
  const history = asked.state === "ready" ? asked.ranges : []
  const offsets = yield* makeOffsets(log, job.network, history).pipe(
    readWithRetries("reading the ledgers of the log")
  )

  const planned = Effect.fnUntraced(function* () {
    const plan = yield* planJob(job, offsets, history).pipe(readWithRetries("finding where a replay begins"))
    const cursor = plan.byLedger ? 0 : plan.startOffset
    const total = yield* estimateWithBackfill(job, history).pipe(retryUntilSuccess("estimating a replay"))
    const ownership = yield* jobs
      .plan(job, plan, cursor, total)
      .pipe(retryUntilSuccess("writing a replay's plan"))
    return { plan, ownership, cursor }
  })
  const begin: { readonly plan: ReplayPlan; readonly ownership: JobOwnership; readonly cursor: number } =
    job.plan === undefined ? yield* planned() : { plan: job.plan, ownership: "held", cursor: job.cursor }
  const { plan } = begin
  const reading = yield* makeEventReader(job, plan, offsets, history).pipe(
    retryUntilSuccess("finding the ledgers of a replay")
  )
  const queue = yield* makeQueue(job, plan)

  let { ownership, cursor } = begin
  let { processedEvents } = job
  let nextOffset = job.plan === undefined ? plan.startOffset : job.nextOffset

  while (ownership === "held") {
    const conditions = yield* Effect.flatMap(Clock.currentTimeMillis, (now) =>
      jobs.conditions(job, now)
    ).pipe(retryUntilSuccess("checking whether a replay may continue"))
    ownership = conditions.ownership
    if (ownership !== "held") break
    const end = jobEndOf(conditions)
    if (end !== undefined) return end
    if (asked.state === "failed") return failed(asked.error)
    const waitMs = waitBeforeBatchMs(conditions)
    if (waitMs > 0) {
      yield* Effect.sleep(waitMs)
      continue
    }
    const batch = yield* reading(cursor).pipe(readWithRetries("reading events to replay"))
    const most = conditions.quotaLeft ?? batch.events.length
    const events = batch.events.slice(0, most)
    yield* traced(queue(events), "replay events", () => ({ job_id: job.id, events: events.length }))
    const cut = events.length < batch.events.length
    processedEvents += events.length
    nextOffset = (events.at(-1)?.place ?? nextOffset - 1) + 1
    // A batch that was cut to the quota is the last one: the job ends here.
    cursor = cut ? cursor : batch.cursor
    ownership = yield* jobs
      .advance(job, { processedEvents, cursor, nextOffset })
      .pipe(retryUntilSuccess("writing a replay's progress"))
    if (ownership === "held" && cut) return QUOTA_USED_UP
    if (ownership === "held" && batch.done) return COMPLETED
  }
  return ownership === "cancelled" ? CANCELLED : undefined
})

/** Ends when another worker has taken the job. */
const renewUntilLost = (job: ClaimedJob) =>
  Effect.flatMap(ReplayWork, (jobs) =>
    Effect.sleep(Limits.leaseRenewMs).pipe(
      Effect.andThen(jobs.renew(job).pipe(retryUntilSuccess("renewing a replay's lease"))),
      Effect.repeat({ until: (ownership) => ownership === "lost" }),
      Effect.as(undefined)
    )
  )

/** Runs a claimed job until it ends or is lost. If interrupted, releases it for another worker. */
export const runJob = Effect.fnUntraced(function* (job: ClaimedJob) {
  const jobs = yield* ReplayWork
  const { retry } = job
  const running = Effect.gen(function* () {
    return retry === null ? yield* runBatches(job) : yield* retryDeliveries(job, retry)
  })
  const end = yield* Effect.raceFirst(running, renewUntilLost(job)).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(`replay job ${job.id} failed`, defect),
        failed("The service could not replay these events.")
      )
    ),
    Effect.onInterrupt(() => jobs.release(job).pipe(Effect.timeout(Limits.databaseConnectMs), Effect.ignore))
  )
  if (end === "waits")
    return yield* jobs.release(job).pipe(retryUntilSuccess("releasing a replay that waits for history"))
  const now = yield* Clock.currentTimeMillis
  if (end === undefined)
    return yield* jobs.abandon(job, now).pipe(retryUntilSuccess("leaving a replay to another worker"))
  yield* jobs.end(job, end, now).pipe(retryUntilSuccess("ending a replay"))
  yield* Effect.logInfo(`replay job ${job.id} ${end.status}${end.error === null ? "" : `: ${end.error}`}`)
})
