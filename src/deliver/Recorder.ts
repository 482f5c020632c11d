/**
 * Records the outcomes of all actors in batches: rows and attempts are written, then one transaction of the log appends
 * the retries, then the work is settled and its offsets may be committed. A crash in between repeats an attempt or a
 * record and loses none. Work from the backlog has no record in the log that comes again, so its retry is appended
 * before its row is written. If the database or the log is down, outcomes wait; the actors' limits bound them. While a
 * batch is written, the next one is being sent.
 */
import { Clock, Context, Effect, Fiber, Latch, Layer } from "effect"
import { Settings } from "../config/Config.ts"
import { StageLimits } from "../config/StageLimits.ts"
import { type DeliveryWork, delayTopic } from "../domain/Delivery.ts"
import { monotonicClock } from "../domain/Monotonic.ts"
import { delayOf, type RetryPolicy } from "../domain/RetryPolicy.ts"
import { Log, type NewRecord } from "../log/Log.ts"
import { Metrics } from "../observability/Metrics.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { showAge } from "../observability/StageAges.ts"
import { traced } from "../observability/Tracing.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import type { AttemptRecord, FirstAttempt, NewDelivery } from "../storage/deliveries/Transitions.ts"
import { WebhookStore } from "../storage/webhooks/WebhookStore.ts"
import { type ShownOutcome, showAttempts } from "./AttemptsShown.ts"
import { makeResponseBudget } from "./ResponseBudget.ts"
import { makeSlidingCount } from "./SlidingCount.ts"

export interface Outcome extends ShownOutcome {
  /** Undefined if the attempt is recorded already, and only its retry may be missing, or the work came too early. */
  readonly attempt: AttemptRecord | undefined
  readonly retry: DeliveryWork | undefined
  /** Whether the work came from the backlog. The log then has no record of it that must be committed. */
  readonly fromBacklog: boolean
  /** Called when the attempt is recorded and the retry is appended. */
  readonly onSettled: () => void
}

const retryRecord = (
  policy: RetryPolicy,
  { attempt, retry }: Outcome,
  earlyWorkMs: number,
  nowMs: number
): ReadonlyArray<NewRecord> => {
  if (retry === undefined) return []
  const { series_attempt, webhook_id } = retry
  // The wall clock may have been set back since the outcome: the wait is no longer than its whole delay.
  const waitMs = Math.min(retry.due_at - nowMs, attempt?.nextDelayMs ?? earlyWorkMs)
  return [
    {
      topic: delayTopic(delayOf(policy, series_attempt, waitMs)),
      key: webhook_id,
      value: JSON.stringify({ ...retry, due_at: nowMs + waitMs }),
      // The clock that `due_at` is of, although the append may take long: see delay/Wait.ts.
      timestamp: nowMs
    }
  ]
}

/**
 * The attempts of a batch. A webhook's failures are counted in their order, so if some of its deliveries have a row,
 * those that have none get one first (`unwritten`), and one statement records them all.
 */
const byRow = (outcomes: ReadonlyArray<Outcome>) => {
  const first: Array<FirstAttempt> = []
  const others: Array<AttemptRecord> = []
  const unwritten: Array<NewDelivery> = []
  const attempted = outcomes.flatMap(({ attempt, delivery }) =>
    attempt === undefined ? [] : [{ attempt, row: delivery?.work.row, webhookId: delivery?.webhookId }]
  )
  const written = new Set(attempted.flatMap(({ row, webhookId }) => (row === undefined ? [webhookId] : [])))
  for (const { attempt, row, webhookId } of attempted) {
    if (row !== undefined && !written.has(webhookId)) first.push({ attempt, row })
    else {
      others.push(attempt)
      if (row !== undefined) unwritten.push(row)
    }
  }
  return { first, others, unwritten }
}

export class Recorder extends Context.Service<
  Recorder,
  {
    /**
     * `attempts` attempts start, and their outcomes will be offered. While attempts are under way, a statement waits
     * for more.
     */
    readonly expect: (attempts: number) => void
    readonly offer: (outcome: Outcome) => void
    /** How many attempts may start although earlier ones of their webhooks are not settled. A crash repeats them. */
    readonly ahead: () => number
    /** `attempts` attempts were cut off. Their outcomes will not be offered. */
    readonly abandon: (attempts: number) => void
  }
