/**
 * Decides what an actor does: messages in, commands out (Messages.ts). It queues offered work or moves it to the
 * backlog, starts requests within each webhook's concurrency limit and rate, and reads pages of the backlog. Memory is
 * bounded for each kind of lane (MemoryBudget), and no webhook waits for another. It has no fiber, clock or store: the
 * dispatcher sends the messages and executes the commands.
 */
import type { LaneKind, Work } from "../Work.ts"
import type { BacklogPage } from "./Backlog.ts"
import {
  afterPage,
  backlogKindOf,
  type Lane,
  lanePermission,
  pageAnew,
  pageLimit,
  putBack,
  setPermission,
  takeAllQueued,
  takeQueued,
  waitLeft,
  wantsPage
} from "./Lane.ts"
import {
  addHeld,
  enqueue,
  isBusy,
  largestOverFairShare,
  type MemoryBudget,
  release,
  remainingFor
} from "./MemoryBudget.ts"
import type { ActorMessage, Command, WebhookMessage } from "./Messages.ts"
import { connect, gathers, moveToBacklog, type Scheduler, type Step, start, startable } from "./Step.ts"
import {
  countMoved,
  isFree,
  isIdle,
  isStrict,
  lanesOf,
  makeWebhookQueue,
  requestEnded,
  type WebhookQueue
} from "./WebhookQueue.ts"

/** If this lane has no memory left, moves the longest queue over its fair share to the backlog. */
const makeMemoryAvailable = (step: Step, budget: MemoryBudget, queue: WebhookQueue) => {
  if (remainingFor(budget, queue) > 0) return
  const one = largestOverFairShare(budget, queue)
  if (one !== undefined) moveToBacklog(step, one, one[budget.kind], takeAllQueued(one[budget.kind]))
}

/** Memory is free again: lanes that wait to page may read, the longest waiting first. */
const pageWaitingLanes = (step: Step, budget: MemoryBudget) => {
  if (budget.waitingToPage.size === 0 || budget.held >= budget.most) return
  for (const queue of [...budget.waitingToPage]) {
    if (budget.held >= budget.most) return
    if (remainingFor(budget, queue) === 0) continue
    budget.waitingToPage.delete(queue)
    proceed(step, queue)
  }
}

type NotDue = NonNullable<BacklogPage["notDue"]>

const askPage = (step: Step, queue: WebhookQueue, lane: Lane) => {
  const { limits, budgets } = step.scheduler
  const budget = budgets[lane.kind]
  makeMemoryAvailable(step, budget, queue)
  const limit = pageLimit(lane, remainingFor(budget, queue), limits.lanePageRows)
  if (limit === 0) return void budget.waitingToPage.add(queue)
  if (lane.cursor === "") lane.mayHaveFree = false
  lane.page = { limit, settledSince: new Set(), movedSince: 0, stale: false }
  addHeld(budget, queue, limit)
  const { webhookId } = queue
  const { kind, cursor: afterId } = lane
  step.commands.push({ kind: "readPage", webhookId, lane: kind, rows: backlogKindOf(lane), afterId, limit })
}

const forget = ({ scheduler, commands }: Step, queue: WebhookQueue) => {
  for (const { waitingToPage } of Object.values(scheduler.budgets)) waitingToPage.delete(queue)
  scheduler.queues.delete(queue.webhookId)
  commands.push({ kind: "forget", webhookId: queue.webhookId })
}

/** The webhook is deleted. webhooks/DeletedQueues.ts ends its rows; what is queued may have none. */
const discard = (step: Step, queue: WebhookQueue) => {
  for (const lane of lanesOf(queue)) {
    moveToBacklog(step, queue, lane, takeAllQueued(lane))
    step.scheduler.budgets[lane.kind].waitingToPage.delete(queue)
  }
  if (queue.live.held + queue.replays.held === 0) forget(step, queue)
}

/** Does what the queue may do now. Every change of a queue ends with this call. */
const proceed = (step: Step, queue: WebhookQueue): void => {
  const { current, webhookId } = queue
  const { limits, budgets, stopped } = step.scheduler
  if (stopped) return
  if (current === undefined) return void discard(step, queue)
  for (const lane of lanesOf(queue)) {
    // Nothing has started since the delivery failed, so it is recorded if everything is.
    if (lane.willWait && queue.unsettled === 0) {
      lane.willWait = false
      moveToBacklog(step, queue, lane, takeAllQueued(lane))
    }
    const permission = lanePermission(lane, current.permission)
    if (permission !== lane.permission) moveToBacklog(step, queue, lane, setPermission(lane, permission))
  }
  const lane = startable(step, queue)
  const { webhook } = current
  if (webhook !== undefined && lane !== undefined && !gathers(step, queue, lane, webhook.config.batch)) {
    if (lane === queue.live) connect(step, queue, webhook)
    else if (!queue.replayStartAsked) {
      queue.replayStartAsked = true
      step.commands.push({ kind: "askReplayStart", webhookId })
    }
  }
  for (const lane of lanesOf(queue)) {
    if (budgets[lane.kind].mayPage && wantsPage(lane, limits.lanePageRows)) askPage(step, queue, lane)
  }
}

