/**
 * One webhook inside an actor: an outlet with two lanes, one for live deliveries and one for those of replays, which start
 * only when nothing live waits. Window and rate are the outlet's; what waits in memory, in order, is its lane's. Decisions
 * only. The send permission is `none` while the webhook is disabled or its account suspended, what is free while
 * the quota is used up, else all; when that changes, what is queued goes back to its rows and paging begins anew.
 *
 *   live     records from the log are queued here ──(its share of the room is used up, they wait too long for the log's
 *            offsets, another lane has too little room, or not all may start)──▶ backlog
 *   backlog  records from the log are parked: their rows alone remember them. The lane pages parked rows that may start,
 *            in order of their ids ──(none is left nor being parked, and all may start)──▶ live
 */
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { SendPermission } from "../domain/Quota.ts"
import type { BacklogKind } from "../storage/deliveries/DeliveryStore.ts"
import type { RegisteredWebhook } from "../webhooks/WebhookRegistry.ts"
import { makeTokenBucket, type TokenBucket } from "./TokenBucket.ts"

export interface Work {
  /** Of the attempt (`attemptKey`), made once: many look it up. */
  readonly key: string
  readonly deliveryId: string
  readonly attempt: number
  readonly seriesAttempt: number
  readonly event: LedgerEvent
  readonly kind: LaneKind
  /** Its record in the log is done with; undefined when it came from the backlog. */
  readonly acknowledge: (() => void) | undefined
}

export type LaneKind = "live" | "replays"

/** A webhook as it is now, and what of its deliveries may start. */
export interface CurrentWebhook {
  readonly webhook: RegisteredWebhook
  readonly permission: SendPermission
}

export interface Outlet {
  readonly webhookId: string
  /** Undefined: the webhook is deleted. */
  current: CurrentWebhook | undefined
  readonly live: Lane
  readonly replays: Lane
  inFlight: number
  /** Sent, and not yet recorded: what a crash would repeat. */
  unsettled: number
  readonly rate: TokenBucket
  /** It has asked for a connection, or lacks a token of its rate: it is told when there is one. */
  waiting: boolean
  /** It has asked for a turn of its replays (ReplayPace.ts). */
  replayStartAsked: boolean
}

export interface Lane {
  readonly kind: LaneKind
  mode: "log" | "backlog"
  queue: Array<Work>
  /** Deliveries in memory: queued, sent and not settled, going back to their rows, or maybe brought by a page. */
  held: number
  /** The page of the backlog that is on its way. */
  page: PageRequest | undefined
  /** The next page of the backlog begins after this id; "" begins anew. */
  cursor: string
  /** The last page was the backlog's end: the next one waits until the queue is empty. */
  atEnd: boolean
  /** Statements under way that give queued work back to its rows: a page now would not show it. */
  spillsUnderWay: number
  /** Rows of refused work that are being parked. */
  spillingRefused: number
  permission: SendPermission
}

export interface PageRequest {
  readonly limit: number
  /** Settled since: it may still show them. */
  readonly settledSince: Set<string>
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
  spillsUnderWay: 0,
  spillingRefused: 0,
  permission: "all"
})

export const makeOutlet = (
  webhookId: string,
  current: CurrentWebhook | undefined,
  mode: Lane["mode"]
): Outlet => ({
  webhookId,
  current,
  live: makeLane("live", mode),
  replays: makeLane("replays", mode),
  inFlight: 0,
  unsettled: 0,
  rate: makeTokenBucket(),
  waiting: false,
  replayStartAsked: false
})

/** What of a lane may start: replays have nothing that is free. */
export const lanePermission = ({ kind }: Lane, permission: SendPermission): SendPermission =>
  kind === "replays" && permission === "free" ? "none" : permission

/** Which parked rows the lane pages. */
export const backlogKindOf = ({ kind, permission }: Lane): BacklogKind =>
  kind === "replays" ? "replays" : permission === "free" ? "free" : "live"

const pageAnew = (lane: Lane) => {
  lane.cursor = ""
  lane.atEnd = false
  if (lane.page !== undefined) lane.page.stale = true
}

/** Returns the queue, which goes back to its rows. Paging begins anew, so that what went back keeps its place. */
export const emptyIntoBacklog = (lane: Lane): ReadonlyArray<Work> => {
  const { queue } = lane
  lane.queue = []
  lane.mode = "backlog"
  pageAnew(lane)
  return queue
}

/** Takes up what may start from now on; returns the queued work that goes back to its rows. */
export const setPermission = (lane: Lane, permission: SendPermission): ReadonlyArray<Work> => {
  lane.permission = permission
  if (permission !== "all") return emptyIntoBacklog(lane)
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
  lane.permission !== "none" &&
  lane.page === undefined &&
  lane.spillsUnderWay === 0 &&
  (lane.atEnd ? lane.queue.length === 0 : lane.queue.length < pageRows / 2)

/** Rows to ask for, when the lane has room for so many: 0 while a page would be small beside what is being worked off. */
export const pageLimit = (lane: Lane, available: number, pageRows: number): number =>
  available >= Math.min(pageRows, lane.held + available) / 2 ? Math.min(pageRows, available) : 0

/**
 * What a page of `rows` rows means. Rows of deliveries in flight stay parked until they are recorded, so the lane is
 * through only when a page of all that began anew is empty and nothing changed since it was asked for.
 */
export const afterPage = (
  lane: Lane,
  { limit, changed }: PageRequest,
  rows: number,
  lastId: string
): void => {
  if (rows === limit) {
    lane.cursor = lastId
    lane.atEnd = false
    return
  }
  const anew = lane.cursor === ""
  lane.cursor = ""
  lane.atEnd = true
  if (anew && rows === 0 && !changed && lane.spillingRefused === 0 && lane.permission === "all")
    lane.mode = "log"
}
