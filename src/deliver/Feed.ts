/**
 * Reads one partition's records and offers them to an actor's lanes.
 *
 *   take records → is the work current? (WorkState) → lane of its webhook → … → settled → commit
 *
 * The committed offset is the highest one below which all work is settled (Watermark). Work is settled when its
 * attempt is recorded and its retry appended, when it is spilled to the backlog, or when it was finished already. If
 * the actor ends and another one follows, unsettled work is offered to the new one. A record that is no work goes to
 * the quarantine.
 */
import { Clock, Effect, Latch } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import { type DeliveryWork, NOT_WORK, parseWork } from "../domain/Delivery.ts"
import { type AssignedPartition, EventLog, type LogRecord, sourceOf } from "../log/EventLog.ts"
import { retryCommit } from "../log/RetryUntilFenced.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { TRACE_HEADER } from "../observability/Tracing.ts"
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
  /** Work that was taken and is not settled, in the order of the log. */
  const open = new Map<number, DeliveryWork>()
  /** The traces of open work, by offset. */
  const traces = new Map<number, string>()
  const batchRecords = kind === "live" ? limits.takeBatchRecords : limits.replayTakeRecords
  const lastAtStart = (yield* log.last(partition))?.offset ?? -1
  let lastTaken = partition.startOffset - 1

  const settle = (offset: number) => {
    if (!open.delete(offset)) return
    traces.delete(offset)
    watermark.done(offset)
    moved.openUnsafe()
  }

  /**
   * Offers work to its lanes. Refused work is spilled to the database before its offset counts as finished. `known`:
   * attempts that were offered or recorded meanwhile.
   */
  const offerWorks = Effect.fnUntraced(function* (
    lanes: Lanes,
    works: ReadonlyArray<readonly [offset: number, work: DeliveryWork]>,
    keys: ReadonlyArray<string>,
    known: Set<string>
  ) {
    const ids = works.map(([, work]) => work.delivery_id)
    const rows = yield* deliveries.states(ids).pipe(retryUntilSuccess("reading delivery states"))
    if (works.some(([, work]) => !registry.isKnown(work.webhook_id))) {
      // A webhook made a moment ago may not be in this process's view yet. After this wait, an unknown one is
      // deleted.
      yield* registry.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))
    }

    const refused: Array<Refused> = []
    const deleted: Array<string> = []
    /** Offsets to settle once the rows below are written. */
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
        traceparent: traces.get(offset),
        acknowledge: () => settle(offset),
        queuedAt: 0
      }
      const row = rows.get(work.delivery_id)
      const state = workState(work, row, offset < partition.endOffsetAtStart)
      if (!registry.isKnown(work.webhook_id)) {
        deleted.push(work.delivery_id)
        ended.push(offset)
      } else if (state === "current" && !known.has(key)) {
        // Waiting costs less than spilling, and a replay is usually read faster than its webhook takes it.
        if (kind === "replays") yield* lanes.awaitMemory(work.webhook_id)
        // An attempt that was settled during the wait has freed the memory: this may be its second record.
        if (known.has(key)) settle(offset)
        else {
          known.add(key)
          if (!lanes.offer(work.webhook_id, item)) {
            refused.push({ webhookId: work.webhook_id, deliveryId: work.delivery_id })
            ended.push(offset)
          }
        }
      } else if (state === "unanswered") {
        // The row's times are of a process whose clock may be ahead.
        const latest = (yield* Clock.currentTimeMillis) + (row?.nextDelayMs ?? 0)
        recorder.offer({
          attempt: undefined,
          retry: nextWork(item, work.webhook_id, Math.min(row?.nextAttemptAt ?? 0, latest)),
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
      yield* deliveries
        .fail(deleted, "webhook deleted", now)
        .pipe(retryUntilSuccess("ending deliveries of deleted webhooks"))
    }
    if (refused.length > 0) yield* lanes.spillRefused(kind, refused)
    for (const offset of ended) settle(offset)
  })

  const offerAll = (
    lanes: Lanes,
    works: ReadonlyArray<readonly [offset: number, work: DeliveryWork]>
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (works.length === 0) return Effect.void
      const keys = works.map(([, { attempt, delivery_id }]) => attemptKey(delivery_id, attempt))
      const offered = new Set(keys)
      const known = new Set<string>()
      // An attempt may be recorded after its row was read, also in the webhook's other lane. The row would then still
      // show a second record of the same attempt as current.
      const unwatch = lanes.watch((key) => void (offered.has(key) && known.add(key)))
      return Effect.ensuring(offerWorks(lanes, works, keys, known), Effect.sync(unwatch))
    })

  /**
   * Spills queues whose work has waited for more than `partitionOpenRecords` records, so that offsets can be
   * committed.
   */
  const spillOverdue = (lanes: Lanes) => {
    const webhookIds = new Set<string>()
    for (const [offset, work] of open) {
      if (offset > lastTaken - limits.partitionOpenRecords) break
      webhookIds.add(work.webhook_id)
    }
    for (const webhookId of webhookIds) lanes.spillOverdue(kind, webhookId)
  }

  const quarantineAll = Effect.fnUntraced(function* (unreadable: ReadonlyArray<LogRecord>) {
    if (unreadable.length === 0) return
    yield* deliveries
      .quarantine(
        unreadable.map((record) => ({ source: sourceOf(record), text: record.value ?? "", reason: NOT_WORK }))
      )
      .pipe(retryUntilSuccess("quarantining records"))
    for (const { offset } of unreadable) watermark.done(offset)
    moved.openUnsafe()
  })

  const take = Effect.fnUntraced(function* (lanes: Lanes) {
    const records = yield* partition.take(batchRecords)
    const works: Array<readonly [offset: number, work: DeliveryWork]> = []
    const unreadable: Array<LogRecord> = []
    for (const { offset } of records) watermark.add(offset)
    for (const record of records) {
      const work = parseWork(record.value ?? "")
      if (work === undefined || work.webhook_id !== record.key) unreadable.push(record)
      else {
        open.set(record.offset, work)
        const trace = record.headers[TRACE_HEADER]
        if (trace !== undefined) traces.set(record.offset, trace)
        works.push([record.offset, work])
      }
    }
    lastTaken = records.at(-1)!.offset
    yield* quarantineAll(unreadable)
    yield* offerAll(lanes, works)
    spillOverdue(lanes)
  })

  const commit = Effect.suspend(() => partition.commit(watermark.committable()))
  const committing = Effect.gen(function* () {
    yield* Latch.await(moved)
    yield* Effect.sleep(limits.commitEveryMs)
    moved.closeUnsafe()
    yield* retryCommit(commit)
  })

  const openBacklog = (lanes: Lanes) =>
    Effect.sync(() => {
      if (lastTaken >= lastAtStart) lanes.openBacklog(kind)
    })

  return {
    commit,
    into: (lanes: Lanes) =>
      Effect.gen(function* () {
        yield* offerAll(lanes, [...open])
        yield* openBacklog(lanes)
        const taking = Effect.andThen(take(lanes), openBacklog(lanes))
        return yield* Effect.raceFirst(Effect.forever(taking), Effect.forever(committing))
      })
  }
})
