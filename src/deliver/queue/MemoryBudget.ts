/**
 * Bounds how many deliveries the lanes of one kind hold in memory, for one actor. With `laneShare` 0.5, a lane may
 * hold as many deliveries as there is memory left, so a single lane uses half and many lanes use equal parts. Each
 * lane may always hold `laneLeast`, so no webhook waits because of others. When a lane below its fair share needs
 * memory, the lane with the longest queue over its fair share is spilled. It only counts and decides; Dispatcher acts.
 */
import type { LaneKind, WebhookQueue } from "./Lane.ts"

export interface MemoryLimits {
  /** Deliveries in memory over all lanes. The `laneLeast` of each lane may come on top. */
  readonly deliveries: number
  /** A lane may use this part of the sum of the free memory and its own. */
  readonly laneShare: number
  /** Deliveries that a lane may always hold. */
  readonly laneLeast: number
}

export interface MemoryBudget {
  readonly kind: LaneKind
  readonly limits: MemoryLimits
  /** Attempts queued or in flight, by `attemptKey`. A second record of one of them is a duplicate. */
  readonly busy: Set<string>
  /** Deliveries in memory over all lanes. */
  held: number
  /** WebhookQueues whose lane holds at least one. */
  readonly holding: Set<WebhookQueue>
  /** WebhookQueues whose lane waits for memory to read its backlog. */
  readonly waitingToPage: Set<WebhookQueue>
  /** Whether lanes may read their backlog. */
  mayPage: boolean
}

export const makeMemoryBudget = (kind: LaneKind, limits: MemoryLimits): MemoryBudget => ({
  kind,
  limits,
  busy: new Set(),
  held: 0,
  holding: new Set(),
  waitingToPage: new Set(),
  mayPage: false
})

/**
 * Identifies an attempt. The delivery alone is not enough: its next attempt may arrive before this one is settled.
 */
export const attemptKey = (deliveryId: string, attempt: number): string => `${deliveryId} ${attempt}`

/** Whether the attempt is queued, or sent and not settled. */
export const isBusy = ({ live, replays }: Readonly<Record<LaneKind, MemoryBudget>>, key: string): boolean =>
  live.busy.has(key) || replays.busy.has(key)

/** Adds `count` (may be negative) to what the queue's lane holds: deliveries, and rows that a page may bring. */
export const addHeld = (budget: MemoryBudget, queue: WebhookQueue, count: number): void => {
  const lane = queue[budget.kind]
  lane.held += count
  budget.held += count
  if (lane.held > 0) budget.holding.add(queue)
  else budget.holding.delete(queue)
}

export const remainingFor = ({ kind, limits, held }: MemoryBudget, queue: WebhookQueue): number => {
  const own = queue[kind].held
  const allowance = Math.floor((limits.deliveries - held + own) * limits.laneShare)
  return Math.max(0, Math.max(allowance, limits.laneLeast) - own)
}

/**
 * The queue with the longest queue among those over their fair share; undefined if this queue is not below its own.
 */
export const largestOverFairShare = (
  { kind, limits, holding }: MemoryBudget,
  queue: WebhookQueue
): WebhookQueue | undefined => {
  const fair = limits.deliveries / (holding.has(queue) ? holding.size : holding.size + 1)
  if (queue[kind].held >= fair) return undefined
  let most: WebhookQueue | undefined
  for (const one of holding) {
    const { held, queued } = one[kind]
    if (held > fair && queued.length > (most?.[kind].queued.length ?? 0)) most = one
  }
  return most
}
