/**
 * Replay jobs: past events of one network again, to one webhook. Pure.
 *
 *   queued ──a worker takes it──▶ running ──everything is queued for delivery──▶ completed
 *      └────────cancel───────────────┤
 *                                    ├──cancel──────────────────────────────────▶ cancelled
 *                                    └──webhook gone or disabled, quota used up──▶ failed, with its reason
 * While a running job waits for history (storage/replays/HistoryRequests.ts) it has no worker.
 * A job's delivery ids are functions of the job and the event, so a batch that is made twice makes the same deliveries.
 */
import type { EventType } from "./EventType.ts"
import { compileStored } from "./filter/Match.ts"
import type { PayloadFilter } from "./filter/PayloadFilter.ts"
import { deliveryId, firstDeliveryIdAt } from "./Ids.ts"
import { parseIsoTime } from "./IsoTime.ts"
import type { LedgerEvent } from "./LedgerEvent.ts"
import { type Plan, plans } from "./Plans.ts"

export const replayStatuses = ["queued", "running", "completed", "cancelled", "failed"] as const
export type ReplayStatus = (typeof replayStatuses)[number]

export const replayBounds = {
  /** Event ids in one request. */
  replayEventIds: 10_000,
  /** Accounts in one request's filters. */
  replayAccounts: 10_000,
  /** A request's body: that many event ids fit. */
  replayBodyBytes: 2 * 1024 * 1024
} as const

/** Absent: not filtered by it. */
export interface ReplayFilters {
  readonly event_types?: ReadonlyArray<EventType>
  readonly accounts?: ReadonlyArray<string>
  readonly payload_filter?: PayloadFilter
  /** Unix milliseconds, exclusive, possibly with a fraction. */
  readonly since?: number
  readonly until?: number
}

/** Plans that have filter mode, the smallest first. */
export const filterReplayPlans: ReadonlyArray<Plan> = plans.filter(
  (plan) => plan !== "developer" && plan !== "builder"
)

/** A predicate: what it needs is prepared once, since it is asked of every event of the log. */
export const matching = (filters: ReplayFilters): ((event: LedgerEvent) => boolean) => {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filters
  const types = filters.event_types === undefined ? undefined : new Set<string>(filters.event_types)
  const accounts = filters.accounts === undefined ? undefined : new Set(filters.accounts)
  const wantsPayload =
    filters.payload_filter === undefined ? undefined : compileStored(filters.payload_filter)
  const timed = filters.since !== undefined || filters.until !== undefined
  return (event) => {
    if (types !== undefined && !types.has(event.event_type)) return false
    if (accounts !== undefined && !event.accounts.some((account) => accounts.has(account))) return false
    if (timed) {
      const closedAt = parseIsoTime(event.timestamp)
      if (closedAt === undefined || closedAt <= since || closedAt >= until) return false
    }
    return wantsPayload?.(event) ?? true
  }
}

/** What the ids of a job's deliveries derive from. */
export interface ReplayOrigin {
  readonly id: string
  /** When a worker first took the job, in Unix milliseconds: its deliveries' creation. */
  readonly startedAt: number
  /** Where its reading of the events topic began. */
  readonly startOffset: number
}

/** Places that one moment of an id can tell apart; what is beyond takes the moments after it. */
const PLACES = 2 ** 24

const placeOf = ({ startedAt, startOffset }: ReplayOrigin, offset: number) => {
  const place = Math.max(0, offset - startOffset)
  return { moment: startedAt + Math.floor(place / PLACES), position: place % PLACES }
}

/** Sorts as the events stand in the log. */
export const replayDeliveryId = (job: ReplayOrigin, offset: number, eventId: string): string => {
  const { moment, position } = placeOf(job, offset)
  return deliveryId(moment, position, job.id, eventId)
}

/** No delivery of the job for an event at `offset` or beyond has a smaller id. */
export const firstReplayDeliveryId = (job: ReplayOrigin, offset: number): string => {
  const { moment, position } = placeOf(job, offset)
  return firstDeliveryIdAt(moment, position)
}

/** The last moment that the job's ids may name: its table partitions reach that far. */
export const lastReplayMoment = (job: ReplayOrigin, endOffset: number): number =>
  placeOf(job, endOffset).moment

export interface ReplayProgress {
  readonly status: ReplayStatus
  /** Of what there is to read, from 0 to 1. */
  readonly part: number
  readonly startedAt: number | null
}

/** Two decimals; 100 only for a job that has queued all. */
export const percentOf = ({ status, part }: ReplayProgress): number =>
  status === "completed" ? 100 : Math.min(99.99, Math.floor(part * 10_000) / 100)

/** Whole seconds a running job still needs at its pace so far; null while that is not known. */
export const etaSeconds = ({ status, part, startedAt }: ReplayProgress, nowMs: number): number | null =>
  status !== "running" || startedAt === null || part <= 0
    ? null
    : Math.ceil((Math.max(0, nowMs - startedAt) * (1 - Math.min(1, part))) / part / 1_000)
