/**
 * The room `take`: reads one partition's records and offers them to an actor's dispatcher.
 *
 *   take records → is the work current? (WorkState) → queue of its webhook → … → settled → commit
 *
 * The committed offset is the highest one below which all work is settled (Watermark): recorded with its retry appended,
 * in the backlog, or finished before. If the actor ends and another one follows, unsettled work is offered to the new
 * one. A record that is no work becomes a dead letter. A row is read only if the record may be here a second time: the
 * first attempt of a live delivery is new if it came after this owner's start, and route had not begun with it before.
 */
import { Clock, Effect, Latch } from "effect"
import { Settings } from "../../config/Config.ts"
import { StageLimits } from "../../config/StageLimits.ts"
import { type DeliveryState, DeliveryStore } from "../../deliveries/DeliveryStore.ts"
import type { NewDelivery } from "../../deliveries/Transitions.ts"
import { type DeliveryWork, NOT_WORK, parseWork } from "../../domain/Delivery.ts"
import { type AssignedPartition, Log, type LogRecord, type NewRecord, sourceOf } from "../../log/Log.ts"
import { ReaderPace } from "../../log/ReaderPace.ts"
import { retryCommit } from "../../log/RetryUntilFenced.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import { showAge } from "../../observe/StageAges.ts"
import { TRACE_HEADER } from "../../observe/Tracing.ts"
import { WebhookRegistry } from "../../registry/WebhookRegistry.ts"
import { monotonicClock, monotonicNow } from "../../words/Monotonic.ts"
import { DeliverLimits } from "../Limits.ts"
import type { Dispatcher } from "../queue/Dispatcher.ts"
import { attemptKey, type LaneKind, nextWork, retryRecord, type Work } from "../Work.ts"
import { makeWatermark } from "./Watermark.ts"
import { workState } from "./WorkState.ts"

/** A feed that has taken nothing for this long has nothing before it: it takes every few milliseconds. */
const IDLE_MS = 2_000

type OpenWork = readonly [offset: number, work: DeliveryWork]

const unwrittenRow = ({ delivery_id, event, row, webhook_id }: DeliveryWork): NewDelivery | undefined =>
  row && {
    id: delivery_id,
    webhookId: webhook_id,
    accountId: row.account_id,
    network: event.network,
    eventId: event.event_id,
    eventType: event.event_type,
    eventOffset: row.event_offset
  }

