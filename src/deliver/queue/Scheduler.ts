/**
 * The lanes of one actor as a state machine: events in, commands out (LaneEvents). It queues or refuses offered work,
 * starts attempts within each webhook's window, rate and share of connections, and reads pages of the backlog. Memory
 * is bounded for each kind of lane (MemoryBudget), and no webhook waits for another. It uses no fiber, clock or
 * store: Dispatcher sends the events and executes the commands.
 */
import type { Batch } from "../../domain/Batch.ts"
import type { RegisteredWebhook } from "../../webhooks/WebhookRegistry.ts"
import type { Share } from "../send/ConnectionLimiter.ts"
import type { BacklogPage } from "./Backlog.ts"
import { batchWaitMs, getsNoMore, takeSending } from "./BatchMaking.ts"
import {
  afterPage,
  backlogKindOf,
  isFree,
  isIdle,
  type Lane,
  type LaneKind,
  lanePermission,
  lanesOf,
  makeWebhookQueue,
  mayStart,
  pageLimit,
  setPermission,
  takeAllQueued,
  takeQueued,
  type WebhookQueue,
  type Work,
  wantsPage
} from "./Lane.ts"
import {
  enqueue,
  release,
  type Scheduler,
  type SchedulerLimits,
  type Step,
  spill,
  withdraw
} from "./LaneStep.ts"
import {
  addHeld,
  isBusy,
  largestOverFairShare,
  type MemoryBudget,
  makeMemoryBudget,
  remainingFor
} from "./MemoryBudget.ts"
import type { ActorMessage, Command, WebhookMessage } from "./Messages.ts"
import { noteInFlight } from "./WindowUse.ts"

export interface Moment {
  /** Of the monotonic clock. */
  readonly nowMs: number
  /** How many attempts may start although earlier ones of their webhooks wait for their record. */
  readonly ahead: number
}

const SECOND_MS = 1_000

export const makeScheduler = (limits: SchedulerLimits): Scheduler => ({
  limits,
  queues: new Map(),
  budgets: {
    live: makeMemoryBudget("live", { ...limits.lanes, deliveries: limits.partitionDeliveries }),
    replays: makeMemoryBudget("replays", { ...limits.lanes, deliveries: limits.partitionReplays })
  },
  sending: 0,
  stopped: false
})

/**
 * Whether the webhook's lane will take more work from the log soon: it sends many deliveries a second, and it has a
 * backlog that will be gone within seconds, no memory left, or as many deliveries queued as it sends within half a second
 * or in two batches. A new lane is given a moment to begin.
 */
export const isCrowded = (
  { budgets, limits, queues }: Scheduler,
  kind: LaneKind,
  webhookId: string,
  nowMs: number
): boolean => {
  const queue = queues.get(webhookId)
  if (queue?.current?.permission !== "all") return false
  const perSecond = queue.moved.recent(nowMs)
  if (perSecond < limits.manyPerSecond && nowMs - queue.madeAt > limits.beginMs) return false
  const { behind, mode, queued } = queue[kind]
  if (mode === "backlog") return (behind + queued.length) * SECOND_MS <= perSecond * limits.drainsWithinMs
  if (remainingFor(budgets[kind], queue) === 0) return true
  const batches = 2 * (queue.current.webhook.config.batch?.max_events ?? 0)
  return (
    kind === "live" && queued.length >= Math.max(limits.queuedLeast, batches, perSecond * limits.queuedPart)
  )
}

/** If this lane has no memory left, spills the queue of the lane that is furthest over its fair share. */
const makeMemoryAvailable = (step: Step, budget: MemoryBudget, queue: WebhookQueue) => {
  if (remainingFor(budget, queue) > 0) return
  const one = largestOverFairShare(budget, queue)
  if (one !== undefined) spill(step, one, one[budget.kind], takeAllQueued(one[budget.kind]))
}

/** Memory is free again: lanes that wait to page may read, the longest waiting first. */
const pageWaitingLanes = (step: Step, budget: MemoryBudget) => {
  if (budget.waitingToPage.size === 0 || budget.held >= budget.limits.deliveries) return
  for (const queue of [...budget.waitingToPage]) {
    if (budget.held >= budget.limits.deliveries) return
    if (remainingFor(budget, queue) === 0) continue
    budget.waitingToPage.delete(queue)
    proceed(step, queue)
  }
}

const askPage = (step: Step, queue: WebhookQueue, lane: Lane) => {
  const { limits, budgets } = step.machine
  const budget = budgets[lane.kind]
  makeMemoryAvailable(step, budget, queue)
  const limit = pageLimit(lane, remainingFor(budget, queue), limits.lanePageRows)
  if (limit === 0) return void budget.waitingToPage.add(queue)
  lane.page = { limit, settledSince: new Set(), movedSince: 0, stale: false }
  addHeld(budget, queue, limit)
  const { webhookId } = queue
  const { kind, cursor: afterId } = lane
  step.commands.push({ kind: "readPage", webhookId, lane: kind, rows: backlogKindOf(lane), afterId, limit })
}

