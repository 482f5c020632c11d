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
import { type EventText, parseEventText } from "./EventText.ts"
import type { LedgerEvent } from "./LedgerEvent.ts"

export const DELIVERIES_TOPIC = "webhooks.deliveries"
/** Work of replays: it comes after live work of the same webhook. */
export const REPLAYS_TOPIC = "webhooks.replays"
/** Where work waits for attempt `seriesAttempt` (2…10) of its series. */
export const delayTopic = (seriesAttempt: number): string => `webhooks.delay.${seriesAttempt}`

export const deliveryStatuses = ["pending", "retrying", "delivered", "failed"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What a work record says besides its event. */
export interface WorkHead {
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
}

/** The value of a work record; its key is the webhook's id. The event is last, as the log has it. */
export interface DeliveryWork extends WorkHead {
  readonly event: LedgerEvent
}

/** The same, as deliver reads and writes it: nothing of the event is parsed but what it needs. */
export interface WorkText extends WorkHead {
  readonly event: EventText
}

const EVENT = ',"event":'

export const workJson = ({
  event,
  ...head
}: WorkHead & { readonly event: Pick<EventText, "json"> }): string =>
  `${JSON.stringify(head).slice(0, -1)}${EVENT}${event.json}}`

/** Undefined when it is no work. */
export const parseWorkHead = (value: string): WorkHead | undefined => {
  // The first one: ids and numbers stand before it.
  const at = value.indexOf(EVENT)
  try {
    // Written in this shape; the check only tells a torn record from a whole one.
    const head = JSON.parse(at < 0 ? value : `${value.slice(0, at)}}`) as WorkHead
    const isWhole =
      typeof head.delivery_id === "string" &&
      typeof head.webhook_id === "string" &&
      typeof head.due_at === "number"
    return isWhole ? head : undefined
  } catch {
    return undefined
  }
}

/** Undefined when it is no work, or has no event. */
export const parseWork = (value: string): WorkText | undefined => {
  const head = parseWorkHead(value)
  const event = parseEventText(value.slice(value.indexOf(EVENT) + EVENT.length, -1))
  return head === undefined || event === undefined ? undefined : { ...head, event }
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
  /** Short and stable, for people and alerts (api-decisions.md, `last_error`); null on success. */
  readonly error: string | null
  /** How long the receiver asks to be left alone, from the end of the attempt on. */
  readonly retryAfterMs?: number
}
