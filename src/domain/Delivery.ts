/**
 * A delivery: the attempt series that sends one event to one webhook.
 *
 *   pending ──attempt──▶ delivered            (2xx in time)
 *      │ └──attempt──▶ retrying ──attempt──▶ delivered
 *      │                  └─ last attempt ─▶ failed ──manual retry──▶ pending (a new series, attempts count on)
 *      └─ the series' last attempt ────────▶ failed
 *
 *   pending, retrying ──ended without an attempt──▶ failed   (webhook deleted, waited too long, event no longer retained)
 *   failed ──attempt that was in flight when it was ended──▶ delivered
 *
 * `delivered` is final. storage/deliveries/Transitions.ts has the one statement of each of these.
 *
 * The work topics and the delay topics carry `DeliveryWork`; the row in PostgreSQL carries the state. Work is current
 * when its `attempt` is the row's `attempts` + 1 and the row has not ended; anything else is stale and is dropped.
 */
import type { LedgerEvent } from "./LedgerEvent.ts"

export const DELIVERIES_TOPIC = "webhooks.deliveries"
/** Work of replays: it comes after live work of the same webhook. */
export const REPLAYS_TOPIC = "webhooks.replays"
/** Where work waits for attempt `seriesAttempt` (2…10) of its series. */
export const delayTopic = (seriesAttempt: number): string => `webhooks.delay.${seriesAttempt}`

export const deliveryStatuses = ["pending", "retrying", "delivered", "failed"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The value of a work record; its key is the webhook's id. */
export interface DeliveryWork {
  readonly delivery_id: string
  readonly webhook_id: string
  /** Attempts of earlier series count on: from 1. */
  readonly attempt: number
  /** Place in the current series, from 1: it decides the next delay. */
  readonly series_attempt: number
  /** Unix milliseconds before which it must not start; 0 for first attempts. */
  readonly due_at: number
  /** Made by a replay job: its attempts come after live ones, retries too. */
  readonly replay?: true
  readonly event: LedgerEvent
}

/** Work that begins a series: by default a delivery's first. */
export const newWork = (
  deliveryId: string,
  webhookId: string,
  event: LedgerEvent,
  attempt = 1
): DeliveryWork => ({
  delivery_id: deliveryId,
  webhook_id: webhookId,
  attempt,
  series_attempt: 1,
  due_at: 0,
  event
})

/** Undefined when it is no work. */
export const parseWork = (value: string): DeliveryWork | undefined => {
  try {
    // Written in this shape; the check only tells a torn record from a whole one.
    const work = JSON.parse(value) as DeliveryWork
    const isWhole =
      typeof work.delivery_id === "string" &&
      typeof work.webhook_id === "string" &&
      typeof work.due_at === "number" &&
      typeof work.event.event_id === "string"
    return isWhole ? work : undefined
  } catch {
    return undefined
  }
}

/** Where work goes that may be attempted now. */
export const workTopic = ({ replay }: Pick<DeliveryWork, "replay">): string =>
  replay === true ? REPLAYS_TOPIC : DELIVERIES_TOPIC

/** What one attempt came to. Failure is data: it is recorded and retried. */
export interface AttemptOutcome {
  readonly delivered: boolean
  readonly responseStatus: number | null
  readonly responseTimeMs: number | null
  readonly responseBody: string | null
  /** Short and stable, for people and alerts; null on success. */
  readonly error: string | null
  /** How long the receiver asks to be left alone, from the end of the attempt on. */
  readonly retryAfterMs?: number
}
