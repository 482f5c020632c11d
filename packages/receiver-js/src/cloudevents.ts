/**
 * Reads a CloudEvent (binary mode) as the envelope that the other format sends, so that a program sees the same event
 * whatever the webhook's `format`.
 *
 * No signature covers the ce-… headers. So an envelope in the body, which is signed, is never replaced, and the
 * event's id must name the transaction of the signed payload.
 */
import { ParseError } from "./errors.ts"
import { type HeaderSource, headerOf } from "./signature.ts"

type JsonObject = { readonly [field: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const required = (headers: HeaderSource, name: string): string => {
  const value = headerOf(headers, name)
  if (!value) throw new ParseError(`The header ${name} is missing.`)
  return value
}

const fromHeaders = (headers: HeaderSource, payload: JsonObject): JsonObject => {
  const version = required(headers, "ce-specversion")
  if (version !== "1.0") throw new ParseError("The header ce-specversion must be 1.0.")
  const ledgerIndex = required(headers, "ce-ledgerindex")
  if (!/^[1-9]\d{0,14}$/.test(ledgerIndex))
    throw new ParseError("The header ce-ledgerindex must be a positive integer.")
  const eventId = required(headers, "ce-id")
  const hash = payload["tx_hash"]
  if (typeof hash === "string" && !eventId.includes(hash))
    throw new ParseError("The header ce-id must contain the tx_hash of the body.")
  return {
    event_id: eventId,
    event_type: required(headers, "ce-type"),
    ledger_index: Number(ledgerIndex),
    timestamp: required(headers, "ce-time"),
    network: required(headers, "ce-network"),
    webhook_id: required(headers, "ce-webhookid"),
    payload
  }
}

/** The envelope of a request: the body, or the ce-… headers and the body. Throws ParseError. */
export const envelopeOf = (body: unknown, headers: HeaderSource | undefined): unknown =>
  headers !== undefined &&
  headerOf(headers, "ce-specversion") !== undefined &&
  isObject(body) &&
  !Object.hasOwn(body, "event_id")
    ? fromHeaders(headers, body)
    : body
