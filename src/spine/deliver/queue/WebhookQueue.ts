/**
 * All that an actor knows of one webhook: its two lanes, the requests in flight and its rate. These functions decide
 * what may start, what a request carries, whether the feed should wait for the webhook, and whether the service holds
 * it back. Pure.
 */

import type { SendPermission } from "../../domain/Quota.ts"
import { type Batch, batchItem } from "../../event/Batch.ts"
import { withIncluded } from "../../event/Include.ts"
import { defaultFormat } from "../../event/RequestFormat.ts"
import type { RegisteredWebhook } from "../../registry/WebhookRegistry.ts"
import type { WebhookId } from "../../words/Ids.ts"
import type { LaneKind, Sending } from "../Work.ts"
import { type Lane, makeLane } from "./Lane.ts"

const SECOND_MS = 1_000

/**
 * The permission is `none` while the webhook is disabled, its account suspended or its secret sealed with an unknown
 * key, and `free` while it is paused or the quota is used up: then only test deliveries start.
 */
export type CurrentWebhook =
  | { readonly webhook: RegisteredWebhook; readonly permission: SendPermission }
  /** This process cannot send for the webhook: its deliveries wait in the backlog. */
  | { readonly webhook: undefined; readonly permission: "none" }

export interface WebhookQueue {
  readonly webhookId: WebhookId
  /** Undefined: the webhook is deleted. */
  current: CurrentWebhook | undefined
  readonly live: Lane
  readonly replays: Lane
  /** Requests that have not ended. */
  inFlight: number
  /** Requests whose attempts are not all settled: a crash would repeat them. */
  unsettled: number
  /** About how many deliveries were settled in the last second, at `movedAt`. */
  moved: number
  movedAt: number
  readonly use: LimitUse
  /** Up to when the requests that have started use the rate. */
  paidUntil: number
  /**
   * Whether the queue waits for a connection, for its rate or after a request not sent. `woken` or `connected` follows.
   */
  waiting: boolean
  /** Whether the last request was not sent, because this machine lacked something. */
  lacking: boolean
  /** Whether a timer runs for a batch that waits for more events. `gathered` follows. */
  gathering: boolean
  /** Whether the queue has asked ReplayPace for a start. `replayMayStart` follows. */
  replayStartAsked: boolean
}

/** A lane that sends fewer deliveries a second is not waited for. */
const MANY_PER_SECOND = 50
/** A new queue counts as one that sends so many. Without any success, that lasts a tenth of a second. */
const PRESUMED_PER_SECOND = 55

export const makeWebhookQueue = (
  webhookId: WebhookId,
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
  moved: PRESUMED_PER_SECOND,
  movedAt: nowMs,
  use: { inFlightMs: 0, ended: 0, changedAt: nowMs, judgedAt: nowMs, heldUpSince: undefined },
  paidUntil: 0,
  waiting: false,
  lacking: false,
  gathering: false,
  replayStartAsked: false
})

export const lanesOf = ({ live, replays }: WebhookQueue): ReadonlyArray<Lane> => [live, replays]

export const isStrict = ({ current }: WebhookQueue): boolean => current?.webhook?.config.ordering === "strict"

/** How many requests may be in flight. */
export const windowOf = ({ max_in_flight, ordering }: RegisteredWebhook["config"]): number =>
  ordering === "strict" ? 1 : max_in_flight

/**
 * The lane whose next delivery may start within the webhook's concurrency limit. Live deliveries come first, also those
 * in the backlog. Attempts that wait for their record count towards the limit, unless they may run ahead of it.
 */
export const mayStart = (
  queue: WebhookQueue,
  maxInFlight: number,
  mayRunAhead: boolean
): Lane | undefined => {
  if (lanesOf(queue).some(({ willWait }) => willWait)) return undefined
  if (queue.inFlight >= (queue.lacking ? 1 : maxInFlight)) return undefined
  if (!mayRunAhead && queue.unsettled >= maxInFlight) return undefined
  const { live, replays } = queue
  if (live.queued.length > 0) return live
  return live.mode === "log" && replays.queued.length > 0 ? replays : undefined
}

