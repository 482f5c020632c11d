/**
 * The two formats of a webhook's requests. `ledgerhook`: the body is the envelope. `cloudevents`: CloudEvents 1.0 in
 * binary mode, where the body is the payload and ce-… headers say the rest. The body is the same, byte for byte, at
 * every attempt. Pure.
 */
import { transactionOfEventId } from "./EventId.ts"
import { schemaId } from "./JsonSchemas.ts"
import { type EnvelopeFields, envelopeJson } from "./LedgerEvent.ts"

export const requestFormats = ["ledgerhook", "cloudevents"] as const
export type RequestFormat = (typeof requestFormats)[number]

export const defaultFormat: RequestFormat = "ledgerhook"

export const requestBody = (format: RequestFormat, event: EnvelopeFields, webhookId: string): string =>
  format === "cloudevents" ? JSON.stringify(event.payload) : envelopeJson(event, webhookId)

/**
 * The attributes of CloudEvents, as headers. No value needs percent-encoding: all are ASCII without spaces, quotes and
 * percent signs. Names of extension attributes have lower-case letters and digits only, as CloudEvents asks.
 */
export const cloudEventHeaders = (
  event: EnvelopeFields,
  webhookId: string
): Readonly<Record<string, string>> => ({
  "ce-specversion": "1.0",
  "ce-id": event.event_id,
  // Event ids are unique within a network only.
  "ce-source": `urn:ledgerhook:${event.network}`,
  "ce-type": event.event_type,
  "ce-subject": transactionOfEventId(event.event_id),
  "ce-time": event.timestamp,
  "ce-dataschema": schemaId(`payload:${event.event_type}`),
  "ce-ledgerindex": String(event.ledger_index),
  "ce-network": event.network,
  "ce-webhookid": webhookId
})