const offer = (step: Step, queue: WebhookQueue, work: Work, isSlow: boolean) => {
  const lane = queue[work.kind]
  const budget = step.scheduler.budgets[work.kind]
  if (lane.mode === "log" && !isSlow) makeMemoryAvailable(step, budget, queue)
  const isFull = isSlow || remainingFor(budget, queue) === 0
  if (lane.mode === "backlog" || queue.current?.permission !== "all" || isFull) {
    // `moving` keeps the lane in mode `backlog` until this work has its row: later work must not overtake it.
    lane.mode = "backlog"
    addHeld(budget, queue, 1)
    moveToBacklog(step, queue, lane, [work])
  } else {
    work.wasFree = work.kind === "live" && isFree(queue, step.nowMs)
    enqueue(budget, queue, work, step.nowMs)
    proceed(step, queue)
  }
}

/** Undefined if it has waited. */
const stillHeld = (
  { nowMs }: Step,
  lane: Lane,
  works: ReadonlyArray<Work>,
  notDue: NotDue | undefined
): NotDue | undefined => {
  if (notDue === undefined) return undefined
  const waitMs = waitLeft(lane, works[notDue.place]!.key, notDue.waitMs, nowMs)
  return waitMs === 0 ? undefined : { ...notDue, waitMs }
}

/** The page is followed by a delivery that waits for its time. If it is the first one of all, the lane waits too. */
const holdBack = (step: Step, { webhookId }: WebhookQueue, lane: Lane, { place, waitMs }: NotDue) => {
  const isFirst = place === 0 && lane.cursor === "" && lane.queued.length === 0
  pageAnew(lane)
  if (!isFirst) return
  lane.waits = true
  step.commands.push({ kind: "wake", webhookId, afterMs: waitMs, message: "due" })
}

const takePage = (
  step: Step,
  queue: WebhookQueue,
  lane: Lane,
  { rows, lastId, notDue, works }: BacklogPage
) => {
  const { scheduler } = step
  const budget = scheduler.budgets[lane.kind]
  const { cursor, mode, page, waits } = lane
  if (page === undefined) return
  lane.page = undefined
  addHeld(budget, queue, -page.limit)
  if (!page.stale && !scheduler.stopped) {
    const held = isStrict(queue) ? stillHeld(step, lane, works, notDue) : undefined
    for (const work of works.slice(0, held?.place)) {
      if (page.settledSince.has(work.deliveryId)) continue
      if (isBusy(scheduler.budgets, work.key)) {
        // Replays wait until this backlog is empty: a second record there must not wait for its own row.
        const replayed = lane.kind === "live" ? takeQueued(queue.replays, work.key) : undefined
        if (replayed === undefined) continue
        scheduler.budgets.replays.busy.delete(work.key)
        release(scheduler.budgets.replays, queue, replayed)
      }
      enqueue(budget, queue, work, step.nowMs)
      lane.walked++
    }
    if (rows > 0) lane.mayHaveFree = true
    if (held === undefined) afterPage(lane, page, rows, lastId, scheduler.limits.partitionDeliveries)
    else holdBack(step, queue, lane, held)
  }
  // A page from the start that brought nothing is read again only after a change. In mode `log` replays may start.
  const isChanged = page.stale || page.settledSince.size + page.movedSince > 0
  const isMore = isChanged || lane.queued.length > 0 || cursor !== "" || lane.waits !== waits
  if (isMore || lane.mode !== mode) proceed(step, queue)
  pageWaitingLanes(step, budget)
}

/** The rows of these works are in the backlog. */
const moved = (step: Step, queue: WebhookQueue, lane: Lane, works: ReadonlyArray<Work>) => {
  const budget = step.scheduler.budgets[lane.kind]
  lane.moving -= works.length
  if (lane.page !== undefined) lane.page.movedSince += works.length
  // The first attempt of a live delivery, which is not free, is moved before it has its row.
  if (works.some(({ row }) => row === undefined)) lane.mayHaveFree = true
  for (const work of works) release(budget, queue, work)
  // The lane for which this queue was emptied comes first.
  pageWaitingLanes(step, budget)
}

