/**
 * One of the two queues of a webhook: its live deliveries, or its replayed ones. Pure. A lane has two modes:
 *
 *   log      It queues work from the log. ──(its memory is used up, another lane needs memory, or the permission to
 *            send is not `all`)──▶ backlog
 *   backlog  It moves work from the log to the backlog, and reads rows of the backlog in pages, in the order of ids.
 *            ──(the backlog is empty and the permission is `all`)──▶ log
 *
 * In strict order a delivery that will be retried is in the backlog, before all later ones, and the lane goes there. Until
 * the retry is due, the lane's permission is `free`.
 */

import type { BacklogKind } from "../../deliveries/DeliveryStore.ts"
import type { SendPermission } from "../../domain/Quota.ts"
import type { LaneKind, Work } from "../Work.ts"

export interface Lane {
  readonly kind: LaneKind
  mode: "log" | "backlog"
  queued: Array<Work>
  /**
   * Deliveries in memory: queued, sent and not settled, on their way to the backlog, and the rows that a page may bring.
   */
  held: number
  /** The page that is being read. */
  page: PageRequest | undefined
  /** The next page begins after this id; "" is the start of the backlog, which is read when nothing is queued. */
  cursor: string
  /** Deliveries queued from the backlog since it was read from its start. */
  walked: number
  /** About how many rows of the backlog are not in memory; infinite until it was read to its end once. */
  behind: number
  /** Deliveries whose rows are being moved to the backlog. A page that is read now might miss them. */
  moving: number
  permission: SendPermission
  /**
   * Whether the backlog may have free deliveries. While only these may start, it is searched only then: of a paused
   * webhook it may have a million rows.
   */
  mayHaveFree: boolean
  /** Whether its first delivery waits for its time, and holds back the others. Only in strict order. `due` follows. */
  waits: boolean
  /** The delivery that waits for its time (its attempt's key), and when it is due, on the monotonic clock. */
  awaited: { readonly key: string; readonly dueAtMs: number } | undefined
  /** Whether a delivery that failed will do so, and is not recorded yet: nothing of the webhook starts. */
  willWait: boolean
}

export interface PageRequest {
  readonly limit: number
  /** Deliveries settled since the page was requested. The page may still contain their rows. */
  readonly settledSince: Set<string>
  /** How many were moved to the backlog since the page was requested. The page may lack their rows. */
  movedSince: number
  /** Whether the permission changed or the queue was emptied since the request. The page is then ignored. */
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
  permission: "all",
  mayHaveFree: true,
  waits: false,
  awaited: undefined,
  willWait: false
})

/** The permission of a lane. No replayed delivery is free. While a delivery holds back others, free ones may start. */
export const lanePermission = ({ kind, waits }: Lane, permission: SendPermission): SendPermission => {
  const own = waits && permission === "all" ? "free" : permission
  return kind === "replays" && own === "free" ? "none" : own
}

export const backlogKindOf = ({ kind, permission }: Lane): BacklogKind =>
  kind === "replays" ? "replays" : permission === "free" ? "free" : "live"

/**
 * How much of its wait a delivery has left. Each page computes the wait from wall clocks, and one that is set back would
 * make it begin anew, again and again; so the first page's counts, unless a later one's is shorter.
 */
export const waitLeft = (lane: Lane, key: string, waitMs: number, nowMs: number): number => {
  const known = lane.awaited?.key === key ? lane.awaited.dueAtMs : Number.POSITIVE_INFINITY
  const dueAtMs = Math.min(nowMs + waitMs, known)
  lane.awaited = { key, dueAtMs }
  return Math.max(0, Math.ceil(dueAtMs - nowMs))
}

/** Makes the next page begin at the start of the backlog. */
export const pageAnew = (lane: Lane) => {
  lane.cursor = ""
  lane.walked = 0
  lane.mayHaveFree = true
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

/** Returns all queued work, which must be moved to the backlog. Paging restarts, so it keeps its order. */
export const takeAllQueued = (lane: Lane): ReadonlyArray<Work> => {
  const { queued } = lane
  lane.queued = []
  lane.mode = "backlog"
  pageAnew(lane)
  return queued
}

/** Returns the queued work that must be moved to the backlog. */
export const setPermission = (lane: Lane, permission: SendPermission): ReadonlyArray<Work> => {
  lane.permission = permission
  if (permission !== "all") return takeAllQueued(lane)
  pageAnew(lane)
  return []
}

/**
 * Whether to read a page now: when less than half a page is queued, or, from the start of the backlog, when nothing is.
 */
export const wantsPage = (lane: Lane, pageRows: number): boolean =>
  lane.mode === "backlog" &&
  (lane.permission === "all" || (lane.permission === "free" && lane.mayHaveFree)) &&
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
 * recorded. So the backlog is empty only if a page from its start is empty and nothing changed since the request. After
 * `walkMost` deliveries the next page is from the start, where retries that came back meanwhile are.
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