const forget = ({ machine, commands }: Step, queue: WebhookQueue) => {
  for (const { waitingToPage } of Object.values(machine.budgets)) waitingToPage.delete(queue)
  machine.queues.delete(queue.webhookId)
  commands.push({ kind: "forget", webhookId: queue.webhookId })
}

/** The webhook is deleted. storage/deliveries/DeletedQueues.ts ends its rows; what is queued may have none. */
const discard = (step: Step, queue: WebhookQueue) => {
  for (const lane of lanesOf(queue)) {
    spill(step, queue, lane, takeAllQueued(lane))
    step.machine.budgets[lane.kind].waitingToPage.delete(queue)
  }
  if (queue.live.held + queue.replays.held === 0) forget(step, queue)
}

/** The lane whose next delivery may start, given a token of the rate and a connection. */
const startable = ({ machine, ahead }: Step, queue: WebhookQueue): Lane | undefined =>
  machine.stopped || queue.waiting || queue.current?.webhook === undefined
    ? undefined
    : mayStart(queue, queue.current.webhook.config.max_in_flight, ahead > 0)

/** Requests a token of the rate, then a connection. */
const connect = ({ nowMs, commands }: Step, queue: WebhookQueue, webhook: RegisteredWebhook) => {
  const { webhookId } = queue
  const afterMs = queue.rate.waitMs(webhook.config.max_per_second, nowMs)
  queue.waiting = true
  commands.push(
    afterMs > 0 ? { kind: "wake", webhookId, afterMs, event: "woken" } : { kind: "connect", webhookId }
  )
}

/**
 * Whether the lane's next request is a batch that waits for more events. A lane without memory gets none. The timer
 * under way is never late: the first event of any later batch was queued later.
 */
const gathers = ({ machine, nowMs, commands }: Step, queue: WebhookQueue, lane: Lane, batch?: Batch) => {
  const { webhookId } = queue
  const { budgets, limits } = machine
  if (batch === undefined || getsNoMore(lane, batch) || remainingFor(budgets[lane.kind], queue) === 0) {
    return false
  }
  if (queue.gathering) return true
  const afterMs = batchWaitMs(lane, Math.max(batch.max_wait_ms, limits.batchLeastWaitMs), nowMs)
  if (afterMs === 0) return false
  queue.gathering = true
  commands.push({ kind: "wake", webhookId, afterMs, event: "gathered" })
  return true
}

