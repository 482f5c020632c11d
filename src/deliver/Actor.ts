/**
 * The delivery actor of one partition: it alone delivers to the webhooks of that partition, while it owns it.
 *
 *   take records → is the work current? (WorkState) → lane of its webhook → attempt → recorder → settled → commit
 *
 * What is committed is the highest offset below which all is settled (Watermark): recorded with its retry appended,
 * remembered by its row (parked), or found to be done already. When the partition is lost or the process stops,
 * nothing new starts, and what is in flight is finished, recorded and committed.
 */
import { Clock, Effect, Latch } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import type { DeliveryWork } from "../domain/Delivery.ts"
import type { AssignedPartition, LogRecord } from "../log/EventLog.ts"
import { partitionOf } from "../log/Topics.ts"
import { DeliveryStore } from "../storage/DeliveryStore.ts"
import { WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import { nextWork } from "./Attempt.ts"
import type { Work } from "./Lane.ts"
import { makeLanes, type Refused } from "./Lanes.ts"
import { Recorder } from "./Recorder.ts"
import { makeWatermark } from "./Watermark.ts"
import { workState } from "./WorkState.ts"

/** Undefined for a record that is not work: it is logged and passed over, since it must not stop those behind it. */
const parse = (record: LogRecord): DeliveryWork | undefined => {
  try {
    // Written by route, delay and api in this shape; the check only tells a torn record from a whole one.
    const work = JSON.parse(record.value ?? "") as DeliveryWork
    return typeof work.delivery_id === "string" && typeof work.webhook_id === "string" ? work : undefined
  } catch {
    return undefined
  }
}

export const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
  const registry = yield* WebhookRegistry
  const deliveries = yield* DeliveryStore
  const recorder = yield* Recorder
  const watermark = makeWatermark(partition.startOffset)
  const moved = Latch.makeUnsafe(false)

  const settleOffset = (offset: number) => {
    watermark.done(offset)
    moved.openUnsafe()
  }
  const lanes = yield* makeLanes(settleOffset)

  /** Sorts a batch into lanes; what they refuse is parked before the batch counts as taken. */
  const intake = Effect.fnUntraced(function* (records: ReadonlyArray<LogRecord>) {
    const works: Array<readonly [offset: number, work: DeliveryWork]> = []
    for (const { offset } of records) watermark.add(offset)
    for (const record of records) {
      const work = parse(record)
      if (work !== undefined) works.push([record.offset, work])
      else {
        yield* Effect.logError(
          `${record.topic}/${record.partition}@${record.offset} is not a delivery; passed over`
        )
        settleOffset(record.offset)
      }
    }
    const ids = works.map(([, work]) => work.delivery_id)
    const rows = yield* deliveries.states(ids).pipe(patiently("reading delivery states"))
    if (works.some(([, work]) => registry.get(work.webhook_id) === undefined)) {
      // A webhook made a moment ago may not have reached this process's view yet; a deleted one never will.
      yield* registry.upToDate.pipe(patiently("catching up with webhooks.config"))
    }

    const refused: Array<Refused> = []
    const deleted: Array<string> = []
    /** Settled once the rows say so. */
    const ended: Array<number> = []
    for (const [offset, work] of works) {
      const item: Work = {
        deliveryId: work.delivery_id,
        attempt: work.attempt,
        seriesAttempt: work.series_attempt,
        event: work.event,
        offset
      }
      const row = rows.get(work.delivery_id)
      const state = workState(work, row, offset < partition.endOffsetAtStart)
      if (registry.get(work.webhook_id) === undefined) {
        deleted.push(work.delivery_id)
        ended.push(offset)
      } else if (state === "current") {
        if (!lanes.offer(work.webhook_id, item)) {
          refused.push({ webhookId: work.webhook_id, deliveryId: work.delivery_id })
          ended.push(offset)
        }
      } else if (state === "unanswered") {
        recorder.offer({
          attempt: undefined,
          retry: nextWork(item, work.webhook_id, row?.nextAttemptAt ?? 0),
          settled: () => settleOffset(offset)
        })
      } else {
        settleOffset(offset)
      }
    }
    if (deleted.length > 0) {
      const now = yield* Clock.currentTimeMillis
      yield* deliveries.fail(deleted, "webhook deleted", now).pipe(patiently("ending deliveries"))
    }
    if (refused.length > 0) yield* lanes.park(refused)
    for (const offset of ended) settleOffset(offset)
  })

  const commit = Effect.suspend(() => partition.commit(watermark.committable()))
  const committing = Effect.gen(function* () {
    yield* Latch.await(moved)
    yield* Effect.sleep(Limits.commitEveryMs)
    moved.closeUnsafe()
    yield* commit
  })

  // Runs before the lanes' scope closes, so their fibers are still there to finish.
  yield* Effect.addFinalizer(() =>
    lanes.drain.pipe(
      Effect.timeoutOrElse({
        duration: Limits.drainMs,
        orElse: () =>
          Effect.logWarning("attempts did not end in time; they will be made again", lanes.inFlight())
      }),
      Effect.andThen(commit),
      Effect.ignore
    )
  )

  const parkedWebhooks = yield* deliveries.parkedWebhooks.pipe(patiently("reading parked deliveries"))
  lanes.resume(parkedWebhooks.filter((id) => partitionOf(partition.topic, id) === partition.partition))

  const taking = Effect.flatMap(partition.take(Limits.takeBatchRecords), intake)
  yield* Effect.raceAllFirst([Effect.forever(taking), Effect.forever(committing), lanes.failure])
}, Effect.scoped)
