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
import type { RegisteredWebhook } from "../webhooks/WebhookRegistry.ts"
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

/** A webhook as it is now, and what of its deliveries may start. */
export interface Known {
  readonly webhook: RegisteredWebhook
  readonly passage: Passage
}

export interface Outlet {
  readonly webhookId: string
  /** Undefined: the webhook is deleted. */
  known: Known | undefined
  readonly live: Lane
  readonly replays: Lane
  inFlight: number
  /** Sent, and not yet recorded: what a crash would repeat. */
  unsettled: number
  readonly rate: RateWindow
  /** It has asked for a connection, or lacks a token of its rate: it is told when there is one. */
  waiting: boolean
  /** It has asked for a turn of its replays (ReplayPace.ts). */
  turnAsked: boolean
}

export interface Lane {
  readonly kind: LaneKind
  mode: "log" | "backlog"
  queue: Array<Work>
  /** Deliveries in memory: queued, sent and not settled, going back to their rows, or maybe brought by a page. */
  held: number
  /** The page of the backlog that is on its way. */
  page: AskedPage | undefined
  /** The next page of the backlog begins after this id; "" begins anew. */
  cursor: string
  /** The last page was the backlog's end: the next one waits until the queue is empty. */
  atEnd: boolean
  /** Statements under way that give queued work back to its rows: a page now would not show it. */
  givingBack: number
  /** Rows of refused work that are being parked. */
  parking: number
  passage: Passage
}

export interface AskedPage {
  readonly limit: number
  /** Settled since: it may still show them. */
  readonly settled: Set<string>
  /** There may be rows that it does not show: some were parked, or deliveries settled. */
  changed: boolean
  /** It counts no more: others may start than when it was asked for, or the queue went back. */
  stale: boolean
}

export const makeLane = (kind: LaneKind, mode: Lane["mode"]): Lane => ({
  kind,
  mode,
  queue: [],
  held: 0,
  page: undefined,
  cursor: "",
  atEnd: false,
  givingBack: 0,
  parking: 0,
  passage: "all"
})

export const makeOutlet = (webhookId: string, known: Known | undefined, mode: Lane["mode"]): Outlet => ({
  webhookId,
  known,
  live: makeLane("live", mode),
  replays: makeLane("replays", mode),
  inFlight: 0,
  unsettled: 0,
  rate: makeRateWindow(),
  waiting: false,
  turnAsked: false
})

/** What of a lane may start: replays have nothing that is free. */
export const lanePassage = ({ kind }: Lane, passage: Passage): Passage =>
  kind === "replays" && passage === "free" ? "none" : passage

/** Which parked rows the lane pages. */
export const parkedKindOf = ({ kind, passage }: Lane): ParkedKind =>
  kind === "replays" ? "replays" : passage === "free" ? "free" : "live"

const pageAnew = (lane: Lane) => {
  lane.cursor = ""
  lane.atEnd = false
  if (lane.page !== undefined) lane.page.stale = true
}

/** Returns the queue, which goes back to its rows. Paging begins anew, so that what went back keeps its place. */
export const turnOut = (lane: Lane): ReadonlyArray<Work> => {
  const { queue } = lane
  lane.queue = []
  lane.mode = "backlog"
  pageAnew(lane)
  return queue
}

/** Takes up what may start from now on; returns the queued work that goes back to its rows. */
export const takeUp = (lane: Lane, passage: Passage): ReadonlyArray<Work> => {
  lane.passage = passage
  if (passage !== "all") return turnOut(lane)
  pageAnew(lane)
  return []
}

/**
 * The lane whose next delivery may start by the webhook's window: live ones come first, also those that only their rows
 * remember. Attempts that wait to be recorded count, unless some may run `ahead` of that.
 */
export const mayStart = (outlet: Outlet, maxInFlight: number, ahead: boolean): Lane | undefined => {
  if (outlet.inFlight >= maxInFlight || (!ahead && outlet.unsettled >= maxInFlight)) return undefined
  const { live, replays } = outlet
  if (live.queue.length > 0) return live
  return live.mode === "log" && replays.queue.length > 0 ? replays : undefined
}

/** Whether the lane should have a page now: ahead of need while there is more, only when idle at the end. */
export const wantsPage = (lane: Lane, pageRows: number): boolean =>
  lane.mode === "backlog" &&
  lane.passage !== "none" &&
  lane.page === undefined &&
  lane.givingBack === 0 &&
  (lane.atEnd ? lane.queue.length === 0 : lane.queue.length < pageRows / 2)

/** Rows to ask for, when the lane has room for so many: 0 while a page would be small beside what is being worked off. */
export const pageLimit = (lane: Lane, room: number, pageRows: number): number =>
  room >= Math.min(pageRows, lane.held + room) / 2 ? Math.min(pageRows, room) : 0

/**
 * What a page of `rows` rows means. Rows of deliveries in flight stay parked until they are recorded, so the lane is
 * through only when a page of all that began anew is empty and nothing changed since it was asked for.
 */
export const afterPage = (lane: Lane, { limit, changed }: AskedPage, rows: number, lastId: string): void => {
  if (rows === limit) {
    lane.cursor = lastId
    lane.atEnd = false
    return
  }
  const anew = lane.cursor === ""
  lane.cursor = ""
  lane.atEnd = true
  if (anew && rows === 0 && !changed && lane.parking === 0 && lane.passage === "all") lane.mode = "log"
}
