/**
 * The headers of the requests to webhooks, for the OpenAPI and AsyncAPI documents. `src/spine/domain/RequestHeaders.ts`
 * makes the requests. A test compares both.
 */

import { EVENT_ID_PATTERN } from "../../spine/event/EventId.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { SEQUENCE_PATTERN } from "../../spine/event/Sequence.ts"
import { idPattern } from "../../spine/words/Ids.ts"
import { EVENT_ID_EXAMPLE } from "../ContractParts.ts"

/** What a request carries: one event, or a batch. */
export type WebhookRequest = "event" | "batch"

interface WebhookHeader {
  /** The name of its component in the OpenAPI document. */
  readonly component: string
  readonly name: string
  /** Absent: requests with one event and batches have it. */
  readonly only?: WebhookRequest
  /** Whether every such request has it. */
  readonly always: boolean
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

const DELIVERY_ID = "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"
const BATCH_ID = "bat_01KAJ0Q4M8000000G3T5W7Y9ZC"
const SEQUENCE_EXAMPLE = "0094084608.000041"
const SECONDS = "1763684802"
const SERVICE_SIGNATURE = "sha256=7770e0870712326c44f47fe23f3eb0d9e8ff4a2bb8b0a71635abea64d88858a4"
const STANDARD_SIGNATURE = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="

const text = (example: string, pattern: string) => ({ type: "string", pattern, examples: [example] })

export const webhookHeaders: ReadonlyArray<WebhookHeader> = [
  {
    component: "ServiceSignature",
    name: "X-Service-Signature",
    always: false,
    description:
      "Sent if the webhook's `signing` contains `service`: `sha256=` and the HMAC-SHA256 of the body in hexadecimal. The key is the webhook's whole secret. During the grace of a rotation, two signatures are separated by a comma.",
    schema: text(SERVICE_SIGNATURE, "^sha256=[0-9a-f]{64}(,sha256=[0-9a-f]{64})?$")
  },
  {
    component: "ServiceDeliveryId",
    name: "X-Service-Delivery-Id",
    only: "event",
    always: true,
    description: "The delivery: the same at every attempt.",
    schema: text(DELIVERY_ID, idPattern("dlv_"))
  },
  {
    component: "ServiceEventId",
    name: "X-Service-Event-Id",
    only: "event",
    always: true,
    description: "The event: the same in every delivery. Use it to recognise duplicates.",
    schema: text(EVENT_ID_EXAMPLE, EVENT_ID_PATTERN.source)
  },
  {
    component: "ServiceEventType",
    name: "X-Service-Event-Type",
    only: "event",
    always: true,
    description: "The event's type.",
    schema: { type: "string", enum: eventTypes, examples: ["payment.xrp"] }
  },
  {
    component: "ServiceSequence",
    name: "X-Service-Sequence",
    only: "event",
    always: true,
    description:
      "The event's place in the order of its network: the ledger's index in 10 digits, a full stop, and the event's place in its ledger, from 0, in 6 digits. Sequences sort as text.",
    schema: text(SEQUENCE_EXAMPLE, SEQUENCE_PATTERN.source)
  },
  {
    component: "ServiceBatchId",
    name: "X-Service-Batch-Id",
    only: "batch",
    always: true,
    description: "The batch: another one at every attempt. Recognise duplicates by the event's id instead.",
    schema: text(BATCH_ID, idPattern("bat_"))
  },
  {
    component: "ServiceTimestamp",
    name: "X-Service-Timestamp",
    always: true,
    description: "When this attempt was made, in Unix seconds. `X-Service-Signature` does not cover it.",
    schema: text(SECONDS, "^[0-9]+$")
  },
  {
    component: "StandardWebhookId",
    name: "webhook-id",
    always: false,
    description:
      "Sent if the webhook's `signing` contains `standard`: the delivery, as in X-Service-Delivery-Id, or the batch, as in X-Service-Batch-Id.",
    schema: text(DELIVERY_ID, `${idPattern("dlv_")}|${idPattern("bat_")}`)
  },
  {
    component: "StandardWebhookTimestamp",
    name: "webhook-timestamp",
    always: false,
    description:
      "Sent if the webhook's `signing` contains `standard`: the time of the attempt, in Unix seconds.",
    schema: text(SECONDS, "^[0-9]+$")
  },
  {
    component: "StandardWebhookSignature",
    name: "webhook-signature",
    always: false,
    description:
      "Sent if the webhook's `signing` contains `standard`: a signature as Standard Webhooks specifies. During the grace of a rotation, two signatures are separated by a space.",
    schema: text(STANDARD_SIGNATURE, "^v1,[0-9A-Za-z+/]{43}=( v1,[0-9A-Za-z+/]{43}=)?$")
  },
  {
    component: "AcceptEncoding",
    name: "Accept-Encoding",
    always: true,
    description:
      "Asks for an answer that is not compressed: `identity`, unless the webhook's own headers have another value.",
    schema: { type: "string", examples: ["identity"] }
  },
  {
    component: "ContentEncoding",
    name: "Content-Encoding",
    always: false,
    description: "Sent if the webhook's `compression` is set. Signatures cover the body before compression.",
    schema: { type: "string", enum: ["gzip", "zstd"], examples: ["gzip"] }
  }
]

/** The headers of requests that carry one event, or of batches. */
export const headersOf = (request: WebhookRequest): ReadonlyArray<WebhookHeader> =>
  webhookHeaders.filter(({ only }) => only === undefined || only === request)