export const makeFeed = Effect.fnUntraced(function* (partition: AssignedPartition, kind: LaneKind) {
  const limits = yield* DeliverLimits
  const { feedPollMs, feedWaitMs } = yield* StageLimits
  const log = yield* Log
  const registry = yield* WebhookRegistry
  const deliveries = yield* DeliveryStore
  const { retryPolicy } = yield* Settings
  const pace = yield* ReaderPace
  const watermark = makeWatermark(partition.startOffset)
  const moved = Latch.makeUnsafe(false)
  /** Work that was taken and is not settled, in the order of the log. */
  const open = new Map<number, DeliveryWork>()
  /** The traces of open work, by offset. */
  const traces = new Map<number, string>()
  const lastAtStart = (yield* log.last(partition))?.offset ?? -1
  let lastTaken = partition.startOffset - 1
  const nowMs = yield* monotonicClock
  /** How old the first record of the newest batch was when it was taken, and when that was. */
  let taken = { ageMs: 0, atMs: nowMs() }
  let isOffering = false

  const isNew = (offset: number, { row }: DeliveryWork) =>
    row !== undefined && row.again === undefined && offset >= partition.endOffsetAtStart

  const toWork = ([offset, work]: OpenWork, row: DeliveryState | undefined): Work => ({
    key: attemptKey(work.delivery_id, work.attempt),
    deliveryId: work.delivery_id,
    attempt: work.attempt,
    seriesAttempt: work.series_attempt,
    event: work.event,
    row: unwrittenRow(work),
    kind,
    manual: work.manual,
    isTest: row?.isTest,
    mayBeHandled: offset < partition.endOffsetAtStart,
    traceparent: traces.get(offset),
    acknowledge: () => settle(offset),
    queuedAt: 0,
    wasFree: false
  })

  const settle = (offset: number) => {
    if (!open.delete(offset)) return
    traces.delete(offset)
    watermark.done(offset)
    moved.openUnsafe()
  }

  /**
   * Offers work to the dispatcher. `recorded`: attempts that were recorded meanwhile. It waits for crowded lanes, at
   * most `waitMs`: that costs less than a row before the outcome. Work of other webhooks is offered meanwhile.
   */
  const offerWorks = Effect.fnUntraced(function* (
    dispatcher: Dispatcher,
    works: ReadonlyArray<OpenWork>,
    waitMs: number,
    recorded: ReadonlySet<string>
  ) {
    const ids = works.flatMap(([offset, work]) => (isNew(offset, work) ? [] : [work.delivery_id]))
    const rows =
      ids.length === 0
        ? new Map<string, DeliveryState>()
        : yield* deliveries.states(ids).pipe(retryUntilSuccess("reading delivery states"))
    if (works.some(([, work]) => !registry.isKnown(work.webhook_id))) {
      // A webhook made a moment ago may not be in this process's view yet. After this wait, an unknown one is
      // deleted.
      yield* registry.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))
    }

    const current: Array<OpenWork> = []
    const retries: Array<readonly [offset: number, retry: NewRecord]> = []
    const now = yield* Clock.currentTimeMillis
    for (const one of works) {
      const [offset, work] = one
      const row = rows.get(work.delivery_id)
      const state = workState(work, row, offset < partition.endOffsetAtStart)
      // The dispatcher ends work of a deleted webhook.
      if (state === "current" || !registry.isKnown(work.webhook_id)) current.push(one)
      else if (state === "unanswered") {
        const retry = nextWork(toWork(one, row), work.webhook_id)
        // The row's times are of a process whose clock may be ahead: the wait is no longer than its whole delay.
        const waitMs = Math.min((row?.nextAttemptAt ?? 0) - now, row?.nextDelayMs ?? 0)
        retries.push([offset, retryRecord(retryPolicy, retry, waitMs, now)])
      } else if (state === "early")
        retries.push([offset, retryRecord(retryPolicy, work, limits.earlyWorkMs, now)])
      else {
        // An earlier owner of the partition may have written this row to the backlog after this one looked for backlogs.
        // Or a delivery that waits there for its time is due now, because somebody asked for its attempt.
        if (row?.parked === true) dispatcher.resume([work.webhook_id])
        settle(offset)
      }
    }
    if (retries.length > 0) {
      const append = retries.map(([, retry]) => retry)
      yield* log.transaction({ append }).pipe(retryUntilSuccess("queueing retries"))
      for (const [offset] of retries) settle(offset)
    }

    const offer = (one: OpenWork, isSlow: boolean) => {
      const [offset, { delivery_id, webhook_id }] = one
      const work = toWork(one, rows.get(delivery_id))
      if (recorded.has(work.key)) settle(offset)
      else dispatcher.offer(webhook_id, work, isSlow)
    }

    /** Returns the works whose lanes are crowded. */
    const offerMost = (some: ReadonlyArray<OpenWork>) => {
      const later: Array<OpenWork> = []
      const crowded = new Set<string>()
      for (const one of some) {
        const { webhook_id } = one[1]
        if (crowded.has(webhook_id) || dispatcher.isCrowded(kind, webhook_id)) {
          crowded.add(webhook_id)
          later.push(one)
        } else offer(one, false)
      }
      return later
    }

    // Route writes live deliveries only, so it does not wait for replayed ones.
    const aMoment = Effect.sleep(feedPollMs)
    const aPause = kind === "live" ? pace.during(aMoment) : aMoment
    let waitsUntil = (yield* monotonicNow) + waitMs
    let left: ReadonlyArray<OpenWork> = offerMost(current)
    while (left.length > 0 && (yield* monotonicNow) < waitsUntil) {
      yield* aPause
      const later = offerMost(left)
      // Replayed deliveries are not urgent, so those behind them may wait for longer.
      if (kind === "replays" && later.length < left.length) waitsUntil = (yield* monotonicNow) + waitMs
      left = later
    }
    for (const one of left) offer(one, true)
    yield* dispatcher.kept
  })

  const offerAll = (
    dispatcher: Dispatcher,
    works: ReadonlyArray<OpenWork>,
    waitMs: number
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (works.length === 0) return Effect.void
      const offered = new Set(works.map(([, { attempt, delivery_id }]) => attemptKey(delivery_id, attempt)))
      const recorded = new Set<string>()
      // An attempt may be recorded after its row was read, also in the webhook's other lane. The row would then still
      // show a second record of the same attempt as current.
      const unwatch = dispatcher.watch((key) => void (offered.has(key) && recorded.add(key)))
      return Effect.ensuring(offerWorks(dispatcher, works, waitMs, recorded), Effect.sync(unwatch))
    })

  const toDeadLetters = Effect.fnUntraced(function* (unreadable: ReadonlyArray<LogRecord>) {
    if (unreadable.length === 0) return
    yield* deliveries
      .putDeadLetters(
        unreadable.map((record) => ({ source: sourceOf(record), text: record.value ?? "", reason: NOT_WORK }))
      )
      .pipe(retryUntilSuccess("storing dead letters"))
    for (const { offset } of unreadable) watermark.done(offset)
    moved.openUnsafe()
  })

  const take = Effect.fnUntraced(function* (dispatcher: Dispatcher) {
    const records = yield* partition.take(limits.feedRecords)
    const works: Array<OpenWork> = []
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
    yield* toDeadLetters(unreadable)
    // Records of other webhooks are behind these.
    const ageMs =
      kind === "replays" ? 0 : Math.max(0, (yield* Clock.currentTimeMillis) - records[0]!.timestamp)
    taken = { ageMs, atMs: nowMs() }
    isOffering = true
    const offering = offerAll(dispatcher, works, Math.max(0, feedWaitMs - ageMs))
    yield* Effect.ensuring(
      offering,
      Effect.sync(() => {
        isOffering = false
      })
    )
  })

  // Replayed deliveries may wait for their webhooks here, and other webhooks' behind them.
  if (kind === "live")
    yield* showAge("deliver", () => {
      const sinceMs = nowMs() - taken.atMs
      if (isOffering) return taken.ageMs + sinceMs
      // A feed that has more to take takes it at once.
      return sinceMs < IDLE_MS ? taken.ageMs : 0
    })

  const commit = Effect.suspend(() => partition.commit(watermark.committable()))
  const committing = Effect.gen(function* () {
    yield* Latch.await(moved)
    yield* Effect.sleep(limits.commitEveryMs)
    moved.closeUnsafe()
    yield* retryCommit(commit)
  })

  const openBacklog = (dispatcher: Dispatcher) =>
    Effect.sync(() => {
      if (lastTaken >= lastAtStart) dispatcher.openBacklog(kind)
    })

  return {
    commit,
    into: (dispatcher: Dispatcher) =>
      Effect.gen(function* () {
        yield* offerAll(dispatcher, [...open], 0)
        yield* openBacklog(dispatcher)
        const taking = Effect.andThen(take(dispatcher), openBacklog(dispatcher))
        return yield* Effect.raceFirst(Effect.forever(taking), Effect.forever(committing))
      })
  }
})
