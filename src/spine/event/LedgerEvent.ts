/**
 * Events: as detection returns them, as the events topic carries them, and as the envelope shows them to a receiver.
 * Types are those of the published schemas (Envelope.ts). Serialisation keeps the key order of docs/detection-rules.md
 * 1.4, so the same event always has the same bytes.
 */

import type { EventId, WebhookId } from "../words/Ids.ts"
import type { AlertCode } from "./AlertCode.ts"
import type { envelope, eventRecord, ledgerRecord } from "./Envelope.ts"
import type { EventType } from "./EventType.ts"
import { isNetwork, type Network } from "./Network.ts"
import { isJsonObject } from "./NormaliseLedger.ts"

type EventRecord = (typeof eventRecord)["Type"]

/** A record of `xrpl.<network>.events`. */
export interface LedgerEvent extends EventRecord {
  readonly event_id: EventId
}

/** Fields of a record that do not follow from its ledger alone. */
type Added = "network" | "position" | "detected_at" | "rules_version"

/** One event as detection returns it: a pure function of its ledger. */
export interface DetectedEvent extends Omit<LedgerEvent, Added | "timestamp"> {
  /** Null only for recorded data without a close time. */
  readonly timestamp: string | null
}

/** A memo of a transaction: hex, as in the ledger. */
export type Memo = NonNullable<LedgerEvent["memos"]>[number]

/** How much of an asset an involved account gained. */
export type BalanceChange = NonNullable<LedgerEvent["balance_changes"]>[number]

/** A case that the rules do not decide: the event is withheld, the reason is kept (docs/detection-rules.md 1.11). */
export interface DetectionAlert {
  readonly code: AlertCode
  readonly tx_hash: string
  readonly event_type: EventType | null
  readonly reason: string
}

/** The version of docs/detection-rules.md that this program follows. */
export const RULES_VERSION = 2

export interface Detection {
  readonly events: ReadonlyArray<DetectedEvent>
  readonly alerts: ReadonlyArray<DetectionAlert>
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

/** The consumer group that writes the event index. `GET /v1/events` shows the events below its committed offset. */
export const EVENT_LOG_GROUP = "events"

/** Why a record of an events topic is a dead letter. */
export const NOT_AN_EVENT = "it does not have the form of an event"

/** The year 10000. Names and bounds of table partitions have years of four digits. */
const END_OF_TIME_MS = 253_402_300_800_000
/** A delivery id has 24 bits for the event's position. */
const POSITIONS = 2 ** 24
const SECONDS_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

const isBelow = (value: unknown, end: number): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < end

/**
 * Checks the fields that stages rely on. Only ingest should write to the topic, but a broker may let others write. The
 * schema would take 12 µs instead of 0.7, and refuse events of types that a later version adds.
 */
const hasFieldsOfEvent = (event: Readonly<Record<keyof LedgerEvent, unknown>>): boolean =>
  typeof event.event_id === "string" &&
  typeof event.event_type === "string" &&
  isBelow(event.ledger_index, Number.MAX_SAFE_INTEGER) &&
  typeof event.timestamp === "string" &&
  SECONDS_FORM.test(event.timestamp) &&
  !Number.isNaN(Date.parse(event.timestamp)) &&
  isJsonObject(event.payload) &&
  Array.isArray(event.accounts) &&
  event.accounts.every((account) => typeof account === "string") &&
  isNetwork(event.network) &&
  isBelow(event.position, POSITIONS) &&
  isBelow(event.detected_at, END_OF_TIME_MS)

export const isLedgerEvent = (value: unknown): value is LedgerEvent =>
  isJsonObject(value) && hasFieldsOfEvent(value as Readonly<Record<keyof LedgerEvent, unknown>>)

/** Parses the value of a record of `xrpl.<network>.events`. Undefined if it is not an event. */
export const parseLedgerEvent = (value: string | null): LedgerEvent | undefined => {
  try {
    const event: unknown = JSON.parse(value ?? "")
    return isLedgerEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

type Envelope = (typeof envelope)["Type"]

/** The fields of an event that a receiver gets, and its place among the events of its ledger. */
export type EnvelopeFields = Pick<LedgerEvent, Exclude<keyof Envelope, "webhook_id"> | "position">

/** The body of a webhook POST, byte for byte the same at every attempt. */
export const envelopeJson = (event: EnvelopeFields, webhookId: WebhookId): string => {
  // The order of the keys decides the bytes.
  const body: Envelope = {
    event_id: event.event_id,
    event_type: event.event_type,
    ledger_index: event.ledger_index,
    timestamp: event.timestamp,
    network: event.network,
    webhook_id: webhookId,
    payload: event.payload
  }
  return JSON.stringify(body)
}

/** The event as the API shows it. */
export const eventJson = (event: EnvelopeFields): string =>
  JSON.stringify({
    event_id: event.event_id,
    event_type: event.event_type,
    ledger_index: event.ledger_index,
    position: event.position,
    timestamp: event.timestamp,
    network: event.network,
    payload: event.payload
  })