/** Does what the queue may do now. Every change of a queue ends with this call. */
const proceed = (step: Step, queue: WebhookQueue): void => {
  const { current, webhookId } = queue
  const { limits, budgets, stopped } = step.machine
  if (stopped) return
  if (current === undefined) return void discard(step, queue)
  for (const lane of lanesOf(queue)) {
    const permission = lanePermission(lane, current.permission)
    if (permission !== lane.permission) spill(step, queue, lane, setPermission(lane, permission))
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

const start = (step: Step, queue: WebhookQueue, share: Share) => {
  const { machine, commands } = step
  const lane = startable(step, queue)
  const webhook = queue.current?.webhook
  const sending =
    lane === undefined || webhook === undefined
      ? undefined
      : takeSending(lane, webhook, machine.limits.batchBodyBytes)
  if (webhook === undefined || sending === undefined) {
    commands.push({ kind: "disconnect", share })
    return
  }
  const attempts = sending.works.length
  queue.rate.take(webhook.config.max_per_second, step.nowMs)
  noteInFlight(queue.use, queue.inFlight, step.nowMs)
  queue.inFlight++
  queue.unsettled++
  machine.sending += attempts
  step.ahead -= attempts
  commands.push({ kind: "start", webhook, sending, share })
}

const offer = (step: Step, queue: WebhookQueue, work: Work, isSlow: boolean) => {
  const lane = queue[work.kind]
  const budget = step.machine.budgets[work.kind]
  if (lane.mode === "log" && !isSlow) makeMemoryAvailable(step, budget, queue)
  const isFull = isSlow || remainingFor(budget, queue) === 0
  if (lane.mode === "backlog" || queue.current?.permission !== "all" || isFull) {
    // `moving` keeps the lane in mode `backlog` until this work has its row: later work must not overtake it.
    lane.mode = "backlog"
    addHeld(budget, queue, 1)
    spill(step, queue, lane, [work])
  } else {
    work.wasFree = work.kind === "live" && isFree(queue, step.nowMs)
    enqueue(step, queue, work)
    proceed(step, queue)
  }
}

const takePage = (step: Step, queue: WebhookQueue, lane: Lane, { rows, lastId, works }: BacklogPage) => {
  const { machine } = step
  const budget = machine.budgets[lane.kind]
  const { cursor, mode, page } = lane
  if (page === undefined) return
  lane.page = undefined
  addHeld(budget, queue, -page.limit)
  if (!page.stale && !machine.stopped) {
    for (const work of works) {
      if (page.settledSince.has(work.deliveryId)) continue
      if (isBusy(machine.budgets, work.key)) {
        // Replays wait until this backlog is empty: a second record there must not wait for its own row.
        const replayed = lane.kind === "live" ? takeQueued(queue.replays, work.key) : undefined
        if (replayed === undefined) continue
        machine.budgets.replays.busy.delete(work.key)
        release(step, queue, replayed)
      }
      enqueue(step, queue, work)
      lane.walked++
    }
    afterPage(lane, page, rows, lastId, machine.limits.laneWalkDeliveries)
  }
  // A page from the start that brought nothing is read again only after a change. In mode `log` replays may start.
  const isChanged = page.stale || page.settledSince.size + page.movedSince > 0
  const isMore = isChanged || lane.queued.length > 0 || cursor !== ""
  if (isMore || lane.mode !== mode) proceed(step, queue)
  pageWaitingLanes(step, budget)
}

/** The works of a request are of one lane. */
const settle = (step: Step, queue: WebhookQueue, works: ReadonlyArray<Work>) => {
  queue.unsettled--
  queue.moved.add(works.length, step.nowMs)
  step.machine.sending -= works.length
  for (const work of works) {
    step.machine.budgets[work.kind].busy.delete(work.key)
    release(step, queue, work)
    queue[work.kind].page?.settledSince.add(work.deliveryId)
  }
  proceed(step, queue)
  pageWaitingLanes(step, step.machine.budgets[works[0]!.kind])
}

/** The queue of the event's webhook, made by its first `offered` or `resumed`. */
const queueOf = ({ machine: { queues }, nowMs }: Step, event: WebhookMessage): WebhookQueue | undefined => {
  const { kind, webhookId } = event
  const queue = queues.get(webhookId)
  if (queue !== undefined || (kind !== "offered" && kind !== "resumed")) return queue
  const made = makeWebhookQueue(webhookId, event.current, kind === "offered" ? "log" : "backlog", nowMs)
  queues.set(webhookId, made)
  return made
}

const onActorMessage = (step: Step, event: ActorMessage) => {
  const { machine } = step
  if (event.kind === "stopped") {
    machine.stopped = true
    return
  }
  const budget = machine.budgets[event.lane]
  if (budget.mayPage) return
  budget.mayPage = true
  for (const queue of [...machine.queues.values()]) proceed(step, queue)
}

const onWebhookMessage = (step: Step, queue: WebhookQueue, event: WebhookMessage) => {
  switch (event.kind) {
    case "offered":
      offer(step, queue, event.work, event.isSlow === true)
      break
    case "resumed":
      for (const lane of lanesOf(queue)) {
        if (lane.mode === "backlog") continue
        lane.mode = "backlog"
        lane.behind++
      }
      proceed(step, queue)
      break
    case "changed":
      queue.current = event.current
      proceed(step, queue)
      break
    case "movedToBacklog": {
      const lane = queue[event.lane]
      lane.moving -= event.works.length
      if (lane.page !== undefined) lane.page.movedSince += event.works.length
      for (const work of event.works) release(step, queue, work)
      // The lane for which this queue was spilled comes first.
      pageWaitingLanes(step, step.machine.budgets[event.lane])
      proceed(step, queue)
      break
    }
    case "pageRead":
      takePage(step, queue, queue[event.lane], event.page)
      break
    case "connected":
      queue.waiting = false
      start(step, queue, event.share)
      proceed(step, queue)
      break
    case "woken":
      queue.waiting = false
      proceed(step, queue)
      break
    case "gathered":
      queue.gathering = false
      proceed(step, queue)
      break
    case "replayMayStart": {
      queue.replayStartAsked = false
      const lane = startable(step, queue)
      const webhook = queue.current?.webhook
      if (webhook !== undefined && lane === queue.replays) connect(step, queue, webhook)
      break
    }
    case "notSent":
      step.commands.push({ kind: "disconnect", share: event.share })
      withdraw(step, queue, event.works)
      proceed(step, queue)
      break
    case "attemptEnded":
      noteInFlight(queue.use, queue.inFlight, step.nowMs)
      queue.use.ended++
      queue.inFlight--
      queue.lacking = false
      step.commands.push({ kind: "disconnect", share: event.share })
      proceed(step, queue)
      break
    case "settled":
      settle(step, queue, event.works)
      break
  }
}

/** Applies the event to the machine and returns the commands to execute, in order. */
export const advance = (
  machine: Scheduler,
  event: WebhookMessage | ActorMessage,
  { nowMs, ahead }: Moment
): ReadonlyArray<Command> => {
  const step: Step = { machine, nowMs, ahead, commands: [] }
  if (event.kind === "stopped" || event.kind === "caughtUp") onActorMessage(step, event)
  else if (event.kind === "offered" && isBusy(machine.budgets, event.work.key)) {
    if (event.work.acknowledge !== undefined) step.commands.push({ kind: "acknowledge", work: event.work })
  } else {
    const queue = queueOf(step, event)
    if (queue === undefined) return step.commands
    onWebhookMessage(step, queue, event)
    // A process that serves a million webhooks has memory for those that have deliveries.
    if (isIdle(queue)) forget(step, queue)
  }
  return step.commands
}
