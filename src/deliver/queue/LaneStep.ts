/**
 * What one event changes in the lane machine, and the smallest changes: a delivery is queued, queued again, spilled or
 * released. Pure.
 */
import { emptyIntoBacklog, type Lane, type LaneKind, type Outlet, putBack, type Work } from "./Lane.ts"
import { addHeld, type MemoryBudget } from "./MemoryBudget.ts"
import type { Command } from "./Messages.ts"
import { noteInFlight } from "./WindowUse.ts"

export interface MachineLimits {
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

export interface LaneMachine {
  readonly limits: MachineLimits
  readonly outlets: Map<string, Outlet>
  readonly budgets: Readonly<Record<LaneKind, MemoryBudget>>
  /** Attempts that have started and are not settled. */
  sending: number
  stopped: boolean
}

/** The processing of one event. */
export interface Step {
  readonly machine: LaneMachine
  readonly nowMs: number
  readonly commands: Array<Command>
  ahead: number
}

/**
 * Removes a settled or spilled delivery from memory, and lets the offset of its record be committed if it has one.
 */
export const release = ({ machine, commands }: Step, outlet: Outlet, work: Work) => {
  addHeld(machine.budgets[work.kind], outlet, -1)
  if (work.acknowledge !== undefined) commands.push({ kind: "acknowledge", work })
}

export const enqueue = ({ machine, nowMs }: Step, outlet: Outlet, work: Work) => {
  const budget = machine.budgets[work.kind]
  work.queuedAt = nowMs
  budget.busy.add(work.key)
  addHeld(budget, outlet, 1)
  outlet[work.kind].queue.push(work)
}

/** Spills deliveries that are held. A page may bring their rows from now on. */
export const spill = (
  { commands, machine }: Step,
  { webhookId }: Outlet,
  lane: Lane,
  works: ReadonlyArray<Work>
) => {
  if (works.length === 0) return
  for (const { key } of works) machine.budgets[lane.kind].busy.delete(key)
  lane.spilling += works.length
  lane.behind += works.length
  commands.push({ kind: "spill", webhookId, lane: lane.kind, works })
}

/**
 * The request was not sent, because this machine lacked something. Its deliveries are queued again, and the outlet
 * pauses. Afterwards it sends one request at a time until one has ended.
 */
export const withdraw = (step: Step, outlet: Outlet, works: ReadonlyArray<Work>) => {
  const { machine, commands } = step
  const lane = outlet[works[0]!.kind]
  machine.sending -= works.length
  noteInFlight(outlet.use, outlet.inFlight, step.nowMs)
  outlet.inFlight--
  outlet.unsettled--
  outlet.lacking = true
  putBack(lane, works)
  if (lane.permission !== "all") spill(step, outlet, lane, emptyIntoBacklog(lane))
  if (outlet.waiting) return
  outlet.waiting = true
  const { webhookId } = outlet
  commands.push({ kind: "wake", webhookId, afterMs: machine.limits.lackPauseMs, event: "woken" })
}
