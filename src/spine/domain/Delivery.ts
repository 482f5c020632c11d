/**
 * A delivery: the attempt series that sends one event to one webhook.
 *
 *   pending ──attempt──▶ delivered            (2xx in time)
 *      │ └──attempt──▶ retrying ──attempt──▶ delivered
 *      │                  └─ last attempt ─▶ failed ──manual retry──▶ pending (a new series, attempts count on)
 *      └─ the series' last attempt ────────▶ failed
 *
 *   retrying ──manual retry──▶ retrying   (the next attempt of the series is made now)
 *   pending, retrying ──ended without an attempt──▶ failed   (webhook deleted, waited too long, event not retained)
 *   failed ──attempt that was in flight when it was ended──▶ delivered
 *
 * `delivered` is final. deliveries/Transitions.ts has one SQL statement for each arrow.
 *
 * The work topics and the delay topics carry `DeliveryWork`; the row in PostgreSQL carries the state. A live delivery
 * has no row until it has an outcome or has waited for a second (`DeliverLimits.rowAfterMs`): until then its record in the
 * log is all there is of it. Work is current when its `attempt` is the row's `attempts` + 1 and the row has not ended;
 * anything else is stale and is dropped. After a retry before its time, the record that waits in a delay topic is stale.
 */

import { isLedgerEvent, type LedgerEvent } from "../event/LedgerEvent.ts"
import { type AccountId, type DeliveryId, idTime, isId as isOwnId, type WebhookId } from "../words/Ids.ts"

export const DELIVERIES_TOPIC = "webhooks.deliveries"
/** The work of replay jobs. It is sent only while no live work of the same webhook waits. */
export const REPLAYS_TOPIC = "webhooks.replays"
/** The topic in which work waits for attempt `seriesAttempt` (2…10) of its series. */
export const delayTopic = (seriesAttempt: number): string => `webhooks.delay.${seriesAttempt}`

export const deliveryStatuses = ["pending", "retrying", "delivered", "failed"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What the row of a live delivery needs besides its work. */
export interface UnwrittenRow {
  readonly account_id: AccountId
  /** Offset of the event in `xrpl.<network>.events`. */
  readonly event_offset: number
  /** Route may have queued the same work before, when it was interrupted in the middle of an event. */
  readonly again?: true
}

/** The value of a work record; its key is the webhook's id. */
export interface DeliveryWork {
  readonly delivery_id: DeliveryId
  readonly webhook_id: WebhookId
  /** From 1. A new series continues the count. */
  readonly attempt: number
  /** Place in the current series, from 1: it decides the next delay. */
  readonly series_attempt: number
  /** Unix milliseconds before which it must not start; 0 for first attempts. */
  readonly due_at: number
  /**
   * Whether a replay job queued the work. Its attempts, retries included, start only while no live delivery waits.
   */
  readonly replay?: true
  /**
   * A person asked for this attempt, or for an earlier one of its series: later attempts of the series keep it, because
   * without the request they would not be made, or not at these times. A delivery that is read back from the backlog
   * has lost it, because its row does not have it.
   */
  readonly manual?: true
  /** The event's ledger. Retries that release 0.2 queued lack it. */
  readonly ledger_index?: number
  /** Only in the first attempt of a live delivery, which may have no row. Without it the row was written first. */
  readonly row?: UnwrittenRow
  readonly event: LedgerEvent
}

/** Work that may be attempted now; by default, the delivery's first attempt. */
export const newWork = (
  deliveryId: DeliveryId,
  webhookId: WebhookId,
  event: LedgerEvent,
  attempt = 1,
  seriesAttempt = 1
): DeliveryWork => ({
  delivery_id: deliveryId,
  webhook_id: webhookId,
  attempt,
  series_attempt: seriesAttempt,
  due_at: 0,
  ledger_index: event.ledger_index,
  event
})

/** Why a record of a work topic is a dead letter. */
export const NOT_WORK = "it does not have the form of delivery work"

/** PostgreSQL and a record's key can hold such an id. */
const ID = /^\w{1,64}$/
/** Attempts are an `integer` in PostgreSQL. */
const MOST_ATTEMPTS = 2 ** 31 - 1
/** A series has at most nine delays (DELIVERY_RETRY_DELAYS). */
const MOST_IN_SERIES = 10

const isId = (value: unknown): boolean => typeof value === "string" && ID.test(value)

const isCount = (value: unknown, most: number, least = 1): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most

/** The row's table partition is that of its id's time: a wrong time must not make one. */
const hasTimeOf = (id: unknown, event: unknown): boolean =>
  typeof id === "string" && isOwnId("dlv_", id) && idTime(id) === (event as LedgerEvent).detected_at

const isUnwrittenRow = (row: Readonly<Record<keyof UnwrittenRow, unknown>>): boolean =>
  isId(row.account_id) && isCount(row.event_offset, Number.MAX_SAFE_INTEGER, 0)

/** Checks every field that stages rely on. Only stages should write to the topics, but a broker may let others write. */
const isWork = (work: Readonly<Record<keyof DeliveryWork, unknown>>): boolean =>
  isId(work.delivery_id) &&
  isId(work.webhook_id) &&
  isCount(work.attempt, MOST_ATTEMPTS) &&
  isCount(work.series_attempt, MOST_IN_SERIES) &&
  typeof work.due_at === "number" &&
  work.due_at >= 0 &&
  work.due_at <= Number.MAX_SAFE_INTEGER &&
  (work.ledger_index === undefined || isCount(work.ledger_index, Number.MAX_SAFE_INTEGER, 0)) &&
  isLedgerEvent(work.event) &&
  (work.row === undefined || (isUnwrittenRow(Object(work.row)) && hasTimeOf(work.delivery_id, work.event)))

/** Undefined if the text is not a work record. */
export const parseWork = (value: string): DeliveryWork | undefined => {
  try {
    const work = JSON.parse(value)
    // The cast is safe: `isWork` has checked the fields.
    return isWork(work) ? (work as DeliveryWork) : undefined
  } catch {
    return undefined
  }
}

/** The topic for work that may be attempted now. */
export const workTopic = ({ replay }: Pick<DeliveryWork, "replay">): string =>
  replay === true ? REPLAYS_TOPIC : DELIVERIES_TOPIC

/** The result of one attempt. A failure is an ordinary value: it is recorded and retried. */
export interface AttemptOutcome {
  readonly delivered: boolean
  /** The delivery failed, but the webhook answered: its 2xx to a batch lists the delivery as failed. */
  readonly answered?: boolean
  readonly responseStatus: number | null
  readonly responseTimeMs: number | null
  readonly responseBody: string | null
  /** Short and stable, for people and alerts; null on success. */
  readonly error: string | null
  /** The delay in the receiver's `Retry-After`, counted from the end of the attempt. */
  readonly retryAfterMs?: number
  readonly details?: ExchangeDetails
}

/** Facts about an attempt that help to find a fault. Times are milliseconds from the attempt's start. */
export interface ExchangeDetails {
  /** How long DNS, connecting and TLS took; null if the connection was reused or none was made. */
  readonly connectMs: number | null
  /** When the first byte arrived, also of an incomplete response; null if none did. */
  readonly firstByteMs: number | null
  /** When the attempt ended. */
  readonly totalMs: number
  /** The headers that are kept (ResponseHeaders.ts); null if there are none. */
  readonly responseHeaders: Readonly<Record<string, string>> | null
  /** The batch that the request carried; absent if it carried one event. */
  readonly batchId?: string
}
