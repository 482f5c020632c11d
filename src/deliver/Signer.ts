/**
 * Makes the request of one attempt: the envelope, its headers, and an HMAC-SHA256 signature over the raw body with
 * the webhook's secret. During the grace of a rotation there are two signatures, separated by a comma.
 */
import { createHmac } from "node:crypto"
import { type EnvelopeFields, envelopeJson } from "../domain/LedgerEvent.ts"
import { requestHeaders } from "../domain/RequestHeaders.ts"

export const signature = (secret: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

export interface SignedRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const signedRequest = (options: {
  readonly url: URL
  /** The webhook's own headers. They never replace the service's headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Newest first. A receiver that knows one of them accepts the request. */
  readonly secrets: ReadonlyArray<string>
  readonly webhookId: string
  readonly deliveryId: string
  readonly event: EnvelopeFields
  readonly nowMs: number
}): SignedRequest => {
  const body = envelopeJson(options.event, options.webhookId)
  return {
    url: options.url,
    body,
    headers: requestHeaders({
      headers: options.headers,
      signature: options.secrets.map((secret) => signature(secret, body)).join(","),
      deliveryId: options.deliveryId,
      eventId: options.event.event_id,
      eventType: options.event.event_type,
      attemptedAt: options.nowMs
    })
  }
}
