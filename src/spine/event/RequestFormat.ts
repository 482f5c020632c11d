/**
 * The two formats of a webhook's requests. `ledgerhook`: the body is the envelope. `cloudevents`: CloudEvents 1.0 in
 * binary mode, where the body is the payload and ce-… headers say the rest. The body is the same, byte for byte, at
 * every attempt. event/Batch.ts has the body of several events. Pure.
 */

import type { DeliveryId, WebhookId } from "../words/Ids.ts"
import { cloudEventAttributes } from "./CloudEvent.ts"
import { schemaId } from "./JsonSchemas.ts"
import { type EnvelopeFields, envelopeJson } from "./LedgerEvent.ts"
import { sequenceOf } from "./Sequence.ts"

export const requestFormats = ["ledgerhook", "cloudevents"] as const
export type RequestFormat = (typeof requestFormats)[number]

export const defaultFormat: RequestFormat = "ledgerhook"

export const requestBody = (format: RequestFormat, event: EnvelopeFields, webhookId: WebhookId): string =>
  format === "cloudevents" ? JSON.stringify(event.payload) : envelopeJson(event, webhookId)

/** Names of extension attributes have lower-case letters and digits only, as CloudEvents asks. */
const attributesOf = (event: EnvelopeFields, webhookId: WebhookId) => ({
  ...cloudEventAttributes(event),
  dataschema: schemaId(`payload:${event.event_type}`),
  ledgerindex: String(event.ledger_index),
  sequence: sequenceOf(event),
  network: event.network,
  webhookid: webhookId
})

/** No value needs percent-encoding: all are ASCII without spaces, quotes and percent signs. */
export const cloudEventHeaders = (
  event: EnvelopeFields,
  webhookId: WebhookId
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(attributesOf(event, webhookId)).map(([name, value]) => [`ce-${name}`, value])
  )

/** One item of a batch. Attributes have the same values as in headers. */
export const cloudEventJson = (event: EnvelopeFields, webhookId: WebhookId, deliveryId: DeliveryId): string =>
  JSON.stringify({
    ...attributesOf(event, webhookId),
    deliveryid: deliveryId,
    datacontenttype: "application/json",
    data: event.payload
  })
