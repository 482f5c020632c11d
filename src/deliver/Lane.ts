/**
 * One webhook inside an actor: what waits for it in memory, in order, and what may happen next. Decisions only. What may
 * start (its passage) is nothing while the webhook is disabled or its account suspended, what is free while the quota is
 * used up, else all; when that changes, what is queued goes back to its rows and paging begins anew.
 *
 *   live     records from the log are queued here ──(its share of the room is used up, or not all may start)──▶ backlog
 *   backlog  records from the log are parked: their rows alone remember them. The lane pages parked rows that may start,
 *            in order of their ids ──(none is left nor being parked, and all may start)──▶ live
 */
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { Passage } from "../domain/Quota.ts"
import { makeRateWindow, type RateWindow } from "./RateWindow.ts"

export interface Work {
  readonly deliveryId: string
  readonly attempt: number
  readonly seriesAttempt: number
  readonly event: LedgerEvent
  /** Offset of its record; undefined when it came from the backlog. */
  readonly offset: number | undefined
}

export interface Lane {
  readonly webhookId: string
  mode: "live" | "backlog"
  queue: Array<Work>
  inFlight: number
  /** Sent, and not yet recorded: what a crash would repeat. */
  unsettled: number
  readonly rate: RateWindow
  /** A wake-up for the rate window is on its way. */
  waiting: boolean
  /** A page of the backlog is on its way. */
  paging: boolean
  /** Settled while the page was read: it may still show them. */
  readonly settledMeanwhile: Set<string>
  /** The next page of the backlog begins after this id; "" begins anew. */
  cursor: string
  /** The last page was the backlog's end: the next one waits until the queue is empty. */
  atEnd: boolean
  /** Statements under way that give queued work back to its rows: a page now would not show it. */
  givingBack: number
  /** Statements under way that park rows of this lane. */
  parking: number
  passage: Passage
  /** Grows with each change of the passage: a page asked for before it no longer counts. */
  turns: number
  /** Grows with whatever may change what a page would show: rows parked, deliveries settled. */
  changes: number
}

export const makeLane = (webhookId: string, mode: Lane["mode"]): Lane => ({
  webhookId,
  mode,
  queue: [],
  inFlight: 0,
  unsettled: 0,
  rate: makeRateWindow(),
  waiting: false,
  paging: false,
  settledMeanwhile: new Set(),
  cursor: "",
  atEnd: false,
  givingBack: 0,
  parking: 0,
  passage: "all",
  turns: 0,
  changes: 0
})

/**
 * Takes up what may start from now on; returns the queued work that goes back to its rows. Paging begins anew, so that
 * what went back keeps its place.
 */
export const turn = (lane: Lane, passage: Passage): ReadonlyArray<Work> => {
  lane.passage = passage
  lane.turns++
  lane.cursor = ""
  lane.atEnd = false
  if (passage === "all") return []
  lane.mode = "backlog"
  const dropped = lane.queue
  lane.queue = []
  return dropped
}

/** How many more a lane may queue when the partition has room for `free`. */
export const laneRoom = (lane: Lane, free: number, share: number): number =>
  Math.max(0, Math.floor((free + lane.queue.length) * share) - lane.queue.length)

/** Whether the window leaves room for one more attempt: on the wire, and among those a crash would repeat. */
export const mayStart = (lane: Lane, maxInFlight: number, unsettledSlack: number): boolean =>
  lane.queue.length > 0 && lane.inFlight < maxInFlight && lane.unsettled < maxInFlight + unsettledSlack

/** Whether the lane should ask for a page now: ahead of need while there is more, only when idle at the end. */
export const wantsPage = (lane: Lane, pageRows: number): boolean =>
  lane.mode === "backlog" &&
  lane.passage !== "none" &&
  !lane.paging &&
  lane.givingBack === 0 &&
  (lane.atEnd ? lane.queue.length === 0 : lane.queue.length < pageRows / 2)

/**
 * What a page of `rows` (asked for: `limit`) means. Rows of deliveries in flight stay parked until they are recorded,
 * so the lane is through only when a page of all that began anew is empty and nothing changed since it was asked for.
 */
export const afterPage = (
  lane: Lane,
  page: {
    readonly rows: number
    readonly limit: number
    readonly lastId: string
    /** `lane.changes` when the page was asked for. */
    readonly changesBefore: number
  }
): void => {
  if (page.rows === page.limit) {
    lane.cursor = page.lastId
    lane.atEnd = false
    return
  }
  const anew = lane.cursor === ""
  lane.cursor = ""
  lane.atEnd = true
  if (lane.passage !== "all") return
  if (anew && page.rows === 0 && lane.parking === 0 && lane.changes === page.changesBefore) lane.mode = "live"
}
