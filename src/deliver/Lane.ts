/**
 * One webhook inside an actor: what waits for it in memory, in order, and what may happen next. Decisions only.
 *
 *   live     records from the log are queued here; when its share of the partition's room is used up, or the webhook is
 *            disabled → backlog
 *   backlog  records from the log are parked (their rows alone remember them); the lane pages parked rows, in order of
 *            their ids, while the webhook is active; when none is left and none is being parked → live
 */
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
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
  /** Statements under way that park rows of this lane. */
  parking: number
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
  parking: 0,
  changes: 0
})

/** How many more a lane may queue when the partition has room for `free`. */
export const laneRoom = (lane: Lane, free: number, share: number): number =>
  Math.max(0, Math.floor((free + lane.queue.length) * share) - lane.queue.length)

/** Whether the window leaves room for one more attempt: on the wire, and among those a crash would repeat. */
export const mayStart = (lane: Lane, maxInFlight: number, unsettledSlack: number): boolean =>
  lane.queue.length > 0 && lane.inFlight < maxInFlight && lane.unsettled < maxInFlight + unsettledSlack

/** Whether the lane should ask for a page now: ahead of need while there is more, only when idle at the end. */
export const wantsPage = (lane: Lane, pageRows: number): boolean =>
  lane.mode === "backlog" &&
  !lane.paging &&
  (lane.atEnd ? lane.queue.length === 0 : lane.queue.length < pageRows / 2)

/**
 * What a page of `rows` (asked for: `limit`) means. Rows of deliveries in flight stay parked until they are recorded,
 * so the lane is through only when a page that began anew is empty and nothing changed since it was asked for.
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
  if (anew && page.rows === 0 && lane.parking === 0 && lane.changes === page.changesBefore) lane.mode = "live"
}
