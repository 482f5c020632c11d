/**
 * Events: as detection returns them, as the events topic carries them, and as the envelope shows them to a receiver.
 * The snake_case names are the published ones. Serialisation keeps the key order of docs/detection-rules.md 1.4, so
 * the same event always has the same bytes.
 */
import type { ledgerRecord } from "./Envelope.ts"
import type { EventType } from "./EventType.ts"
import type { JsonObject } from "./Ledger.ts"
import type { Network } from "./Network.ts"

/** One event as detection returns it: a pure function of its ledger. */
export interface DetectedEvent {
  readonly event_id: string
  readonly event_type: EventType
  readonly ledger_index: number
  /** Close time; null only for recorded data without one. */
  readonly timestamp: string | null
  readonly payload: JsonObject
  /** The involved accounts (docs/detection-rules.md 1.9): sorted by bytes, without duplicates. */
  readonly accounts: ReadonlyArray<string>
}

/** A case that the rules do not decide: the event is withheld, the reason is kept (docs/detection-rules.md 1.11). */
export interface DetectionAlert {
  readonly tx_hash: string
  readonly event_type: EventType | null
  readonly reason: string
}

export interface Detection {
  readonly events: ReadonlyArray<DetectedEvent>
  readonly alerts: ReadonlyArray<DetectionAlert>
}

/** A record of `xrpl.<network>.events`. */
export interface LedgerEvent extends DetectedEvent {
  readonly timestamp: string
  readonly network: Network
  /** Place among its ledger's events, from 0. */
  readonly position: number
  /** Unix milliseconds, strictly increasing from ledger to ledger: delivery ids and `created_at` derive from it. */
  readonly detected_at: number
}

/** A record of `xrpl.<network>.ledgers`: the ingest checkpoint and the proof of coverage. */
export type LedgerMarker = (typeof ledgerRecord)["Type"]

export const eventsTopic = (network: Network): string => `xrpl.${network}.events`
export const ledgersTopic = (network: Network): string => `xrpl.${network}.ledgers`

/** The two topics of a network: one for the markers of its ledgers, one for their events. */
export interface LedgerTopics {
  readonly ledgers: string
  readonly events: string
}

/** The consumer group that writes the event log. `GET /v1/events` shows the events below its committed offset. */
export const EVENT_LOG_GROUP = "events"

/** Why a record of an events topic is in quarantine. */
export const NOT_AN_EVENT = "it does not have the form of an event"

/** Checks the fields that stages rely on. Only ingest should write to the topic, but a broker may let others write. */
const isLedgerEvent = (event: Readonly<Record<keyof LedgerEvent, unknown>>): boolean =>
  typeof event.event_id === "string" &&
  typeof event.event_type === "string" &&
  Number.isSafeInteger(event.ledger_index) &&
  typeof event.timestamp === "string" &&
  !Number.isNaN(Date.parse(event.timestamp)) &&
  typeof event.payload === "object" &&
  event.payload !== null &&
  Array.isArray(event.accounts) &&
  event.accounts.every((account) => typeof account === "string") &&
  typeof event.network === "string" &&
  Number.isSafeInteger(event.position) &&
  Number.isSafeInteger(event.detected_at)

/** Parses the value of a record of `xrpl.<network>.events`. Undefined if it is not an event. */
export const parseLedgerEvent = (value: string | null): LedgerEvent | undefined => {
  try {
    const event = JSON.parse(value ?? "")
    // The cast is safe: `isLedgerEvent` has checked the fields.
    return isLedgerEvent(event) ? (event as LedgerEvent) : undefined
  } catch {
    return undefined
  }
}

/** The fields of an event that a receiver gets. */
export type EnvelopeFields = Pick<
  LedgerEvent,
  "event_id" | "event_type" | "ledger_index" | "timestamp" | "network" | "payload"
>

/** The body of a webhook POST, byte for byte the same at every attempt. */
export const envelopeJson = (event: EnvelopeFields, webhookId: string | undefined): string =>
  JSON.stringify({
    event_id: event.event_id,
    event_type: event.event_type,
    ledger_index: event.ledger_index,
    timestamp: event.timestamp,
    network: event.network,
    webhook_id: webhookId,
    payload: event.payload
  })

/** The event as the API shows it: the envelope without a webhook's id. */
export const eventJson = (event: EnvelopeFields): string => envelopeJson(event, undefined)