/** The works of a request are of one lane. */
const settle = (step: Step, queue: WebhookQueue, works: ReadonlyArray<Work>) => {
  queue.unsettled--
  countMoved(queue, works.length, step.nowMs)
  step.scheduler.sending -= works.length
  const { kind } = works[0]!
  const budget = step.scheduler.budgets[kind]
  for (const work of works) {
    budget.busy.delete(work.key)
    release(budget, queue, work)
    queue[kind].page?.settledSince.add(work.deliveryId)
  }
  // If an earlier owner recorded the attempt first, as failed, the delivery holds back its lane.
  if (isStrict(queue) && works.some(({ mayBeHandled }) => mayBeHandled === true)) readBacklog(queue[kind])
  proceed(step, queue)
  pageWaitingLanes(step, budget)
}

/**
 * The request was not sent, because this machine lacked something. Its deliveries are queued again, and the webhook
 * pauses. Afterwards it sends one request at a time until one has ended.
 */
const withdraw = (step: Step, queue: WebhookQueue, works: ReadonlyArray<Work>) => {
  const lane = queue[works[0]!.kind]
  step.scheduler.sending -= works.length
  requestEnded(queue, step.nowMs)
  queue.unsettled--
  queue.lacking = true
  putBack(lane, works)
  if (lane.permission !== "all") moveToBacklog(step, queue, lane, takeAllQueued(lane))
  if (queue.waiting) return
  queue.waiting = true
  const { webhookId } = queue
  step.commands.push({
    kind: "wake",
    webhookId,
    afterMs: step.scheduler.limits.lackPauseMs,
    message: "woken"
  })
}

/** The queue of the message's webhook, made by its first `offered` or `resumed`. */
const queueOf = (
  { scheduler: { queues }, nowMs }: Step,
  message: WebhookMessage
): WebhookQueue | undefined => {
  const { kind, webhookId } = message
  const queue = queues.get(webhookId)
  if (queue !== undefined || (kind !== "offered" && kind !== "resumed")) return queue
  const made = makeWebhookQueue(webhookId, message.current, kind === "offered" ? "log" : "backlog", nowMs)
  queues.set(webhookId, made)
  return made
}

/** Lets lanes of this kind read their backlog. */
const openBacklog = (step: Step, kind: LaneKind) => {
  const { budgets, queues } = step.scheduler
  if (budgets[kind].mayPage) return
  budgets[kind].mayPage = true
  for (const queue of [...queues.values()]) proceed(step, queue)
}

/** The lane reads its backlog from the start. */
const readBacklog = (lane: Lane) => {
  if (lane.mode === "log") lane.behind++
  lane.mode = "backlog"
  lane.waits = false
  pageAnew(lane)
}

const onWebhookMessage = (step: Step, queue: WebhookQueue, message: WebhookMessage): void => {
  switch (message.kind) {
    case "offered":
      offer(step, queue, message.work, message.isSlow === true)
      return
    case "pageRead":
      takePage(step, queue, queue[message.lane], message.page)
      return
    case "settled":
      settle(step, queue, message.works)
      return
    case "replayMayStart": {
      queue.replayStartAsked = false
      const webhook = queue.current?.webhook
      if (webhook !== undefined && startable(step, queue) === queue.replays) connect(step, queue, webhook)
      return
    }
    case "resumed":
      for (const lane of lanesOf(queue)) readBacklog(lane)
      break
    case "changed":
      queue.current = message.current
      for (const lane of lanesOf(queue)) lane.waits = false
      break
    case "due":
      for (const lane of lanesOf(queue)) lane.waits = false
      break
    case "movedToBacklog":
      moved(step, queue, queue[message.lane], message.works)
      break
    case "connected":
      queue.waiting = false
      start(step, queue, message.share)
      break
    case "woken":
      queue.waiting = false
      break
    case "gathered":
      queue.gathering = false
      break
    case "notSent":
      withdraw(step, queue, message.works)
      break
    case "ended":
      requestEnded(queue, step.nowMs)
      if (message.holds !== undefined) queue[message.holds].willWait = true
      queue.lacking = false
      break
  }
  proceed(step, queue)
}

/** Applies the message and returns the commands to execute, in order. */
export const advance = (
  scheduler: Scheduler,
  message: WebhookMessage | ActorMessage,
  { nowMs, mayRunAhead }: Pick<Step, "nowMs" | "mayRunAhead">
): ReadonlyArray<Command> => {
  const step: Step = { scheduler, nowMs, mayRunAhead, commands: [] }
  if (message.kind === "stopped") scheduler.stopped = true
  else if (message.kind === "caughtUp") openBacklog(step, message.lane)
  else if (message.kind === "offered" && isBusy(scheduler.budgets, message.work.key))
    message.work.acknowledge?.()
  else {
    const queue = queueOf(step, message)
    if (queue === undefined) return step.commands
    onWebhookMessage(step, queue, message)
    // A process that serves a million webhooks has memory for those that have deliveries.
    if (isIdle(queue)) forget(step, queue)
  }
  return step.commands
}
