/**
 * One partition's records on their way into an actor's lanes.
 *
 *   take records → is the work current? (WorkState) → lane of its webhook → … → settled → commit
 *
 * What is committed is the highest offset below which all is settled (Watermark): recorded with its retry appended,
 * remembered by its row (parked), or found to be done already; what waits too long for that is put aside. When the lanes
 * end and others follow, what was taken and is not settled is offered again.
 */
import { Clock, Effect, Latch } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import { type DeliveryWork, parseWork } from "../domain/Delivery.ts"
import { type AssignedPartition, EventLog } from "../log/EventLog.ts"
import { patiently } from "../observability/Patiently.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import { WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import { nextWork } from "./Attempt.ts"
import type { LaneKind, Work } from "./Lane.ts"
import type { Lanes, Refused } from "./Lanes.ts"
import { attemptKey } from "./MemoryBudget.ts"
import { Recorder } from "./Recorder.ts"
import { makeWatermark } from "./Watermark.ts"
import { workState } from "./WorkState.ts"

export const makeFeed = Effect.fnUntraced(function* (partition: AssignedPartition, kind: LaneKind) {
  const limits = yield* StageLimits
  const log = yield* EventLog
  const registry = yield* WebhookRegistry
  const deliveries = yield* DeliveryStore
  const recorder = yield* Recorder
  const watermark = makeWatermark(partition.startOffset)
  const moved = Latch.makeUnsafe(false)
  /** Taken and not settled, in the order of the log. */
  const open = new Map<number, DeliveryWork>()
  const batchRecords = kind === "live" ? limits.takeBatchRecords : limits.replayTakeRecords
  const lastAtStart = (yield* log.last(partition))?.offset ?? -1
  let lastTaken = partition.startOffset - 1

  const settle = (offset: number) => {
    if (!open.delete(offset)) return
    watermark.done(offset)
    moved.openUnsafe()
  }

  /** Sorts works into lanes; what they refuse is parked before it counts as taken. */
  const offerAll = Effect.fnUntraced(function* (
    lanes: Lanes,
    works: ReadonlyArray<readonly [offset: number, work: DeliveryWork]>
  ) {
    if (works.length === 0) return
    const ids = works.map(([, work]) => work.delivery_id)
    // While rows are read, an attempt may be recorded: the row read would call a second record of it work to do.
    const known = new Set<string>()
    const keys = works.map(([, { attempt, delivery_id }]) => attemptKey(delivery_id, attempt))
    for (const key of keys) if (lanes.isBusy(key)) known.add(key)
    const rows = yield* deliveries.states(ids).pipe(patiently("reading delivery states"))
    if (works.some(([, work]) => registry.get(work.webhook_id) === undefined)) {
      // A webhook made a moment ago may not have reached this process's view yet; a deleted one never will.
      yield* registry.upToDate.pipe(patiently("catching up with webhooks.config"))
    }

    const refused: Array<Refused> = []
    const deleted: Array<string> = []
    /** Settled once the rows say so. */
    const ended: Array<number> = []
    for (const [i, [offset, work]] of works.entries()) {
      const key = keys[i]!
      const item: Work = {
        key,
        deliveryId: work.delivery_id,
        attempt: work.attempt,
        seriesAttempt: work.series_attempt,
        event: work.event,
        kind,
        acknowledge: () => settle(offset)
      }
      const row = rows.get(work.delivery_id)
      const state = workState(work, row, offset < partition.endOffsetAtStart)
      if (registry.get(work.webhook_id) === undefined) {
        deleted.push(work.delivery_id)
        ended.push(offset)
      } else if (state === "current" && !known.has(key)) {
        known.add(key)
        // Parking costs more than waiting: a replay mostly comes faster than its webhook takes it.
        if (kind === "replays") yield* lanes.awaitMemory(work.webhook_id)
        if (!lanes.offer(work.webhook_id, item)) {
          refused.push({ webhookId: work.webhook_id, deliveryId: work.delivery_id })
          ended.push(offset)
        }
      } else if (state === "unanswered") {
        recorder.offer({
          attempt: undefined,
          retry: nextWork(item, work.webhook_id, row?.nextAttemptAt ?? 0),
          fromBacklog: false,
          onSettled: () => settle(offset)
        })
      } else if (state === "early") {
        const retry = { ...work, due_at: (yield* Clock.currentTimeMillis) + limits.earlyWorkMs }
        recorder.offer({ attempt: undefined, retry, fromBacklog: false, onSettled: () => settle(offset) })
      } else {
        settle(offset)
      }
    }
    if (deleted.length > 0) {
      const now = yield* Clock.currentTimeMillis
      yield* deliveries.fail(deleted, "webhook deleted", now).pipe(patiently("ending deliveries"))
    }
    if (refused.length > 0) yield* lanes.spillRefused(kind, refused)
    for (const offset of ended) settle(offset)
  })

  /** What was taken long ago and still waits gives its offset up: its webhook takes less than comes, or nothing. */
  const spillOverdue = (lanes: Lanes) => {
    const webhookIds = new Set<string>()
    for (const [offset, work] of open) {
      if (offset > lastTaken - limits.partitionOpenRecords) break
      webhookIds.add(work.webhook_id)
    }
    for (const webhookId of webhookIds) lanes.spillOverdue(kind, webhookId)
  }

  const take = Effect.fnUntraced(function* (lanes: Lanes) {
    const records = yield* partition.take(batchRecords)
    const works: Array<readonly [offset: number, work: DeliveryWork]> = []
    for (const { offset } of records) watermark.add(offset)
    for (const record of records) {
      const work = parseWork(record.value ?? "")
      if (work === undefined) {
        // Passed over, since it must not stop those behind it.
        yield* Effect.logError(
          `${record.topic}/${record.partition}@${record.offset} is not a delivery; passed over`
        )
        watermark.done(record.offset)
        moved.openUnsafe()
      } else {
        open.set(record.offset, work)
        works.push([record.offset, work])
      }
    }
    lastTaken = records.at(-1)!.offset
    yield* offerAll(lanes, works)
    spillOverdue(lanes)
  })

  const commit = Effect.suspend(() => partition.commit(watermark.committable()))
  const committing = Effect.gen(function* () {
    yield* Latch.await(moved)
    yield* Effect.sleep(limits.commitEveryMs)
    moved.closeUnsafe()
    yield* commit
  })

  const openBacklog = (lanes: Lanes) =>
    Effect.sync(() => {
      if (lastTaken >= lastAtStart) lanes.openBacklog(kind)
    })

  return {
    commit,
    /** Never ends by itself. */
    into: (lanes: Lanes) =>
      Effect.gen(function* () {
        yield* offerAll(lanes, [...open])
        yield* openBacklog(lanes)
        const taking = Effect.andThen(take(lanes), openBacklog(lanes))
        return yield* Effect.raceFirst(Effect.forever(taking), Effect.forever(committing))
      })
  }
})
