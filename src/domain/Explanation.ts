/**
 * Why a webhook got, or did not get, an event: the rules of route (src/route), asked afterwards. What the webhook wants is
 * known as it is now, not as it was then; when it was disabled is known of now and of the last time before. Pure.
 */
import type { LedgerEvent } from "./LedgerEvent.ts"
import type { Network } from "./Network.ts"
import { CHARGED_NETWORK } from "./Quota.ts"

export const explainReasons = [
  "matched",
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

/** A time in which nothing is queued, in Unix milliseconds; null: it has no end yet. */
export interface Pause {
  readonly from: number
  readonly to: number | null
}

/** A webhook as it is now, with what decides about the events of one transaction. Times are Unix milliseconds. */
export interface ExplainedWebhook {
  readonly id: string
  readonly network: Network
  /** Expanded. */
  readonly eventTypes: ReadonlySet<string>
  /** Of the accounts that the events involve those that it filters for; undefined when it has no filter. */
  readonly accounts: ReadonlySet<string> | undefined
  readonly createdAt: number
  readonly deletedAt: number | null
  /** When it was disabled or its account suspended. */
  readonly pauses: ReadonlyArray<Pause>
  /** Its account's quota was used up when the ledger was taken. */
  readonly quotaUsedUp: boolean
}

export interface Explained {
  /** Whether the webhook, as it is now, wants the event. */
  readonly wanted: boolean
  /** "matched" also where nothing that is known speaks against a delivery. */
  readonly reason: ExplainReason
}

type Event = Pick<LedgerEvent, "accounts" | "event_type" | "network">

/** Which part of what the webhook asks for the event does not meet. */
const unwantedFor = ({ accounts, eventTypes, network }: ExplainedWebhook, event: Event) => {
  if (network !== event.network) return "network"
  if (!eventTypes.has(event.event_type)) return "type"
  if (accounts !== undefined && !event.accounts.some((account) => accounts.has(account))) return "account"
  return undefined
}

/** Why nothing was queued for it when the ledger was taken, whatever it wants; undefined when nothing is known. */
const missedFor = (webhook: ExplainedWebhook, takenAt: number, isHistory: boolean) => {
  // What closed before the service's first ledger is never routed.
  if (isHistory || webhook.createdAt > takenAt) return "not_yet_created"
  if (webhook.deletedAt !== null && webhook.deletedAt <= takenAt) return "deleted"
  if (webhook.pauses.some(({ from, to }) => from <= takenAt && (to === null || takenAt < to)))
    return "disabled"
  if (webhook.quotaUsedUp && webhook.network === CHARGED_NETWORK) return "quota"
  return undefined
}

/** `wasQueued`: there is a delivery that no replay has made. */
export const explain = (
  webhook: ExplainedWebhook,
  event: Event,
  taken: { readonly at: number; readonly isHistory: boolean },
  wasQueued: boolean
): Explained => {
  if (wasQueued) return { wanted: true, reason: "matched" }
  const unwanted = unwantedFor(webhook, event)
  if (unwanted !== undefined) return { wanted: false, reason: unwanted }
  return { wanted: true, reason: missedFor(webhook, taken.at, taken.isHistory) ?? "matched" }
}