/** How long the rate makes the next request wait. The requests of one second may start at once. */
export const rateWaitMs = (
  { paidUntil }: WebhookQueue,
  maxPerSecond: number | null,
  nowMs: number
): number => {
  if (maxPerSecond === null) return 0
  const burstMs = SECOND_MS - SECOND_MS / maxPerSecond
  // Less than a microsecond comes from rounding.
  return Math.max(0, Math.ceil(paidUntil - nowMs - burstMs - 0.001))
}

/** A request starts. */
export const payRate = (queue: WebhookQueue, maxPerSecond: number | null, nowMs: number): void => {
  if (maxPerSecond !== null) queue.paidUntil = Math.max(queue.paidUntil, nowMs) + SECOND_MS / maxPerSecond
}

/**
 * Whether nothing of the webhook itself holds back the next live delivery from the log: neither its concurrency limit,
 * its rate or its batches, nor what waits for it. A wait after this is the service's.
 */
export const isFree = (queue: WebhookQueue, nowMs: number): boolean => {
  const { mode, queued } = queue.live
  const config = queue.current?.webhook?.config
  if (config === undefined || config.batch !== undefined || mode !== "log") return false
  const { max_per_second } = config
  if (queue.inFlight + queued.length >= windowOf(config)) return false
  return max_per_second === null || (queued.length === 0 && rateWaitMs(queue, max_per_second, nowMs) === 0)
}

/** Whether a new queue would do the same: nothing waits or is in flight, and no rate is used. */
export const isIdle = (queue: WebhookQueue): boolean =>
  queue.current?.webhook?.config.max_per_second === null &&
  queue.unsettled + queue.inFlight === 0 &&
  !(queue.waiting || queue.gathering || queue.replayStartAsked) &&
  lanesOf(queue).every(({ mode, held }) => mode === "log" && held === 0)

/**
 * Whether the lane's next batch is full, or will not become fuller by waiting: a lane in mode `backlog` reads its next
 * page when little is queued.
 */
export const getsNoMore = ({ mode, queued }: Lane, batch: Batch): boolean =>
  mode === "backlog" || queued.length >= batch.max_events

/** A batch that may not wait for events still waits this long: a feed offers what it has read within it. */
const LEAST_BATCH_WAIT_MS = 1

/** How long the lane's next batch must still wait, at most `max_wait_ms` from when its first delivery was queued. */
export const batchWaitMs = ({ queued }: Lane, { max_wait_ms }: Batch, nowMs: number): number =>
  Math.max(0, Math.max(max_wait_ms, LEAST_BATCH_WAIT_MS) - (nowMs - (queued[0]?.queuedAt ?? 0)))

/**
 * Takes the deliveries of the next request from the lane; undefined if it is empty. A webhook without `batch` sends one.
 * With it, a request carries up to `max_events`, as far as their body stays within `bodyBytes`; one may be larger.
 */
export const takeSending = (
  { queued }: Lane,
  { config }: RegisteredWebhook,
  bodyBytes: number
): Sending | undefined => {
  const { batch, format = defaultFormat, id, include } = config
  if (batch === undefined) {
    const work = queued.shift()
    return work === undefined ? undefined : { works: [work] }
  }
  const items: Array<string> = []
  // The brackets. Each item has a comma or stands last.
  let bytes = 1
  for (const { deliveryId, event } of queued) {
    if (items.length === batch.max_events) break
    const item = batchItem(format, withIncluded(event, include), id, deliveryId)
    bytes += Buffer.byteLength(item) + 1
    if (items.length > 0 && bytes > bodyBytes) break
    items.push(item)
  }
  return items.length === 0 ? undefined : { works: queued.splice(0, items.length), items }
}

