/**
 * The types that the rooms of deliver share: a delivery on its way through an actor, the deliveries of one request, and
 * the record that asks for the next attempt.
 */

import type { NewDelivery } from "../deliveries/Transitions.ts"
import { type DeliveryWork, delayTopic } from "../domain/Delivery.ts"
import { delayOf, type RetryPolicy } from "../domain/RetryPolicy.ts"
import type { LedgerEvent } from "../event/LedgerEvent.ts"
import type { NewRecord } from "../log/Log.ts"
import type { DeliveryId, WebhookId } from "../words/Ids.ts"

export const laneKinds = ["live", "replays"] as const
export type LaneKind = (typeof laneKinds)[number]

/** One attempt that is to be made. */
export interface Work {
  /** The attempt's key (`attemptKey`), stored because it is looked up often. */
  readonly key: string
  readonly deliveryId: DeliveryId
  readonly attempt: number
  readonly seriesAttempt: number
  readonly event: LedgerEvent
  readonly kind: LaneKind
  /** See `DeliveryWork`. Undefined for work from the backlog. */
  readonly manual?: true | undefined
  /** It is a test delivery: it holds nothing back. */
  readonly isTest?: boolean | undefined
  /** An earlier owner of the partition may have begun with it, and may still record it. */
  readonly mayBeHandled?: boolean | undefined
  /** The delivery's row if it may not exist yet; undefined once it does. */
  row?: NewDelivery | undefined
  /** The trace that led to this work, from the header of its record. */
  readonly traceparent?: string | undefined
  /** Lets the offset of its record be committed; undefined once its row is in the backlog. */
  acknowledge: (() => void) | undefined
  /** When its lane queued it, on the monotonic clock; 0 before. */
  queuedAt: number
  /**
   * Whether its webhook could have sent it at once when its lane queued it: `isFree` in deliver/queue/WebhookQueue.ts.
   */
  wasFree: boolean
}

/**
 * Identifies an attempt. The delivery alone is not enough: its next attempt may arrive before this one is settled.
 */
export const attemptKey = (deliveryId: DeliveryId, attempt: number): string => `${deliveryId} ${attempt}`

/** The deliveries of one request: at least one, all of one lane. */
export interface Sending {
  readonly works: ReadonlyArray<Work>
  /** Their items of the body, if the request is a batch. */
  readonly items?: ReadonlyArray<string>
}

/** The attempt after this one. `retryRecord` decides when it is due. */
export const nextWork = (work: Work, webhookId: WebhookId): DeliveryWork => ({
  delivery_id: work.deliveryId,
  webhook_id: webhookId,
  attempt: work.attempt + 1,
  series_attempt: work.seriesAttempt + 1,
  due_at: 0,
  ...(work.kind === "replays" ? { replay: true } : {}),
  ...(work.manual === undefined ? {} : { manual: true }),
  ledger_index: work.event.ledger_index,
  event: work.event
})

/** The record that asks for this attempt when `waitMs` have passed. */
export const retryRecord = (
  policy: RetryPolicy,
  work: DeliveryWork,
  waitMs: number,
  nowMs: number
): NewRecord => ({
  topic: delayTopic(delayOf(policy, work.series_attempt, waitMs)),
  key: work.webhook_id,
  value: JSON.stringify({ ...work, due_at: nowMs + waitMs }),
  // The clock that `due_at` is of, although the append may take long: see delay/Wait.ts.
  timestamp: nowMs
})
