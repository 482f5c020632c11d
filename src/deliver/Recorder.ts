/**
 * Writes what the actors' attempts came to: one statement for all outcomes of some milliseconds, then the retries in
 * one transaction of the log, and only then is the work settled and may offsets move. Append, then commit: a crash in
 * between repeats an attempt or a record, and loses none. While the database or the log is away it waits and tries
 * again; the actors' bounds keep its queue short.
 */
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { type DeliveryWork, delayTopic } from "../domain/Delivery.ts"
import { EventLog, type NewRecord } from "../log/EventLog.ts"
import { Metrics } from "../observability/Metrics.ts"
import { type AttemptRecord, DeliveryStore } from "../storage/DeliveryStore.ts"
import { WebhookStore } from "../storage/WebhookStore.ts"

export interface Outcome {
  /** Undefined when the attempt was recorded before and only its retry may be missing. */
  readonly attempt: AttemptRecord | undefined
  readonly retry: DeliveryWork | undefined
  /** Called once everything above has landed. */
  readonly settled: () => void
}

const retryRecord = (work: DeliveryWork): NewRecord => ({
  topic: delayTopic(work.series_attempt),
  key: work.webhook_id,
  value: JSON.stringify(work)
})

export class Recorder extends Context.Service<Recorder, { readonly offer: (outcome: Outcome) => void }>()(
  "ledgerhook/deliver/Recorder"
) {
  static readonly layer = Layer.effect(
    Recorder,
    Effect.gen(function* () {
      const { disableAfterFailures } = yield* Settings
      const log = yield* EventLog
      const deliveries = yield* DeliveryStore
      const webhooks = yield* WebhookStore
      // Unbounded, but never longer than what the actors let in flight (Limits.partitionDeliveries each).
      const queue = yield* Queue.unbounded<Outcome>()

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

      const drain = Effect.gen(function* () {
        const outcomes = yield* Queue.takeBetween(queue, 1, Limits.recorderBatch)
        yield* write(outcomes).pipe(patiently("recording attempts"))
        const append = outcomes.flatMap(({ retry }) => (retry === undefined ? [] : [retryRecord(retry)]))
        if (append.length > 0) {
          yield* log.transaction({ append }).pipe(patiently("queueing retries"))
        }
        for (const { settled } of outcomes) settled()
      })

      // The actors wait for their last outcomes when they stop; this fiber is stopped after them.
      yield* Effect.forkScoped(Effect.forever(drain))
      return Recorder.of({ offer: (outcome) => void Queue.offerUnsafe(queue, outcome) })
    })
  )
}
