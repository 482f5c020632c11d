/** The headers of one attempt's request, without those that HTTP adds (Host, Content-Length, Connection). Pure. */
import type { Compression } from "./Compression.ts"
import type { EnvelopeFields } from "./LedgerEvent.ts"
import { cloudEventHeaders, type RequestFormat } from "./RequestFormat.ts"
import type { SigningScheme } from "./Signing.ts"
import { HIDDEN_VALUE } from "./WebhookRules.ts"

/** Formats a time for a header. */
export const unixSeconds = (unixMs: number): string => String(Math.floor(unixMs / 1_000))

interface Request {
  /** The webhook's own headers. They never replace the service's headers. */
  readonly headers: Readonly<Record<string, string>>
  /** One for each scheme of the webhook. */
  readonly signatures: Readonly<Partial<Record<SigningScheme, string>>>
  readonly format: RequestFormat
  readonly compression: Compression | undefined
  readonly webhookId: string
  readonly deliveryId: string
  readonly event: EnvelopeFields
  /** When the attempt begins, in Unix seconds. */
  readonly seconds: string
}

export const requestHeaders = (request: Request): Readonly<Record<string, string>> => {
  const { compression, deliveryId, event, seconds, signatures } = request
  return {
    "User-Agent": "Ledgerhook/0.1",
    ...request.headers,
    "Content-Type": "application/json",
    ...(compression === undefined ? undefined : { "Content-Encoding": compression }),
    ...(signatures.service === undefined ? undefined : { "X-Service-Signature": signatures.service }),
    "X-Service-Delivery-Id": deliveryId,
    "X-Service-Event-Id": event.event_id,
    "X-Service-Event-Type": event.event_type,
    "X-Service-Timestamp": seconds,
    ...(request.format === "cloudevents" ? cloudEventHeaders(event, request.webhookId) : undefined),
    ...(signatures.standard === undefined
      ? undefined
      : {
          "webhook-id": deliveryId,
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
