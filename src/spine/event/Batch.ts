/**
 * Batches: one request that carries several deliveries of a webhook. Its body is a JSON array with an item for each
 * delivery: `{delivery_id, sequence, event}`, or a CloudEvent in JSON (the JSON Batch Format of CloudEvents 1.0). Pure.
 */
import type { DeliveryId, WebhookId } from "../words/Ids.ts"
import { type EnvelopeFields, envelopeJson } from "./LedgerEvent.ts"
import { cloudEventJson, type RequestFormat } from "./RequestFormat.ts"
import { sequenceOf } from "./Sequence.ts"

/** A webhook's `batch`. */
export interface Batch {
  /** Deliveries of one request. */
  readonly max_events: number
  /** How long the first delivery of a batch waits for others, in milliseconds. */
  readonly max_wait_ms: number
}

export const batchItem = (
  format: RequestFormat,
  event: EnvelopeFields,
  webhookId: WebhookId,
  deliveryId: DeliveryId
): string =>
  format === "cloudevents"
    ? cloudEventJson(event, webhookId, deliveryId)
    : `{"delivery_id":"${deliveryId}","sequence":"${sequenceOf(event)}","event":${envelopeJson(event, webhookId)}}`

export const batchBody = (items: ReadonlyArray<string>): string => `[${items.join(",")}]`

export const batchContentType: Readonly<Record<RequestFormat, string>> = {
  ledgerhook: "application/json",
  cloudevents: "application/cloudevents-batch+json"
}

const isText = (value: unknown): value is string => typeof value === "string"

/** The ids in `{"failed": ["dlv_…"]}`, the response to a batch. Undefined if the body is anything else. */
export const failedDeliveries = (body: string): ReadonlySet<string> | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== "object" || value === null || !("failed" in value)) return undefined
    const { failed } = value
    return Array.isArray(failed) && failed.every(isText) ? new Set(failed) : undefined
  } catch {
    return undefined
  }
}
