/**
 * What the lanes of one kind share in an actor: room for a bounded number of deliveries in memory. A lane may take as much
 * as it leaves free, so a lone one has half of it, and many have the same each; a few deliveries each lane may hold
 * whatever the others do, so that no number of them can keep a webhook waiting. Who held much before others came is over
 * its fair share, and gives its queue back to its rows when one below its own finds no room. Decisions and counts only.
 */
import type { LaneKind, Outlet } from "./Lane.ts"

export interface RoomLimits {
  /** Deliveries in memory, over all lanes; each lane's `laneLeast` may come on top. */
  readonly deliveries: number
  /** Part of the room that is free, or its own, that a lane may hold. */
  readonly laneShare: number
  /** Deliveries that a lane may always hold. */
  readonly laneLeast: number
}

export interface Room {
  readonly kind: LaneKind
  readonly limits: RoomLimits
  /** Attempts queued or in flight (`attemptKey`): also the guard against two records of one. */
  readonly busy: Set<string>
  /** Of all lanes together. */
  held: number
  /** Outlets whose lane holds some. */
  readonly holders: Set<Outlet>
  /** Outlets whose lane waits for room to page its backlog. */
  readonly hungry: Set<Outlet>
  /** Whether lanes may page. */
  open: boolean
}

export const makeRoom = (kind: LaneKind, limits: RoomLimits): Room => ({
  kind,
  limits,
  busy: new Set(),
  held: 0,
  holders: new Set(),
  hungry: new Set(),
  open: false
})

/** A delivery's next attempt may come before the one that is recorded has been settled: they are told apart. */
export const attemptKey = (deliveryId: string, attempt: number): string => `${deliveryId} ${attempt}`

/** The outlet's lane holds `count` more, or less: deliveries in memory, and rows that a page under way may bring. */
export const hold = (room: Room, outlet: Outlet, count: number): void => {
  const lane = outlet[room.kind]
  lane.held += count
  room.held += count
  if (lane.held > 0) room.holders.add(outlet)
  else room.holders.delete(outlet)
}

/** How many more deliveries the outlet's lane may hold. */
export const roomFor = ({ kind, limits, held }: Room, outlet: Outlet): number => {
  const own = outlet[kind].held
  const allowance = Math.floor((limits.deliveries - held + own) * limits.laneShare)
  return Math.max(0, Math.max(allowance, limits.laneLeast) - own)
}

/** Whose queue is to go back to its rows, so that there is room for this one; undefined when nobody holds too much. */
export const hoarder = ({ kind, limits, holders }: Room, outlet: Outlet): Outlet | undefined => {
  const fair = limits.deliveries / (holders.has(outlet) ? holders.size : holders.size + 1)
  if (outlet[kind].held >= fair) return undefined
  let most: Outlet | undefined
  for (const one of holders) {
    const { held, queue } = one[kind]
    if (held > fair && queue.length > (most?.[kind].queue.length ?? 0)) most = one
  }
  return most
}
