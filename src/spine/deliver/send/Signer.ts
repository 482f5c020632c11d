/**
 * Makes the request of one attempt: the body and headers of the webhook's format (event/RequestFormat.ts), and the
 * signatures of its schemes (domain/Signing.ts). During the grace of a rotation each scheme signs with both secrets:
 * X-Service-Signature separates them with a comma, webhook-signature with a space. Signatures cover the body before
 * compression, because many servers decompress a body before the receiver's code can see it.
 */

import { createHmac } from "node:crypto"
import { gzipSync, zstdCompressSync } from "node:zlib"
import type { Compression } from "../../domain/Compression.ts"
import { type Carried, contentId, requestHeaders, unixSeconds } from "../../domain/RequestHeaders.ts"
import { defaultSigning, type SigningScheme, standardKey } from "../../domain/Signing.ts"
import { batchBody } from "../../event/Batch.ts"
import type { EnvelopeFields } from "../../event/LedgerEvent.ts"
import { defaultFormat, type RequestFormat, requestBody } from "../../event/RequestFormat.ts"
import type { DeliveryId, WebhookId } from "../../words/Ids.ts"

export const signature = (secret: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

/**
 * A signature of Standard Webhooks. `key` is in base64: from bytes, Node takes 20 µs longer. `seconds`: the time of the
 * attempt in Unix seconds.
 */
export const standardSignature = (key: string, id: string, seconds: string, body: string): string =>
  `v1,${createHmac("sha256", key, { encoding: "base64" }).update(`${id}.${seconds}.`).update(body).digest("base64")}`

const standardSignatures = (
  secrets: ReadonlyArray<string>,
  id: string,
  seconds: string,
  body: string
): string =>
  secrets
    // A previous secret may have another form. No Standard Webhooks library could verify with it.
    .flatMap((secret) => standardKey(secret) ?? [])
    .map((key) => standardSignature(key, id, seconds, body))
    .join(" ")

const compressed: Readonly<Record<Compression, (body: string) => Uint8Array>> = {
  gzip: (body) => gzipSync(body),
  zstd: (body) => zstdCompressSync(body)
}

export interface SignedRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

interface RequestOptions {
  readonly url: URL
  /** The webhook's own headers. Only `User-Agent` and `Accept-Encoding` replace the service's. */
  readonly headers: Readonly<Record<string, string>>
  /** The secrets, newest first. A receiver that has one of them accepts the request. */
  readonly secrets: ReadonlyArray<string>
  /** Default: `service`. */
  readonly signing?: ReadonlyArray<SigningScheme> | undefined
  /** Default: `ledgerhook`. */
  readonly format?: RequestFormat | undefined
  /** Default: none. */
  readonly compression?: Compression | undefined
  readonly webhookId: WebhookId
  readonly nowMs: number
}

const signed = (
  { compression, format = defaultFormat, signing = defaultSigning, ...options }: RequestOptions,
  carried: Carried,
  body: string
): SignedRequest => {
  const { headers, secrets, url, webhookId } = options
  const seconds = unixSeconds(options.nowMs)
  return {
    url,
    body: compression === undefined ? body : compressed[compression](body),
    headers: requestHeaders({
      headers,
      signatures: {
        ...(signing.includes("service")
          ? { service: secrets.map((secret) => signature(secret, body)).join(",") }
          : undefined),
        ...(signing.includes("standard")
          ? { standard: standardSignatures(secrets, contentId(carried), seconds, body) }
          : undefined)
      },
      format,
      compression,
      webhookId,
      carried,
      seconds
    })
  }
}

export const signedRequest = ({
  deliveryId,
  event,
  ...options
}: RequestOptions & { readonly deliveryId: DeliveryId; readonly event: EnvelopeFields }): SignedRequest =>
  signed(
    options,
    { deliveryId, event },
    requestBody(options.format ?? defaultFormat, event, options.webhookId)
  )

/** `items` are in the webhook's format. */
export const signedBatch = ({
  batchId,
  items,
  ...options
}: RequestOptions & { readonly batchId: string; readonly items: ReadonlyArray<string> }): SignedRequest =>
  signed(options, { batchId }, batchBody(items))
