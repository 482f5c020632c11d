/**
 * Writes what the actors' attempts came to: one statement for all outcomes of some milliseconds, then the retries in
 * one transaction of the log, and only then is the work settled and may offsets move. Append, then commit: a crash in
 * between repeats an attempt or a record, and loses none. Of work that the log does not hold any more, the retry goes
 * first: its row remembers it until it is recorded. While the database or the log is away all waits; the actors' bounds
 * keep the queue short. Under load the database writes what has ended while others are sent.
 */
import { Clock, Context, Effect, Fiber, Latch, Layer } from "effect"
import { Settings } from "../config/Config.ts"
import { StageLimits } from "../config/StageLimits.ts"
import { type DeliveryWork, delayTopic } from "../domain/Delivery.ts"
import { delayOf, type RetryPolicy } from "../domain/RetryPolicy.ts"
import { EventLog, type NewRecord } from "../log/EventLog.ts"
import { Metrics } from "../observability/Metrics.ts"
import { patiently } from "../observability/Patiently.ts"
import { traced } from "../observability/Tracing.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import type { AttemptRecord } from "../storage/deliveries/Transitions.ts"
import { WebhookStore } from "../storage/webhooks/WebhookStore.ts"
import { makeSlidingCount } from "./SlidingCount.ts"

const NANOS_PER_MS = 1_000_000

export interface Outcome {
  /** Undefined when the attempt was recorded before and only its retry may be missing. */
  readonly attempt: AttemptRecord | undefined
  readonly retry: DeliveryWork | undefined
  /** Its record in the log was settled before: only its row remembers the work (`parked`). */
  readonly fromBacklog: boolean
  /** Called once everything above has landed. */
  readonly onSettled: () => void
}

const retryRecord = (policy: RetryPolicy, work: DeliveryWork, nowMs: number): NewRecord => ({
  topic: delayTopic(delayOf(policy, work.series_attempt, work.due_at - nowMs)),
  key: work.webhook_id,
  value: JSON.stringify(work)
})

export class Recorder extends Context.Service<
  Recorder,
  {
    /** An attempt begins: its outcome will be offered. While some are under way, statements wait for more outcomes. */
    readonly expect: () => void
    readonly offer: (outcome: Outcome) => void
    /** How many attempts may begin although earlier ones of their webhooks have not landed: a crash repeats them all. */
    readonly ahead: () => number
    /** So many attempts were cut off, and nothing of them will be offered. */
    readonly abandon: (attempts: number) => void
  }
>()("ledgerhook/deliver/Recorder") {
  static readonly layer = Layer.effect(
    Recorder,
    Effect.gen(function* () {
      const { disableAfterFailures, retryPolicy } = yield* Settings
      const limits = yield* StageLimits
      const log = yield* EventLog
      const deliveries = yield* DeliveryStore
      const webhooks = yield* WebhookStore
      // Never longer than what the actors let in flight (StageLimits.partitionDeliveries each).
      let waiting: Array<Outcome> = []
      const some = Latch.makeUnsafe()
      let unrecorded = 0
      let underWay = 0
      /** What has landed and is not settled. */
      let written: ReadonlyArray<Outcome> = []
      const clock = yield* Clock.Clock
      const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
      const recorded = makeSlidingCount(limits.repeatedOfMs)
      /** How many attempts a crash may repeat, those of full windows apart. */
      let repeatable = 0
      const updateRepeatable = () => {
        repeatable = Math.min(limits.repeatedMost, recorded.recent(nowMs()) * limits.repeatedPart)
      }
      /** The ones are written while the others are sent: as many as are under way, or half of what may run ahead of them. */
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

      const write = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        const attempts = outcomes.flatMap(({ attempt }) => (attempt === undefined ? [] : [attempt]))
        if (attempts.length > 0) {
          const failing = yield* deliveries.record(attempts, disableAfterFailures)
          for (const outcome of ["delivered", "retrying", "failed"] as const) {
            yield* Metrics.deliveryAttempts(
              outcome,
              attempts.filter(({ status }) => status === outcome).length
            )
          }
          if (failing.length > 0) {
            const now = yield* Clock.currentTimeMillis
            const reason = `${disableAfterFailures} consecutive failed deliveries`
            const disabled = yield* webhooks.disable(failing, reason, now)
            for (const id of disabled) yield* Effect.logWarning(`webhook ${id} was disabled: ${reason}`)
          }
        }
      })

      const queueRetries = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        const now = yield* Clock.currentTimeMillis
        const append = outcomes.flatMap(({ retry }) =>
          retry === undefined ? [] : [retryRecord(retryPolicy, retry, now)]
        )
        if (append.length > 0) yield* log.transaction({ append }).pipe(patiently("queueing retries"))
      })

      const writeAndRetry = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        yield* queueRetries(outcomes.filter(({ fromBacklog }) => fromBacklog))
        yield* write(outcomes).pipe(patiently("recording attempts"))
        yield* queueRetries(outcomes.filter(({ fromBacklog }) => !fromBacklog))
      })

      /** A statement costs much more than a row of it: what ends within some milliseconds is written together. */
      const gather = Effect.gen(function* () {
        yield* Latch.await(some)
        const gathered = Effect.gen(function* () {
          do {
            yield* Latch.await(enough)
            // Where one ends another begins.
            yield* Effect.yieldNow
          } while (!isEnough())
        })
        yield* Effect.raceFirst(Effect.sleep(limits.recorderGatherMs), gathered)
      })

      const take = (): ReadonlyArray<Outcome> => {
        const outcomes = waiting.slice(0, limits.recorderBatch)
        waiting = waiting.slice(limits.recorderBatch)
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
        // Settling starts attempts: the database need not wait for that.
        yield* Effect.yieldNow
        settle()
        yield* Fiber.join(landing)
        unrecorded -= outcomes.length
        recorded.add(outcomes.length, nowMs())
        updateRepeatable()
        written = outcomes
      })

      // The actors wait for their last outcomes when they stop; this fiber is stopped after them.
      yield* Effect.forkScoped(Effect.forever(drain))
      return Recorder.of({
        expect: () => {
          // After a pause what was allowed before it is not any more.
          if (underWay === 0 && unrecorded === 0) updateRepeatable()
          underWay++
          updateEnough()
        },
        offer: (outcome) => {
          if (outcome.attempt !== undefined) underWay--
          unrecorded++
          waiting.push(outcome)
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
