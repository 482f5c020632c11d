/**
 * Records the outcomes of all actors of a process. A statement begins when `recordAtOnce` outcomes wait, or
 * `recordEveryMs` after the first of them, and writes up to `rowsAtOnce`. Then one transaction of the log appends the
 * retries. Then the work is settled, so its offsets may be committed. A crash in between repeats an attempt or a record
 * and loses none. Work from the backlog has no record in the log that would be read again, so its retry is appended
 * before its row is written. A retry in strict order has no record: it is in the backlog with its row. If the database or the log is down, outcomes wait, and the actors' limits bound them.
 */
import { Clock, Context, Effect, Latch, Layer } from "effect"
import { Settings } from "../../config/Config.ts"
import { DeliveryStore } from "../../deliveries/DeliveryStore.ts"
import type { AttemptRecord, FirstAttempt, NewDelivery } from "../../deliveries/Transitions.ts"
import { Log } from "../../log/Log.ts"
import { Metrics } from "../../observe/Metrics.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import { showAge } from "../../observe/StageAges.ts"
import { traced } from "../../observe/Tracing.ts"
import { DisableWebhooks } from "../../registry/DisableWebhooks.ts"
import { monotonicClock } from "../../words/Monotonic.ts"
import { DeliverLimits } from "../Limits.ts"
import { nextWork, retryRecord } from "../Work.ts"
import { type Outcome, showAttempts } from "./AttemptsShown.ts"
import { makeResponseBudget } from "./ResponseBudget.ts"

export type { Outcome }

/** What one request brought: it is recorded by one transaction, because a webhook's failures are counted by request. */
interface EndedRequest {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly onSettled: () => void
}

/**
 * The attempts of a transaction. A webhook's failures are counted in their order, so if some of its deliveries have a
 * row, those that have none get one first (`unwritten`), and one transaction records them all.
 */
const byRow = (outcomes: ReadonlyArray<Outcome>) => {
  const first: Array<FirstAttempt> = []
  const others: Array<AttemptRecord> = []
  const unwritten: Array<NewDelivery> = []
  const written = new Set(
    outcomes.flatMap(({ webhookId, work }) => (work.row === undefined ? [webhookId] : []))
  )
  for (const { attempt, webhookId, work } of outcomes) {
    const { row } = work
    if (row !== undefined && !written.has(webhookId)) first.push({ attempt, row })
    else {
      others.push(attempt)
      if (row !== undefined) unwritten.push(row)
    }
  }
  return { first, others, unwritten }
}

const isFromBacklog = ({ work }: Outcome): boolean => work.acknowledge === undefined

export class Recorder extends Context.Service<
  Recorder,
  {
    /** `onSettled` is called when the attempts of the request are recorded and their retries are appended. */
    readonly record: (outcomes: ReadonlyArray<Outcome>, onSettled: () => void) => void
    /**
     * Whether fewer than `unrecordedMost` outcomes wait for their record. Then a webhook may send although attempts of
     * it that wait fill its concurrency limit.
     */
    readonly mayRunAhead: () => boolean
  }
>()("ledgerhook/deliver/Recorder") {
  static readonly layer = Layer.effect(
    Recorder,
    Effect.gen(function* () {
      const { disableAfterFailures, retryPolicy } = yield* Settings
      const limits = yield* DeliverLimits
      const log = yield* Log
      const deliveries = yield* DeliveryStore
      const disableWebhooks = yield* DisableWebhooks
      const nowMs = yield* monotonicClock
      const stored = makeResponseBudget(limits.longResponses)
      // Bounded by what the actors hold: DeliverLimits.partitionDeliveries each.
      const waiting: Array<EndedRequest> = []
      const some = Latch.makeUnsafe()
      const enough = Latch.makeUnsafe()
      /** Outcomes in `waiting`. */
      let outcomesWaiting = 0
      /** These, and those that are being written. */
      let unrecorded = 0
      /** Since when the oldest outcome that waits, and the oldest of those that are being written, have done so. */
      let waitingSince = 0
      let writingSince: number | undefined

      const disable = Effect.fnUntraced(function* (failing: ReadonlyArray<string>) {
        const now = yield* Clock.currentTimeMillis
        const reason = `${disableAfterFailures} consecutive failed deliveries`
        const disabled = yield* disableWebhooks(failing, reason, now)
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
        const append = outcomes.flatMap(({ attempt: { endedAt, holds, nextDelayMs }, webhookId, work }) => {
          // What holds back others waits in the backlog.
          if (nextDelayMs === null || holds !== undefined) return []
          // The wall clock may have been set back since the outcome: the wait is no longer than its whole delay.
          const waitMs = Math.min(endedAt + nextDelayMs - now, nextDelayMs)
          return [retryRecord(retryPolicy, nextWork(work, webhookId), waitMs, now)]
        })
        if (append.length > 0) yield* log.transaction({ append }).pipe(retryUntilSuccess("queueing retries"))
      })

      const writeAndRetry = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
        yield* queueRetries(outcomes.filter(isFromBacklog))
        yield* write(outcomes)
        yield* queueRetries(outcomes.filter((outcome) => !isFromBacklog(outcome)))
      })

      /** Takes the requests that the next statement records. */
      const take = (): ReadonlyArray<EndedRequest> => {
        let count = 0
        let requests = 0
        while (requests < waiting.length && count < limits.rowsAtOnce)
          count += waiting[requests++]!.outcomes.length
        writingSince = waitingSince
        waitingSince = nowMs()
        const taken = waiting.splice(0, requests)
        outcomesWaiting -= count
        if (waiting.length === 0) some.closeUnsafe()
        if (outcomesWaiting < limits.recordAtOnce) enough.closeUnsafe()
        return taken
      }

      const recordNext = Effect.gen(function* () {
        yield* Latch.await(some)
        yield* Effect.raceFirst(Effect.sleep(limits.recordEveryMs), Latch.await(enough))
        const requests = take()
        const outcomes = requests.flatMap((request) => request.outcomes)
        yield* traced(writeAndRetry(outcomes), "record attempts", () => ({ outcomes: outcomes.length }))
        writingSince = undefined
        unrecorded -= outcomes.length
        for (const { onSettled } of requests) onSettled()
      })

      yield* showAge("deliver", () => {
        const since = writingSince ?? (waiting.length > 0 ? waitingSince : undefined)
        return since === undefined ? 0 : nowMs() - since
      })
      // This fiber is stopped after the actors, which wait for their last outcomes.
      yield* Effect.forkScoped(Effect.forever(recordNext))
      return Recorder.of({
        record: (outcomes, onSettled) => {
          unrecorded += outcomes.length
          outcomesWaiting += outcomes.length
          if (waiting.length === 0) waitingSince = nowMs()
          const kept = outcomes.map((one) => ({ ...one, attempt: stored(one.accountId, one.attempt) }))
          waiting.push({ outcomes: kept, onSettled })
          some.openUnsafe()
          if (outcomesWaiting >= limits.recordAtOnce) enough.openUnsafe()
        },
        mayRunAhead: () => unrecorded < limits.unrecordedMost
      })
    })
  )
}
