/**
 * One webhook in an actor: a queue with a lane for live deliveries and one for replayed ones, which start only when
 * no live one waits. Window and rate belong to the queue. `SendPermission` is `none` while the webhook is disabled, its
 * account suspended or its secret sealed with an unknown key, and `free` while the quota is used up. Pure. Modes:
 *
 *   log      queues work from the log ──(memory budget used up, another lane needs memory, or permission not
 *            `all`)──▶ backlog
 *   backlog  spills work from the log, and reads the rows that may start in pages, in id order ──(no row is left or
 *            being spilled, and permission is `all`)──▶ log
 */
import type { LedgerEvent } from "../../domain/LedgerEvent.ts"
import type { SendPermission } from "../../domain/Quota.ts"
import type { BacklogKind } from "../../storage/deliveries/DeliveryStore.ts"
import type { NewDelivery } from "../../storage/deliveries/Transitions.ts"
import type { RegisteredWebhook } from "../../webhooks/WebhookRegistry.ts"
import { makeSlidingCount, type SlidingCount } from "./SlidingCount.ts"
import { makeTokenBucket, type TokenBucket } from "./TokenBucket.ts"
import { makeWindowUse, type WindowUse } from "./WindowUse.ts"

const MOVED_OF_MS = 1_000

export interface Work {
  /** The attempt's key (`attemptKey`), stored because it is looked up often. */
  readonly key: string
  readonly deliveryId: string
  readonly attempt: number
  readonly seriesAttempt: number
  readonly event: LedgerEvent
  readonly kind: LaneKind
  /** See `DeliveryWork`. Undefined for work from the backlog. */
  readonly manual?: true | undefined
  /** The delivery's row if it may not exist yet; undefined once it does. */
  row?: NewDelivery | undefined
  /** The trace that led to this work, from the header of its record. */
  readonly traceparent?: string | undefined
  /** Lets the offset of its record be committed; undefined once its row is in the backlog. */
  acknowledge: (() => void) | undefined
  /** When its lane queued it, on the monotonic clock; 0 before. */
  queuedAt: number
  /** Whether its webhook could have sent it at once when its lane queued it: `isFree`. */
  wasFree: boolean
}

export const laneKinds = ["live", "replays"] as const
export type LaneKind = (typeof laneKinds)[number]

export type CurrentWebhook =
  | { readonly webhook: RegisteredWebhook; readonly permission: SendPermission }
  /** This process cannot send for the webhook: its deliveries wait in the backlog. */
  | { readonly webhook: undefined; readonly permission: "none" }

export interface WebhookQueue {
  readonly webhookId: string
  /** Undefined: the webhook is deleted. */
  current: CurrentWebhook | undefined
  readonly live: Lane
  readonly replays: Lane
  /** Requests under way. */
  inFlight: number
  /** Requests whose attempts are not all settled: a crash would repeat them. */
  unsettled: number
  /** On the monotonic clock. */
  readonly madeAt: number
  /** Deliveries settled in the last second. */
  readonly moved: SlidingCount
  readonly use: WindowUse
  readonly rate: TokenBucket
  /** Whether the queue waits for a connection, for a token of its rate or after a request not sent. `woken` or `connected` follows. */
  waiting: boolean
  /** Whether the last request was not sent, because this machine lacked something. */
  lacking: boolean
  /** Whether a timer runs for a batch that waits for more events. `gathered` follows. */
  gathering: boolean
  /** Whether the queue has asked ReplayPace for a start. `replayMayStart` follows. */
  replayStartAsked: boolean
}

export interface Lane {
  readonly kind: LaneKind
  mode: "log" | "backlog"
  queued: Array<Work>
  /**
   * Deliveries in memory: queued, sent and not settled, being spilled, and the rows that a page under way may bring.
   */
  held: number
  /** The page that is being read. */
  page: PageRequest | undefined
  /** The next page begins after this id; "" is the start of the backlog, which is read when the queue is empty. */
  cursor: string
  /** Deliveries queued from the backlog since it was read from its start. */
  walked: number
  /** About how many rows of the backlog are not in memory; infinite until it was read to its end once. */
  behind: number
  /** Deliveries that are being spilled. A page read now might miss their rows. */
  moving: number
  permission: SendPermission
}

export interface PageRequest {
  readonly limit: number
  /** Deliveries settled since the page was requested. The page may still contain their rows. */
  readonly settledSince: Set<string>
  /** How many were spilled since the page was requested. The page may lack their rows. */
  movedSince: number
  /**
   * Whether the send permission changed or the queue was spilled since the page was requested. The page is then
   * ignored.
   */
  stale: boolean
}

export const makeLane = (kind: LaneKind, mode: Lane["mode"]): Lane => ({
  kind,
  mode,
  queued: [],
  held: 0,
  page: undefined,
  cursor: "",
  walked: 0,
  behind: mode === "log" ? 0 : Number.POSITIVE_INFINITY,
  moving: 0,
  permission: "all"
})

export const makeWebhookQueue = (
  webhookId: string,
  current: CurrentWebhook | undefined,
  mode: Lane["mode"],
  nowMs: number
): WebhookQueue => ({
  webhookId,
  current,
  live: makeLane("live", mode),
  replays: makeLane("replays", mode),
  inFlight: 0,
  unsettled: 0,
  madeAt: nowMs,
  moved: makeSlidingCount(MOVED_OF_MS),
  use: makeWindowUse(nowMs),
  rate: makeTokenBucket(),
  waiting: false,
  lacking: false,
  gathering: false,
  replayStartAsked: false
})

