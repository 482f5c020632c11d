/**
 * The lanes of one actor as a state machine: events in, commands out (LaneEvents). It queues or refuses offered work,
 * starts attempts within each webhook's window, rate and share of connections, and reads pages of the backlog. Memory
 * is bounded for each kind of lane (MemoryBudget), and no webhook waits for another. It uses no fiber, clock or
 * store: Lanes sends the events and executes the commands.
 */
import type { Batch } from "../../domain/Batch.ts"
import type { RegisteredWebhook } from "../../webhooks/WebhookRegistry.ts"
import type { Share } from "../send/ConnectionLimiter.ts"
import type { BacklogPage } from "./Backlog.ts"
import { batchWaitMs, getsNoMore, takeSending } from "./BatchMaking.ts"
import {
  afterPage,
  backlogKindOf,
  emptyIntoBacklog,
  isFree,
  isIdle,
  type Lane,
  type LaneKind,
  lanePermission,
  lanesOf,
  makeOutlet,
  mayStart,
  type Outlet,
  pageLimit,
  setPermission,
  takeQueued,
  type Work,
  wantsPage
} from "./Lane.ts"
import {
  enqueue,
  type LaneMachine,
  type MachineLimits,
  release,
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
import type { ActorEvent, Command, LaneEvent } from "./Messages.ts"
import { noteInFlight } from "./WindowUse.ts"

export interface Moment {
  /** Of the monotonic clock. */
  readonly nowMs: number
  /** How many attempts may start although earlier ones of their webhooks wait for their record. */
  readonly ahead: number
}

const SECOND_MS = 1_000

export const makeMachine = (limits: MachineLimits): LaneMachine => ({
  limits,
  outlets: new Map(),
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
  { budgets, limits, outlets }: LaneMachine,
  kind: LaneKind,
  webhookId: string,
  nowMs: number
): boolean => {
  const outlet = outlets.get(webhookId)
  if (outlet?.current?.permission !== "all") return false
  const perSecond = outlet.moved.recent(nowMs)
  if (perSecond < limits.manyPerSecond && nowMs - outlet.madeAt > limits.beginMs) return false
  const { behind, mode, queue } = outlet[kind]
  if (mode === "backlog") return (behind + queue.length) * SECOND_MS <= perSecond * limits.drainsWithinMs
  if (remainingFor(budgets[kind], outlet) === 0) return true
  const batches = 2 * (outlet.current.webhook.config.batch?.max_events ?? 0)
  return (
    kind === "live" && queue.length >= Math.max(limits.queuedLeast, batches, perSecond * limits.queuedPart)
  )
}

/** If this lane has no memory left, spills the queue of the lane that is furthest over its fair share. */
const makeMemoryAvailable = (step: Step, budget: MemoryBudget, outlet: Outlet) => {
  if (remainingFor(budget, outlet) > 0) return
  const one = largestOverFairShare(budget, outlet)
  if (one !== undefined) spill(step, one, one[budget.kind], emptyIntoBacklog(one[budget.kind]))
}

/** Memory is free again: lanes that wait to page may read, the longest waiting first. */
const pageWaitingLanes = (step: Step, budget: MemoryBudget) => {
  if (budget.waitingToPage.size === 0 || budget.held >= budget.limits.deliveries) return
  for (const outlet of [...budget.waitingToPage]) {
    if (budget.held >= budget.limits.deliveries) return
    if (remainingFor(budget, outlet) === 0) continue
    budget.waitingToPage.delete(outlet)
    proceed(step, outlet)
  }
}

const askPage = (step: Step, outlet: Outlet, lane: Lane) => {
  const { limits, budgets } = step.machine
  const budget = budgets[lane.kind]
  makeMemoryAvailable(step, budget, outlet)
  const limit = pageLimit(lane, remainingFor(budget, outlet), limits.lanePageRows)
  if (limit === 0) return void budget.waitingToPage.add(outlet)
  lane.page = { limit, settledSince: new Set(), spilledSince: 0, stale: false }
  addHeld(budget, outlet, limit)
  const { webhookId } = outlet
  const { kind, cursor: afterId } = lane
  step.commands.push({ kind: "readPage", webhookId, lane: kind, rows: backlogKindOf(lane), afterId, limit })
}

const forget = ({ machine, commands }: Step, outlet: Outlet) => {
  for (const { waitingToPage } of Object.values(machine.budgets)) waitingToPage.delete(outlet)
  machine.outlets.delete(outlet.webhookId)
  commands.push({ kind: "forget", webhookId: outlet.webhookId })
}

/** The webhook is deleted. storage/deliveries/DeletedQueues.ts ends its rows; what is queued may have none. */
const discard = (step: Step, outlet: Outlet) => {
  for (const lane of lanesOf(outlet)) {
    spill(step, outlet, lane, emptyIntoBacklog(lane))
    step.machine.budgets[lane.kind].waitingToPage.delete(outlet)
  }
  if (outlet.live.held + outlet.replays.held === 0) forget(step, outlet)
}

/** The lane whose next delivery may start, given a token of the rate and a connection. */
const startable = ({ machine, ahead }: Step, outlet: Outlet): Lane | undefined =>
  machine.stopped || outlet.waiting || outlet.current?.webhook === undefined
    ? undefined
    : mayStart(outlet, outlet.current.webhook.config.max_in_flight, ahead > 0)

/** Requests a token of the rate, then a connection. */
const connect = ({ nowMs, commands }: Step, outlet: Outlet, webhook: RegisteredWebhook) => {
  const { webhookId } = outlet
  const afterMs = outlet.rate.waitMs(webhook.config.max_per_second, nowMs)
  outlet.waiting = true
  commands.push(
    afterMs > 0 ? { kind: "wake", webhookId, afterMs, event: "woken" } : { kind: "connect", webhookId }
  )
}

/**
 * Whether the lane's next request is a batch that waits for more events. A lane without memory gets none. The timer
 * under way is never late: the first event of any later batch was queued later.
 */
const gathers = ({ machine, nowMs, commands }: Step, outlet: Outlet, lane: Lane, batch?: Batch) => {
  const { webhookId } = outlet
  const { budgets, limits } = machine
  if (batch === undefined || getsNoMore(lane, batch) || remainingFor(budgets[lane.kind], outlet) === 0) {
    return false
  }
  if (outlet.gathering) return true
  const afterMs = batchWaitMs(lane, Math.max(batch.max_wait_ms, limits.batchLeastWaitMs), nowMs)
  if (afterMs === 0) return false
  outlet.gathering = true
  commands.push({ kind: "wake", webhookId, afterMs, event: "gathered" })
  return true
}

/** Does what the outlet may do now. Every change of an outlet ends with this call. */
const proceed = (step: Step, outlet: Outlet): void => {
  const { current, webhookId } = outlet
  const { limits, budgets, stopped } = step.machine
  if (stopped) return
  if (current === undefined) return void discard(step, outlet)
  for (const lane of lanesOf(outlet)) {
    const permission = lanePermission(lane, current.permission)
    if (permission !== lane.permission) spill(step, outlet, lane, setPermission(lane, permission))
  }
  const lane = startable(step, outlet)
  const { webhook } = current
  if (webhook !== undefined && lane !== undefined && !gathers(step, outlet, lane, webhook.config.batch)) {
    if (lane === outlet.live) connect(step, outlet, webhook)
    else if (!outlet.replayStartAsked) {
      outlet.replayStartAsked = true
      step.commands.push({ kind: "askReplayStart", webhookId })
    }
  }
  for (const lane of lanesOf(outlet)) {
    if (budgets[lane.kind].mayPage && wantsPage(lane, limits.lanePageRows)) askPage(step, outlet, lane)
  }
}

const start = (step: Step, outlet: Outlet, share: Share) => {
  const { machine, commands } = step
  const lane = startable(step, outlet)
  const webhook = outlet.current?.webhook
  const sending =
    lane === undefined || webhook === undefined
      ? undefined
      : takeSending(lane, webhook, machine.limits.batchBodyBytes)
  if (webhook === undefined || sending === undefined) {
    commands.push({ kind: "disconnect", share })
    return
  }
  const attempts = sending.works.length
  outlet.rate.take(webhook.config.max_per_second, step.nowMs)
  noteInFlight(outlet.use, outlet.inFlight, step.nowMs)
  outlet.inFlight++
  outlet.unsettled++
  machine.sending += attempts
  step.ahead -= attempts
  commands.push({ kind: "start", webhook, sending, share })
}

const offer = (step: Step, outlet: Outlet, work: Work, isSlow: boolean) => {
  const lane = outlet[work.kind]
  const budget = step.machine.budgets[work.kind]
  if (lane.mode === "log" && !isSlow) makeMemoryAvailable(step, budget, outlet)
  const isFull = isSlow || remainingFor(budget, outlet) === 0
  if (lane.mode === "backlog" || outlet.current?.permission !== "all" || isFull) {
    // `spilling` keeps the lane in mode `backlog` until this work has its row: later work must not overtake it.
    lane.mode = "backlog"
    addHeld(budget, outlet, 1)
    spill(step, outlet, lane, [work])
  } else {
    work.wasFree = work.kind === "live" && isFree(outlet, step.nowMs)
    enqueue(step, outlet, work)
    proceed(step, outlet)
  }
}

const takePage = (step: Step, outlet: Outlet, lane: Lane, { rows, lastId, works }: BacklogPage) => {
  const { machine } = step
  const budget = machine.budgets[lane.kind]
  const { cursor, mode, page } = lane
  if (page === undefined) return
  lane.page = undefined
  addHeld(budget, outlet, -page.limit)
  if (!page.stale && !machine.stopped) {
    for (const work of works) {
      if (page.settledSince.has(work.deliveryId)) continue
      if (isBusy(machine.budgets, work.key)) {
        // Replays wait until this backlog is empty: a second record there must not wait for its own row.
        const replayed = lane.kind === "live" ? takeQueued(outlet.replays, work.key) : undefined
        if (replayed === undefined) continue
        machine.budgets.replays.busy.delete(work.key)
        release(step, outlet, replayed)
      }
      enqueue(step, outlet, work)
      lane.walked++
    }
    afterPage(lane, page, rows, lastId, machine.limits.laneWalkDeliveries)
  }
  // A page from the start that brought nothing is read again only after a change. In mode `log` replays may start.
  const isChanged = page.stale || page.settledSince.size + page.spilledSince > 0
  const isMore = isChanged || lane.queue.length > 0 || cursor !== ""
  if (isMore || lane.mode !== mode) proceed(step, outlet)
  pageWaitingLanes(step, budget)
}

/** The works of a request are of one lane. */
const settle = (step: Step, outlet: Outlet, works: ReadonlyArray<Work>) => {
  outlet.unsettled--
  outlet.moved.add(works.length, step.nowMs)
  step.machine.sending -= works.length
  for (const work of works) {
    step.machine.budgets[work.kind].busy.delete(work.key)
    release(step, outlet, work)
    outlet[work.kind].page?.settledSince.add(work.deliveryId)
  }
  proceed(step, outlet)
  pageWaitingLanes(step, step.machine.budgets[works[0]!.kind])
}

/** The outlet of the event's webhook, made by its first `offered` or `resumed`. */
const outletOf = ({ machine: { outlets }, nowMs }: Step, event: LaneEvent): Outlet | undefined => {
  const { kind, webhookId } = event
  const outlet = outlets.get(webhookId)
  if (outlet !== undefined || (kind !== "offered" && kind !== "resumed")) return outlet
  const made = makeOutlet(webhookId, event.current, kind === "offered" ? "log" : "backlog", nowMs)
  outlets.set(webhookId, made)
  return made
}

const onActorEvent = (step: Step, event: ActorEvent) => {
  const { machine } = step
  if (event.kind === "stopped") {
    machine.stopped = true
    return
  }
  const budget = machine.budgets[event.lane]
  if (budget.mayPage) return
  budget.mayPage = true
  for (const outlet of [...machine.outlets.values()]) proceed(step, outlet)
}

const onLaneEvent = (step: Step, outlet: Outlet, event: LaneEvent) => {
  switch (event.kind) {
    case "offered":
      offer(step, outlet, event.work, event.isSlow === true)
      break
    case "resumed":
      for (const lane of lanesOf(outlet)) {
        if (lane.mode === "backlog") continue
        lane.mode = "backlog"
        lane.behind++
      }
      proceed(step, outlet)
      break
    case "changed":
      outlet.current = event.current
      proceed(step, outlet)
      break
    case "spilled": {
      const lane = outlet[event.lane]
      lane.spilling -= event.works.length
      if (lane.page !== undefined) lane.page.spilledSince += event.works.length
      for (const work of event.works) release(step, outlet, work)
      // The lane for which this queue was spilled comes first.
      pageWaitingLanes(step, step.machine.budgets[event.lane])
      proceed(step, outlet)
      break
    }
    case "pageRead":
      takePage(step, outlet, outlet[event.lane], event.page)
      break
    case "connected":
      outlet.waiting = false
      start(step, outlet, event.share)
      proceed(step, outlet)
      break
    case "woken":
      outlet.waiting = false
      proceed(step, outlet)
      break
    case "gathered":
      outlet.gathering = false
      proceed(step, outlet)
      break
    case "replayMayStart": {
      outlet.replayStartAsked = false
      const lane = startable(step, outlet)
      const webhook = outlet.current?.webhook
      if (webhook !== undefined && lane === outlet.replays) connect(step, outlet, webhook)
      break
    }
    case "notSent":
      step.commands.push({ kind: "disconnect", share: event.share })
      withdraw(step, outlet, event.works)
      proceed(step, outlet)
      break
    case "attemptEnded":
      noteInFlight(outlet.use, outlet.inFlight, step.nowMs)
      outlet.use.ended++
      outlet.inFlight--
      outlet.lacking = false
      step.commands.push({ kind: "disconnect", share: event.share })
      proceed(step, outlet)
      break
    case "settled":
      settle(step, outlet, event.works)
      break
  }
}

/** Applies the event to the machine and returns the commands to execute, in order. */
export const advance = (
  machine: LaneMachine,
  event: LaneEvent | ActorEvent,
  { nowMs, ahead }: Moment
): ReadonlyArray<Command> => {
  const step: Step = { machine, nowMs, ahead, commands: [] }
  if (event.kind === "stopped" || event.kind === "caughtUp") onActorEvent(step, event)
  else if (event.kind === "offered" && isBusy(machine.budgets, event.work.key)) {
    if (event.work.acknowledge !== undefined) step.commands.push({ kind: "acknowledge", work: event.work })
  } else {
    const outlet = outletOf(step, event)
    if (outlet === undefined) return step.commands
    onLaneEvent(step, outlet, event)
    // A process that serves a million webhooks has memory for those that have deliveries.
    if (isIdle(outlet)) forget(step, outlet)
  }
  return step.commands
}