/** What counts as a lane with much queued: deliveries, and seconds of sending. A batch lane has two batches more. */
const MUCH = { queued: 32, seconds: 0.5 }
/** A backlog that is sent within these seconds is waited for. */
const SHORT_BACKLOG_SECONDS = 5

const movedBy = ({ moved, movedAt }: WebhookQueue, nowMs: number): number =>
  moved * Math.exp((movedAt - nowMs) / SECOND_MS)

/** `count` deliveries are settled. The count fades, so it stays at about those of one second. */
export const countMoved = (queue: WebhookQueue, count: number, nowMs: number): void => {
  queue.moved = movedBy(queue, nowMs) + count
  queue.movedAt = nowMs
}

/**
 * Whether the lane will take more work from the log soon: it sends many deliveries a second, and it has no memory left,
 * much queued, or a backlog that will be gone within seconds. Then the feed waits a moment, so that these deliveries
 * need no row before their outcome.
 */
export const isCrowded = (
  queue: WebhookQueue,
  kind: LaneKind,
  isMemoryLeft: boolean,
  nowMs: number
): boolean => {
  if (queue.current?.permission !== "all") return false
  const perSecond = movedBy(queue, nowMs)
  if (queue[kind].waits) return false
  if (perSecond < MANY_PER_SECOND) return false
  const { behind, mode, queued } = queue[kind]
  if (mode === "backlog") return behind + queued.length <= perSecond * SHORT_BACKLOG_SECONDS
  if (!isMemoryLeft) return true
  const batches = 2 * (queue.current.webhook.config.batch?.max_events ?? 0)
  return kind === "live" && queued.length >= Math.max(MUCH.queued, batches, perSecond * MUCH.seconds)
}

/** How much of its concurrency limit the webhook used since the last judgement. */
interface LimitUse {
  /** Requests in flight, times how long. */
  inFlightMs: number
  /** Requests that have ended. */
  ended: number
  changedAt: number
  judgedAt: number
  /** Since when the service holds the webhook back. */
  heldUpSince: number | undefined
}

/** Turns of the event loop that a request waits for: to be sent, for the head and for the end of its answer. */
const TURNS = 3
/** A limit that is used less than this is not what holds the webhook back. */
const USED_PART = 0.5

const noteUse = ({ inFlight, use }: WebhookQueue, nowMs: number) => {
  use.inFlightMs += inFlight * (nowMs - use.changedAt)
  use.changedAt = nowMs
}

export const requestStarted = (queue: WebhookQueue, nowMs: number): void => {
  noteUse(queue, nowMs)
  queue.inFlight++
  queue.unsettled++
}

export const requestEnded = (queue: WebhookQueue, nowMs: number): void => {
  noteUse(queue, nowMs)
  queue.use.ended++
  queue.inFlight--
}

/**
 * For how long the service, and not the receiver, has held back this webhook, which has a backlog. It does if the
 * webhook used less than half of its concurrency limit since the last call. A process without CPU time reads answers
 * late, so its limits look full. Therefore the event loop's own delay (`lagMs`, its mean) does not count as use.
 */
export const heldUpMs = (queue: WebhookQueue, lagMs: number, nowMs: number): number => {
  const { current, lacking, live, use } = queue
  noteUse(queue, nowMs)
  const spanMs = nowMs - use.judgedAt
  const usedMs = use.inFlightMs - use.ended * TURNS * lagMs
  const config = current?.permission === "all" && !lacking ? current.webhook.config : undefined
  // Its rate or its order holds it back, or its permission, or it has no backlog.
  const isItsOwn =
    live.mode === "log" || config === undefined || config.max_per_second !== null || isStrict(queue)
  const isHeldUp = !isItsOwn && spanMs > 0 && usedMs < spanMs * config.max_in_flight * USED_PART
  use.heldUpSince = isHeldUp ? (use.heldUpSince ?? use.judgedAt) : undefined
  use.inFlightMs = 0
  use.ended = 0
  use.judgedAt = nowMs
  return use.heldUpSince === undefined ? 0 : nowMs - use.heldUpSince
}