export const lanesOf = ({ live, replays }: WebhookQueue): ReadonlyArray<Lane> => [live, replays]

/** The permission of a lane. No replayed delivery is free. */
export const lanePermission = ({ kind }: Lane, permission: SendPermission): SendPermission =>
  kind === "replays" && permission === "free" ? "none" : permission

export const backlogKindOf = ({ kind, permission }: Lane): BacklogKind =>
  kind === "replays" ? "replays" : permission === "free" ? "free" : "live"

const pageAnew = (lane: Lane) => {
  lane.cursor = ""
  lane.walked = 0
  if (lane.page !== undefined) lane.page.stale = true
}

/** Removes the work of an attempt from the queue; undefined if it is not there. */
export const takeQueued = ({ queued }: Lane, key: string): Work | undefined => {
  const at = queued.findIndex((work) => work.key === key)
  return at === -1 ? undefined : queued.splice(at, 1)[0]
}

/** Queues deliveries again that were not sent, before later ones: ids have the order of the ledger. */
export const putBack = ({ queued }: Lane, works: ReadonlyArray<Work>) => {
  for (const work of works) {
    const at = queued.findIndex(({ deliveryId }) => deliveryId > work.deliveryId)
    queued.splice(at === -1 ? queued.length : at, 0, work)
  }
}

/** Returns the queue, which must be spilled. Paging restarts, so spilled work keeps its order. */
export const takeAllQueued = (lane: Lane): ReadonlyArray<Work> => {
  const { queued } = lane
  lane.queued = []
  lane.mode = "backlog"
  pageAnew(lane)
  return queued
}

/** Returns the queued work that must be spilled. */
export const setPermission = (lane: Lane, permission: SendPermission): ReadonlyArray<Work> => {
  lane.permission = permission
  if (permission !== "all") return takeAllQueued(lane)
  pageAnew(lane)
  return []
}

/**
 * The lane whose next delivery may start within the webhook's window. Live deliveries come first, also those in the
 * backlog. Attempts that wait for their record count towards the window, unless `ahead` allows more.
 */
export const mayStart = (queue: WebhookQueue, maxInFlight: number, ahead: boolean): Lane | undefined => {
  if (queue.inFlight >= (queue.lacking ? 1 : maxInFlight)) return undefined
  if (!ahead && queue.unsettled >= maxInFlight) return undefined
  const { live, replays } = queue
  if (live.queued.length > 0) return live
  return live.mode === "log" && replays.queued.length > 0 ? replays : undefined
}

/**
 * Whether nothing of the webhook itself holds back the next live delivery from the log: neither its window, its rate or
 * its batches, nor what waits for it. A wait after this is the service's.
 */
export const isFree = (
  { current, inFlight, live: { mode, queued }, rate }: WebhookQueue,
  nowMs: number
): boolean => {
  const config = current?.webhook?.config
  if (config === undefined || config.batch !== undefined || mode !== "log") return false
  const { max_in_flight, max_per_second } = config
  if (inFlight + queued.length >= max_in_flight) return false
  return max_per_second === null || (queued.length === 0 && rate.waitMs(max_per_second, nowMs) === 0)
}

const isLaneIdle = ({ mode, held }: Lane): boolean => mode === "log" && held === 0

/** Whether a new queue would do the same: nothing waits or is under way, and no rate was drawn on. */
export const isIdle = (queue: WebhookQueue): boolean =>
  queue.current?.webhook?.config.max_per_second === null &&
  queue.unsettled + queue.inFlight === 0 &&
  !(queue.waiting || queue.gathering || queue.replayStartAsked) &&
  lanesOf(queue).every(isLaneIdle)

/**
 * Whether to read a page now: when less than half a page is queued, or, from the start of the backlog, when nothing is.
 */
export const wantsPage = (lane: Lane, pageRows: number): boolean =>
  lane.mode === "backlog" &&
  lane.permission !== "none" &&
  lane.page === undefined &&
  lane.moving === 0 &&
  (lane.cursor === "" ? lane.queued.length === 0 : lane.queued.length < pageRows / 2)

/**
 * The number of rows to read. If `available` is less than half a page, or half of the rows that the lane may have, a
 * statement is not worth its cost and the result is 0.
 */
export const pageLimit = (lane: Lane, available: number, pageRows: number): number =>
  available >= Math.min(pageRows, lane.held + available) / 2 ? Math.min(pageRows, available) : 0

/**
 * Updates the lane after a page with `rows` rows. Rows of deliveries in flight stay in the backlog until they are
 * recorded. So the backlog is empty only if a page from its start is empty and nothing changed since it was asked
 * for. After `walkMost` deliveries the next page is from the start, where retries that came back meanwhile are.
 */
export const afterPage = (
  lane: Lane,
  { limit, settledSince, movedSince }: PageRequest,
  rows: number,
  lastId: string,
  walkMost: number
): void => {
  if (rows === limit) {
    lane.behind = Math.max(0, lane.behind - rows)
    const again = lane.walked >= walkMost
    lane.cursor = again ? "" : lastId
    if (again) lane.walked = 0
    return
  }
  lane.behind = movedSince + lane.moving
  lane.walked = 0
  const anew = lane.cursor === ""
  lane.cursor = ""
  const isSame = settledSince.size + movedSince + lane.moving === 0
  if (anew && rows === 0 && isSame && lane.permission === "all") lane.mode = "log"
}
