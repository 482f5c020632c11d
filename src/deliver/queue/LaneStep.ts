/**
 * What one event changes in the lane machine, and the smallest changes: a delivery is queued, queued again, spilled or
 * released. Pure.
 */
import { type Lane, type LaneKind, putBack, takeAllQueued, type WebhookQueue, type Work } from "./Lane.ts"
import { addHeld, type MemoryBudget } from "./MemoryBudget.ts"
import type { Command } from "./Messages.ts"
import { noteInFlight } from "./WindowUse.ts"

export interface SchedulerLimits {
  readonly lanes: { readonly laneShare: number; readonly laneLeast: number }
  readonly partitionDeliveries: number
  readonly partitionReplays: number
  readonly lanePageRows: number
  readonly laneWalkDeliveries: number
  readonly batchBodyBytes: number
  readonly batchLeastWaitMs: number
  readonly lackPauseMs: number
  readonly manyPerSecond: number
  readonly beginMs: number
  readonly queuedLeast: number
  readonly queuedPart: number
  readonly drainsWithinMs: number
}

export interface Scheduler {
  readonly limits: SchedulerLimits
  readonly queues: Map<string, WebhookQueue>
  readonly budgets: Readonly<Record<LaneKind, MemoryBudget>>
  /** Attempts that have started and are not settled. */
  sending: number
  stopped: boolean
}

/** The processing of one event. */
export interface Step {
  readonly machine: Scheduler
  readonly nowMs: number
  readonly commands: Array<Command>
  ahead: number
}

/**
 * Removes a settled or spilled delivery from memory, and lets the offset of its record be committed if it has one.
 */
export const release = ({ machine, commands }: Step, queue: WebhookQueue, work: Work) => {
  addHeld(machine.budgets[work.kind], queue, -1)
  if (work.acknowledge !== undefined) commands.push({ kind: "acknowledge", work })
}

export const enqueue = ({ machine, nowMs }: Step, queue: WebhookQueue, work: Work) => {
  const budget = machine.budgets[work.kind]
  work.queuedAt = nowMs
  budget.busy.add(work.key)
  addHeld(budget, queue, 1)
  queue[work.kind].queued.push(work)
}

/** Spills deliveries that are held. A page may bring their rows from now on. */
export const spill = (
  { commands, machine }: Step,
  { webhookId }: WebhookQueue,
  lane: Lane,
  works: ReadonlyArray<Work>
) => {
  if (works.length === 0) return
  for (const { key } of works) machine.budgets[lane.kind].busy.delete(key)
  lane.moving += works.length
  lane.behind += works.length
  commands.push({ kind: "moveToBacklog", webhookId, lane: lane.kind, works })
}

/**
 * The request was not sent, because this machine lacked something. Its deliveries are queued again, and the queue
 * pauses. Afterwards it sends one request at a time until one has ended.
 */
export const withdraw = (step: Step, queue: WebhookQueue, works: ReadonlyArray<Work>) => {
  const { machine, commands } = step
  const lane = queue[works[0]!.kind]
  machine.sending -= works.length
  noteInFlight(queue.use, queue.inFlight, step.nowMs)
  queue.inFlight--
  queue.unsettled--
  queue.lacking = true
  putBack(lane, works)
  if (lane.permission !== "all") spill(step, queue, lane, takeAllQueued(lane))
  if (queue.waiting) return
  queue.waiting = true
  const { webhookId } = queue
  commands.push({ kind: "wake", webhookId, afterMs: machine.limits.lackPauseMs, event: "woken" })
}
