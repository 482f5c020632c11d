/**
 * Replay jobs: each sends past events of one network to one webhook again. Pure.
 *
 *   queued ──a worker takes it──▶ running ──everything is queued for delivery──▶ completed
 *      └────────cancel───────────────┤
 *                                    ├──cancel──────────────────────────────────▶ cancelled
 *                                    └──webhook gone or disabled, quota used up──▶ failed, with its reason
 * While a running job waits for history (ledger/backfill/BackfillRequests.ts) it has no worker. A replayed delivery's
 * id is a function of the job and the event, so a batch that runs twice makes the same deliveries.
 */
import type { EventType } from "../event/EventType.ts"
import type { LedgerEvent } from "../event/LedgerEvent.ts"
import { compileStored } from "../filter/Match.ts"
import type { PayloadFilter } from "../filter/PayloadFilter.ts"
import { deliveryId, type EventId, firstDeliveryIdAt } from "../words/Ids.ts"
import { parseIsoTime } from "../words/IsoTime.ts"
import { type Plan, plans } from "./Plans.ts"

export const replayStatuses = ["queued", "running", "completed", "cancelled", "failed"] as const
export type ReplayStatus = (typeof replayStatuses)[number]

export const replayBounds = {
  /** Event ids in one request. */
  replayEventIds: 10_000,
  /** A request's body: that many event ids fit. */
  replayBodyBytes: 2 * 1024 * 1024
} as const

/** A field that is absent does not filter. */
export interface ReplayFilters {
  readonly event_types?: ReadonlyArray<EventType>
  readonly accounts?: ReadonlyArray<string>
  readonly payload_filter?: PayloadFilter
  /** Unix milliseconds, exclusive, possibly with a fraction. */
  readonly since?: number
  readonly until?: number
}

/** `replay` sends past events as new deliveries. `retry` sends deliveries again that have not been delivered. */
export const replayModes = ["replay", "retry"] as const
export type ReplayMode = (typeof replayModes)[number]

/** Deliveries that can be retried. */
export const retryStatuses = ["failed", "retrying"] as const
export type RetryStatus = (typeof retryStatuses)[number]

/** Which deliveries of its webhook a job of the mode `retry` sends again. */
export interface RetryFilters {
  readonly statuses: ReadonlyArray<RetryStatus>
  /** Absent: all. */
  readonly event_types?: ReadonlyArray<EventType>
  /**
   * Bounds of the time at which the deliveries were created, both exclusive. Unix milliseconds, possibly with a
   * fraction.
   */
  readonly since?: number
  readonly until?: number
}

/** Plans that have filter mode, the smallest first. */
export const filterReplayPlans: ReadonlyArray<Plan> = plans.filter(
  (plan) => plan !== "developer" && plan !== "builder"
)

/** Returns a predicate. It builds its sets once, because it runs for every event of the log. */
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

/** The values from which the ids of a job's deliveries are derived. */
export interface ReplayOrigin {
  readonly id: string
  /** When a worker first started the job, in Unix milliseconds. Its deliveries have this creation time. */
  readonly startedAt: number
  /** The offset in the events topic at which the job began to read. */
  readonly startOffset: number
}

/** How many events can have ids with the same millisecond. Further events use the milliseconds after it. */
const PLACES = 2 ** 24

const placeOf = ({ startedAt, startOffset }: ReplayOrigin, offset: number) => {
  const place = Math.max(0, offset - startOffset)
  return { moment: startedAt + Math.floor(place / PLACES), position: place % PLACES }
}

/** Ids sort in the order of the events in the log. */
export const replayDeliveryId = (job: ReplayOrigin, offset: number, eventId: EventId): string => {
  const { moment, position } = placeOf(job, offset)
  return deliveryId(moment, position, job.id, eventId)
}

/** No delivery of the job for an event at `offset` or beyond has a smaller id. */
export const firstReplayDeliveryId = (job: ReplayOrigin, offset: number): string => {
  const { moment, position } = placeOf(job, offset)
  return firstDeliveryIdAt(moment, position)
}

/** The latest time that an id of the job may contain. Table partitions must reach that far. */
export const lastReplayMoment = (job: ReplayOrigin, endOffset: number): number =>
  placeOf(job, endOffset).moment

export interface ReplayProgress {
  readonly status: ReplayStatus
  /** The part of the job's input that was read, from 0 to 1. */
  readonly part: number
  readonly startedAt: number | null
}

/** Per cent with two decimals. 100 only if the job has queued all its deliveries. */
export const percentOf = ({ status, part }: ReplayProgress): number =>
  status === "completed" ? 100 : Math.min(99.99, Math.floor(part * 10_000) / 100)

/** Estimated seconds until a running job completes, at its average pace. Null while unknown. */
export const etaSeconds = ({ status, part, startedAt }: ReplayProgress, nowMs: number): number | null =>
  status !== "running" || startedAt === null || part <= 0
    ? null
    : Math.ceil((Math.max(0, nowMs - startedAt) * (1 - Math.min(1, part))) / part / 1_000)
