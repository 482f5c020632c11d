/**
 * What the lanes of one kind share in an actor: room for a bounded number of deliveries in memory. A lane may take as much
 * as it leaves free, so a lone one has half of it, and many have the same each; a few deliveries each lane may hold
 * whatever the others do, so that no number of them can keep a webhook waiting. Who held much before others came is over
 * its fair share, and gives its queue back to its rows when one below its own finds no room. Decisions and counts only.
 */
import type { LaneKind, Outlet } from "./Lane.ts"

export interface MemoryLimits {
  /** Deliveries in memory, over all lanes; each lane's `laneLeast` may come on top. */
  readonly deliveries: number
  /** Part of the room that is free, or its own, that a lane may hold. */
  readonly laneShare: number
  /** Deliveries that a lane may always hold. */
  readonly laneLeast: number
}

export interface MemoryBudget {
  readonly kind: LaneKind
  readonly limits: MemoryLimits
  /** Attempts queued or in flight (`attemptKey`): also the guard against two records of one. */
  readonly busy: Set<string>
  /** Of all lanes together. */
  held: number
  /** Outlets whose lane holds some. */
  readonly holdingOutlets: Set<Outlet>
  /** Outlets whose lane waits for room to page its backlog. */
  readonly waitingToPage: Set<Outlet>
  /** Whether lanes may page. */
  mayPage: boolean
}

export const makeMemoryBudget = (kind: LaneKind, limits: MemoryLimits): MemoryBudget => ({
  kind,
  limits,
  busy: new Set(),
  held: 0,
  holdingOutlets: new Set(),
  waitingToPage: new Set(),
  mayPage: false
})

/** A delivery's next attempt may come before the one that is recorded has been settled: they are told apart. */
export const attemptKey = (deliveryId: string, attempt: number): string => `${deliveryId} ${attempt}`

/** The outlet's lane holds `count` more, or less: deliveries in memory, and rows that a page under way may bring. */
export const addHeld = (budget: MemoryBudget, outlet: Outlet, count: number): void => {
  const lane = outlet[budget.kind]
  lane.held += count
  budget.held += count
  if (lane.held > 0) budget.holdingOutlets.add(outlet)
  else budget.holdingOutlets.delete(outlet)
}

/** How many more deliveries the outlet's lane may hold. */
export const remainingFor = ({ kind, limits, held }: MemoryBudget, outlet: Outlet): number => {
  const own = outlet[kind].held
  const allowance = Math.floor((limits.deliveries - held + own) * limits.laneShare)
  return Math.max(0, Math.max(allowance, limits.laneLeast) - own)
}

/** Whose queue is to go back to its rows, so that there is room for this one; undefined when nobody holds too much. */
export const largestOverFairShare = (
  { kind, limits, holdingOutlets }: MemoryBudget,
  outlet: Outlet
): Outlet | undefined => {
  const fair =
    limits.deliveries / (holdingOutlets.has(outlet) ? holdingOutlets.size : holdingOutlets.size + 1)
  if (outlet[kind].held >= fair) return undefined
  let most: Outlet | undefined
  for (const one of holdingOutlets) {
    const { held, queue } = one[kind]
    if (held > fair && queue.length > (most?.[kind].queue.length ?? 0)) most = one
  }
  return most
}
