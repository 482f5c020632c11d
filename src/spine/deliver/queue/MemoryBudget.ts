/**
 * Bounds how many deliveries the lanes of one kind hold in memory, for one actor. A lane may hold as many deliveries as
 * there is memory left, so a single lane uses half and many lanes use equal parts. Each lane may always hold
 * `laneLeast`, so no webhook waits because of others. When a lane below its fair share needs memory, the longest queue
 * over its fair share is moved to the backlog.
 */
import type { LaneKind, Work } from "../Work.ts"
import type { WebhookQueue } from "./WebhookQueue.ts"

export interface MemoryBudget {
  readonly kind: LaneKind
  /** Deliveries in memory over all lanes. The `laneLeast` of each lane may come on top. */
  readonly most: number
  /** Deliveries that a lane may always hold. */
  readonly laneLeast: number
  /** Attempts queued or in flight, by `attemptKey`. A second record of one of them is a duplicate. */
  readonly busy: Set<string>
  /** Deliveries in memory over all lanes. */
  held: number
  /** Queues whose lane holds at least one. */
  readonly holding: Set<WebhookQueue>
  /** Queues whose lane waits for memory to read its backlog. */
  readonly waitingToPage: Set<WebhookQueue>
  /** Whether lanes may read their backlog. */
  mayPage: boolean
}

export const makeMemoryBudget = (kind: LaneKind, most: number, laneLeast: number): MemoryBudget => ({
  kind,
  most,
  laneLeast,
  busy: new Set(),
  held: 0,
  holding: new Set(),
  waitingToPage: new Set(),
  mayPage: false
})

/** Whether the attempt is queued, or sent and not settled. */
export const isBusy = ({ live, replays }: Readonly<Record<LaneKind, MemoryBudget>>, key: string): boolean =>
  live.busy.has(key) || replays.busy.has(key)

/** Adds `count` (may be negative) to what the webhook's lane holds: deliveries, and rows that a page may bring. */
export const addHeld = (budget: MemoryBudget, queue: WebhookQueue, count: number): void => {
  const lane = queue[budget.kind]
  lane.held += count
  budget.held += count
  if (lane.held > 0) budget.holding.add(queue)
  else budget.holding.delete(queue)
}

export const enqueue = (budget: MemoryBudget, queue: WebhookQueue, work: Work, nowMs: number): void => {
  work.queuedAt = nowMs
  budget.busy.add(work.key)
  addHeld(budget, queue, 1)
  queue[budget.kind].queued.push(work)
}

/** Removes a delivery that is settled or in the backlog from memory. The offset of its record may be committed. */
export const release = (budget: MemoryBudget, queue: WebhookQueue, work: Work): void => {
  addHeld(budget, queue, -1)
  work.acknowledge?.()
}

export const remainingFor = ({ kind, most, laneLeast, held }: MemoryBudget, queue: WebhookQueue): number => {
  const own = queue[kind].held
  // What is free, with its own, halved.
  const allowance = Math.floor((most - held + own) / 2)
  return Math.max(0, Math.max(allowance, laneLeast) - own)
}

/**
 * The webhook with the longest queue among those over their fair share; undefined if this one is not below its own.
 */
export const largestOverFairShare = (
  { kind, most, holding }: MemoryBudget,
  queue: WebhookQueue
): WebhookQueue | undefined => {
  const fair = most / (holding.has(queue) ? holding.size : holding.size + 1)
  if (queue[kind].held >= fair) return undefined
  let largest: WebhookQueue | undefined
  for (const one of holding) {
    const { held, queued } = one[kind]
    if (held > fair && queued.length > (largest?.[kind].queued.length ?? 0)) largest = one
  }
  return largest
}