>()("ledgerhook/deliver/Recorder") {
  static readonly layer = Layer.effect(
    Recorder,
    Effect.gen(function* () {
      const { disableAfterFailures, retryPolicy } = yield* Settings
      const limits = yield* StageLimits
      const log = yield* Log
      const deliveries = yield* DeliveryStore
      const webhooks = yield* WebhookStore
      // Bounded by what the actors hold: StageLimits.partitionDeliveries each.
      let waiting: Array<Outcome> = []
      const some = Latch.makeUnsafe()
      let unrecorded = 0
      let underWay = 0
      /** Since when the oldest outcome that waits, and the oldest of those that are being written, have done so. */
      let waitingSince = 0
      let writingSince: number | undefined
      /** Outcomes that are written, with their retries appended, and not settled. */
      let written: ReadonlyArray<Outcome> = []
      const stored = makeResponseBudget(limits.longResponses)
      const withinBudget = (outcome: Outcome): Outcome => {
        const { attempt, delivery } = outcome
        if (attempt === undefined || delivery === undefined) return outcome
        const kept = stored(delivery.accountId, attempt)
        return kept === attempt ? outcome : { ...outcome, attempt: kept }
      }
      const nowMs = yield* monotonicClock
      const recorded = makeSlidingCount(limits.repeatedOfMs)
      /** How many attempts a crash may repeat, besides those within the windows of webhooks. */
      let repeatable = 0
      const updateRepeatable = () => {
        repeatable = Math.min(limits.repeatedMost, recorded.recent(nowMs()) * limits.repeatedPart)
      }
      /**
       * Whether enough outcomes wait for a statement: as many as attempts are under way, or half of what a crash may
       * repeat. The database then writes one half while the other half is being sent.
       */
      const isEnough = () => {
        if (underWay === 0) return waiting.length > 0
        const half = Math.max(underWay, (repeatable - underWay) / 2)
        return waiting.length >= Math.min(half, limits.recorderEnough)
      }
      const enough = Latch.makeUnsafe(false)
      const updateEnough = () => {
        if (isEnough()) enough.openUnsafe()
        else enough.closeUnsafe()
      }

      const disable = Effect.fnUntraced(function* (failing: ReadonlyArray<string>) {
        const now = yield* Clock.currentTimeMillis
        const reason = `${disableAfterFailures} consecutive failed deliveries`
        const disabled = yield* webhooks.disable(failing, reason, now)
        yield* Metrics.disabledWebhooks.add({}, disabled.length)
        for (const id of disabled) yield* Effect.logWarning(`webhook ${id} was disabled: ${reason}`)
      })

      /** Each step is retried separately: attempts that are recorded again name no failing webhook. */
      const write = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        const { first, others, unwritten } = byRow(outcomes)
        const failing: Array<string> = []
        if (first.length > 0) {
          const recording = deliveries.recordFirst(first, disableAfterFailures)
          failing.push(...(yield* recording.pipe(retryUntilSuccess("recording first attempts"))))
        }
        if (unwritten.length > 0) {
          const now = yield* Clock.currentTimeMillis
          yield* deliveries.insertPending(unwritten, now).pipe(retryUntilSuccess("writing deliveries"))
        }
        if (others.length > 0) {
          const recording = deliveries.record(others, disableAfterFailures)
          failing.push(...(yield* recording.pipe(retryUntilSuccess("recording attempts"))))
        }
        yield* showAttempts(outcomes)
        if (failing.length > 0) yield* disable(failing).pipe(retryUntilSuccess("disabling webhooks"))
      })

      const queueRetries = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        const now = yield* Clock.currentTimeMillis
        const append = outcomes.flatMap((outcome) =>
          retryRecord(retryPolicy, outcome, limits.earlyWorkMs, now)
        )
        if (append.length > 0) yield* log.transaction({ append }).pipe(retryUntilSuccess("queueing retries"))
      })

      const writeAndRetry = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        yield* queueRetries(outcomes.filter(({ fromBacklog }) => fromBacklog))
        yield* write(outcomes)
        yield* queueRetries(outcomes.filter(({ fromBacklog }) => !fromBacklog))
      })

      /** Waits for more outcomes, at most `recorderGatherMs`: a statement costs as much as some fifty of its rows. */
      const gather = Effect.gen(function* () {
        yield* Latch.await(some)
        const gathered = Effect.gen(function* () {
          do {
            yield* Latch.await(enough)
            // An attempt that ended may have started another: let that happen before `isEnough` is checked again.
            yield* Effect.yieldNow
          } while (!isEnough())
        })
        yield* Effect.raceFirst(Effect.sleep(limits.recorderGatherMs), gathered)
      })

      const batchIdAt = (place: number) => waiting[place]?.attempt?.details?.batchId

      const take = (): ReadonlyArray<Outcome> => {
        let end = Math.min(waiting.length, limits.recorderBatch)
        // One statement records a whole request: a webhook's failures are counted by request.
        while (batchIdAt(end) !== undefined && batchIdAt(end) === batchIdAt(end - 1)) end++
        const outcomes = waiting.slice(0, end)
        waiting = waiting.slice(end)
        writingSince = waitingSince
        waitingSince = nowMs()
        if (waiting.length === 0) some.closeUnsafe()
        updateEnough()
        return outcomes
      }

      const settle = () => {
        const outcomes = written
        written = []
        for (const { onSettled } of outcomes) onSettled()
      }

      const drain = Effect.gen(function* () {
        if (!isEnough()) {
          settle()
          yield* gather
        }
        const outcomes = take()
        const landing = yield* Effect.forkChild(
          traced(writeAndRetry(outcomes), "record attempts", () => ({ outcomes: outcomes.length })),
          { startImmediately: true }
        )
        // The statement is sent first: settling the previous batch starts attempts, which takes time.
        yield* Effect.yieldNow
        settle()
        yield* Fiber.join(landing)
        writingSince = undefined
        unrecorded -= outcomes.length
        recorded.add(outcomes.length, nowMs())
        updateRepeatable()
        written = outcomes
      })

      yield* showAge("deliver", () => {
        const since = writingSince ?? (waiting.length > 0 ? waitingSince : undefined)
        return since === undefined ? 0 : nowMs() - since
      })
      // This fiber is stopped after the actors, which wait for their last outcomes.
      yield* Effect.forkScoped(Effect.forever(drain))
      return Recorder.of({
        expect: (attempts) => {
          // After a pause the count of recent attempts is lower than when it was last read.
          if (underWay === 0 && unrecorded === 0) updateRepeatable()
          underWay += attempts
          updateEnough()
        },
        offer: (outcome) => {
          if (outcome.attempt !== undefined) underWay--
          unrecorded++
          if (waiting.length === 0) waitingSince = nowMs()
          waiting.push(withinBudget(outcome))
          some.openUnsafe()
          updateEnough()
        },
        ahead: () =>
          unrecorded < limits.unrecordedMost
            ? Number.POSITIVE_INFINITY
            : Math.max(0, Math.ceil(repeatable - unrecorded - underWay)),
        abandon: (attempts) => {
          underWay -= attempts
          updateEnough()
        }
      })
    })
  )
}
