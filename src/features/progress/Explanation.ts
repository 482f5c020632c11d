/**
 * Why a webhook got an event or did not: the rules of the route stage, applied afterwards. Only the present settings
 * of a webhook are known, and of the periods in which it was disabled only the present one and the last one before.
 * Pure.
 */

import type { DeliveryStatus } from "../../spine/domain/Delivery.ts"
import { CHARGED_NETWORK } from "../../spine/domain/Quota.ts"
import type { LedgerEvent } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"

export const explainReasons = [
  "matched",
  "queued",
  "type",
  "account",
  "payload",
  "network",
  "not_yet_created",
  "disabled",
  "quota",
  "deleted"
] as const
export type ExplainReason = (typeof explainReasons)[number]

/** A period in which nothing is queued for a webhook, in Unix milliseconds. `to` is null while it lasts. */
export interface Pause {
  readonly from: number
  readonly to: number | null
}

/** The facts that decide whether a webhook gets the events of one transaction. Times are Unix milliseconds. */
export interface ExplainedWebhook {
  readonly id: string
  readonly network: Network
  /** Without patterns. */
  readonly eventTypes: ReadonlySet<string>
  /** The account filters that occur in the events; undefined if the webhook has no account filter. */
  readonly accounts: ReadonlySet<string> | undefined
  /** Undefined if the webhook has no payload filter. */
  readonly wantsPayload: ((event: Event) => boolean) | undefined
  readonly createdAt: number
  readonly deletedAt: number | null
  /** Whether it was deleted and its filters are no longer known (store/EndedRows.ts). */
  readonly isCleared: boolean
  /** When it was disabled, or its account suspended. */
  readonly pauses: ReadonlyArray<Pause>
  /** Whether its account's quota was used up when the ledger was taken. */
  readonly quotaUsedUp: boolean
  readonly isPaused: boolean
}

export interface Explained {
  /** Whether there is a delivery or, if there is none, whether the present settings match the event. */
  readonly wanted: boolean
  /** Also "matched" if there is no delivery and nothing known explains that. */
  readonly reason: ExplainReason
}

export interface LiveDelivery {
  /** The status in its row; undefined if it has none. */
  readonly status: DeliveryStatus | undefined
  /** Whether it may wait in the log, where it is until it has a row. */
  readonly isInLog: boolean
}

type Event = Pick<LedgerEvent, "accounts" | "event_type" | "network" | "payload">

/** Which setting of the webhook excludes the event. */
const unwantedFor = (webhook: ExplainedWebhook, event: Event) => {
  const { accounts, eventTypes, network, wantsPayload } = webhook
  if (network !== event.network) return "network"
  if (!eventTypes.has(event.event_type)) return "type"
  if (accounts !== undefined && !event.accounts.some((account) => accounts.has(account))) return "account"
  if (wantsPayload?.(event) === false) return "payload"
  return undefined
}

/** Why nothing was queued for the webhook when the ledger was taken, whatever its settings; undefined if not known. */
const missedFor = (webhook: ExplainedWebhook, takenAt: number, isHistory: boolean) => {
  // Ledgers from before the service's first one are never routed.
  if (isHistory || webhook.createdAt > takenAt) return "not_yet_created"
  if (webhook.isCleared || (webhook.deletedAt !== null && webhook.deletedAt <= takenAt)) return "deleted"
  if (webhook.pauses.some(({ from, to }) => from <= takenAt && (to === null || takenAt < to)))
    return "disabled"
  if (webhook.quotaUsedUp && webhook.network === CHARGED_NETWORK) return "quota"
  return undefined
}

export const explain = (
  webhook: ExplainedWebhook,
  event: Event,
  taken: { readonly at: number; readonly isHistory: boolean },
  { isInLog, status }: LiveDelivery
): Explained => {
  const isWaiting = status === "pending" || status === "retrying"
  if (isWaiting && webhook.isPaused) return { wanted: true, reason: "queued" }
  if (status !== undefined) return { wanted: true, reason: "matched" }
  const unwanted = unwantedFor(webhook, event)
  if (unwanted !== undefined) return { wanted: false, reason: unwanted }
  const missed = missedFor(webhook, taken.at, taken.isHistory)
  return { wanted: true, reason: missed ?? (isInLog ? "queued" : "matched") }
}
