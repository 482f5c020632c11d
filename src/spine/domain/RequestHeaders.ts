/** The headers of one attempt's request, without those that HTTP adds (Host, Content-Length, Connection). Pure. */

import packageJson from "../../../package.json" with { type: "json" }
import { batchContentType } from "../event/Batch.ts"
import type { EnvelopeFields } from "../event/LedgerEvent.ts"
import { cloudEventHeaders, type RequestFormat } from "../event/RequestFormat.ts"
import { sequenceOf } from "../event/Sequence.ts"
import type { DeliveryId, WebhookId } from "../words/Ids.ts"
import type { Compression } from "./Compression.ts"
import type { SigningScheme } from "./Signing.ts"

/** Stands instead of a header's value where the value is not shown, because values are often secrets. */
export const HIDDEN_VALUE = "***"

/** Formats a time for a header. */
export const unixSeconds = (unixMs: number): string => String(Math.floor(unixMs / 1_000))

/** What a request carries: one delivery, or a batch. */
export type Carried =
  | { readonly deliveryId: DeliveryId; readonly event: EnvelopeFields }
  | { readonly batchId: string }

interface Request {
  /** The webhook's own headers. Only `User-Agent` and `Accept-Encoding` replace the service's, however they are spelled. */
  readonly headers: Readonly<Record<string, string>>
  /** One for each scheme of the webhook. */
  readonly signatures: Readonly<Partial<Record<SigningScheme, string>>>
  readonly format: RequestFormat
  readonly compression: Compression | undefined
  readonly webhookId: WebhookId
  readonly carried: Carried
  /** When the attempt begins, in Unix seconds. */
  readonly seconds: string
}

/** Identifies the request's content: the same at every attempt of a delivery, another one for each batch. */
export const contentId = (carried: Carried): string =>
  "batchId" in carried ? carried.batchId : carried.deliveryId

/** `name` is in lower case. */
const has = (headers: Readonly<Record<string, string>>, name: string): boolean =>
  Object.keys(headers).some((one) => one.toLowerCase() === name)

export const requestHeaders = (request: Request): Readonly<Record<string, string>> => {
  const { carried, compression, format, seconds, signatures } = request
  const isBatch = "batchId" in carried
  return {
    ...(has(request.headers, "user-agent")
      ? undefined
      : { "User-Agent": `Ledgerhook/${packageJson.version}` }),
    // Answers are read as they are sent.
    ...(has(request.headers, "accept-encoding") ? undefined : { "Accept-Encoding": "identity" }),
    ...request.headers,
    "Content-Type": isBatch ? batchContentType[format] : "application/json",
    ...(compression === undefined ? undefined : { "Content-Encoding": compression }),
    ...(signatures.service === undefined ? undefined : { "X-Service-Signature": signatures.service }),
    ...(isBatch
      ? { "X-Service-Batch-Id": carried.batchId }
      : {
          "X-Service-Delivery-Id": carried.deliveryId,
          "X-Service-Event-Id": carried.event.event_id,
          "X-Service-Event-Type": carried.event.event_type,
          "X-Service-Sequence": sequenceOf(carried.event)
        }),
    "X-Service-Timestamp": seconds,
    ...(isBatch || format !== "cloudevents"
      ? undefined
      : cloudEventHeaders(carried.event, request.webhookId)),
    ...(signatures.standard === undefined
      ? undefined
      : {
          "webhook-id": contentId(carried),
          "webhook-timestamp": seconds,
          "webhook-signature": signatures.standard
        })
  }
}

const hiddenSignatures = { service: `sha256=${HIDDEN_VALUE}`, standard: `v1,${HIDDEN_VALUE}` } as const

/**
 * The same headers for people. The values of custom headers are often secrets, and a signature allows to send the
 * body again.
 */
export const shownRequestHeaders = ({
  headerNames,
  signing,
  ...request
}: Omit<Request, "headers" | "signatures"> & {
  readonly headerNames: ReadonlyArray<string>
  readonly signing: ReadonlyArray<SigningScheme>
}): Readonly<Record<string, string>> =>
  requestHeaders({
    ...request,
    headers: Object.fromEntries(headerNames.map((name) => [name, HIDDEN_VALUE])),
    signatures: Object.fromEntries(signing.map((scheme) => [scheme, hiddenSignatures[scheme]]))
  })
