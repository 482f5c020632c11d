/**
 * One webhook inside an actor: an outlet with two lanes, one for live deliveries and one for those of replays, which start
 * only when nothing live waits. Window and rate are the outlet's; what waits in memory, in order, is its lane's. Decisions
 * only. What may start (the passage) is nothing while the webhook is disabled or its account suspended, what is free while
 * the quota is used up, else all; when that changes, what is queued goes back to its rows and paging begins anew.
 *
 *   live     records from the log are queued here ──(its share of the room is used up, they wait too long for the log's
 *            offsets, another lane has too little room, or not all may start)──▶ backlog
 *   backlog  records from the log are parked: their rows alone remember them. The lane pages parked rows that may start,
 *            in order of their ids ──(none is left nor being parked, and all may start)──▶ live
 */
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { Passage } from "../domain/Quota.ts"
import type { ParkedKind } from "../storage/deliveries/DeliveryStore.ts"
import { makeRateWindow, type RateWindow } from "./RateWindow.ts"

export interface Work {
  /** Of the attempt (`attemptKey`), made once: many look it up. */
  readonly key: string
  readonly deliveryId: string
  readonly attempt: number
  readonly seriesAttempt: number
  readonly event: LedgerEvent
  readonly kind: LaneKind
  /** Its record in the log is done with; undefined when it came from the backlog. */
  readonly settled: (() => void) | undefined
}

export type LaneKind = "live" | "replays"

export interface Outlet {
  readonly webhookId: string
  readonly live: Lane
  readonly replays: Lane
  inFlight: number
  /** Sent, and not yet recorded: what a crash would repeat. */
  unsettled: number
  readonly rate: RateWindow
  /** It lacks a connection or a token of its rate; a wake-up follows (StartGate.ts). */
  waiting: boolean
}

export interface Lane {
  readonly kind: LaneKind
  mode: "live" | "backlog"
  queue: Array<Work>
  /** Deliveries in memory: queued, sent and not settled, or maybe brought by the page that is on its way. */
  held: number
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
  /** Grows with each change of the passage, and when the queue went back: a page asked for before it no longer counts. */
  turns: number
  /** Grows with whatever may change what a page would show: rows parked, deliveries settled. */
  changes: number
}

export const makeLane = (kind: LaneKind, mode: Lane["mode"]): Lane => ({
  kind,
  mode,
  queue: [],
  held: 0,
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

export const makeOutlet = (webhookId: string, mode: Lane["mode"]): Outlet => ({
  webhookId,
  live: makeLane("live", mode),
  replays: makeLane("replays", mode),
  inFlight: 0,
  unsettled: 0,
  rate: makeRateWindow(),
  waiting: false
})

/** What of a lane may start: replays have nothing that is free. */
export const lanePassage = ({ kind }: Lane, passage: Passage): Passage =>
  kind === "replays" && passage === "free" ? "none" : passage

/** Which parked rows the lane pages. */
export const parkedKindOf = ({ kind, passage }: Lane): ParkedKind =>
  kind === "replays" ? "replays" : passage === "free" ? "free" : "live"

/** Returns the queue, which goes back to its rows. Paging begins anew, so that what went back keeps its place. */
export const turnOut = (lane: Lane): ReadonlyArray<Work> => {
  const { queue } = lane
  lane.queue = []
  lane.mode = "backlog"
  lane.turns++
  lane.cursor = ""
  lane.atEnd = false
  return queue
}

/** Takes up what may start from now on; returns the queued work that goes back to its rows. */
export const turn = (lane: Lane, passage: Passage): ReadonlyArray<Work> => {
  lane.passage = passage
  if (passage !== "all") return turnOut(lane)
  lane.turns++
  lane.cursor = ""
  lane.atEnd = false
  return []
}

/** Whether the window leaves room for one more attempt: on the wire, and among those a crash would repeat. */
const hasRoom = (outlet: Outlet, maxInFlight: number, mayRunAhead: boolean): boolean =>
  outlet.inFlight < maxInFlight && (mayRunAhead || outlet.unsettled < maxInFlight)

/**
 * The lane whose next delivery may start: live ones come first, also those that only their rows remember. `mayRunAhead`:
 * attempts that wait to be recorded do not count.
 */
export const mayStart = (outlet: Outlet, maxInFlight: number, mayRunAhead: boolean): Lane | undefined => {
  if (!hasRoom(outlet, maxInFlight, mayRunAhead)) return undefined
  const { live, replays } = outlet
  if (live.queue.length > 0) return live
  return live.mode === "live" && replays.queue.length > 0 ? replays : undefined
}

/** Whether the lane should have a page now: ahead of need while there is more, only when idle at the end. */
export const wantsPage = (lane: Lane, pageRows: number): boolean =>
  lane.mode === "backlog" &&
  lane.passage !== "none" &&
  !lane.paging &&
  lane.givingBack === 0 &&
  (lane.atEnd ? lane.queue.length === 0 : lane.queue.length < pageRows / 2)

/** Rows to ask for, when the lane has room for so many: 0 while a page would be small beside what is being worked off. */
export const pageLimit = (lane: Lane, room: number, pageRows: number): number =>
  room >= Math.min(pageRows, lane.held + room) / 2 ? Math.min(pageRows, room) : 0

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
