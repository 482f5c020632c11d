/**
 * Reads a CloudEvent as the envelope that the other format sends, so that a program sees the same event whatever the
 * webhook's `format`. The attributes of a single event are ce-… headers; those of a batch's events are in the body.
 *
 * No signature covers the ce-… headers. So an envelope in the body, which is signed, is never replaced, and the
 * event's id must name the transaction of the signed payload.
 */
import { ParseError } from "./errors.ts"
import { type HeaderSource, headerOf } from "./signature.ts"

export type JsonObject = { readonly [field: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Attributes {
  readonly attributeOf: (name: string) => unknown
  /** What a message calls the attribute. */
  readonly placeOf: (name: string) => string
}

const envelopeFrom = ({ placeOf, attributeOf }: Attributes, payload: JsonObject): JsonObject => {
  const required = (name: string): string => {
    const value = attributeOf(name)
    if (typeof value === "string" && value !== "") return value
    throw new ParseError(`${placeOf(name)} is missing, empty or not a string.`)
  }
  if (required("specversion") !== "1.0") throw new ParseError(`${placeOf("specversion")} must be 1.0.`)
  const ledgerIndex = required("ledgerindex")
  if (!/^[1-9]\d{0,14}$/.test(ledgerIndex))
    throw new ParseError(`${placeOf("ledgerindex")} must be a positive integer.`)
  const eventId = required("id")
  const hash = payload["tx_hash"]
  if (typeof hash === "string" && !eventId.includes(hash))
    throw new ParseError(`${placeOf("id")} must contain the tx_hash of the payload.`)
  const sequence = attributeOf("sequence") ?? undefined
  return {
    ...(sequence !== undefined && { sequence }),
    event_id: eventId,
    event_type: required("type"),
    ledger_index: Number(ledgerIndex),
    timestamp: required("time"),
    network: required("network"),
    webhook_id: required("webhookid"),
    payload
  }
}

/** The envelope of a request: the body, or the ce-… headers and the body. Throws ParseError. */
export const envelopeOf = (body: unknown, headers: HeaderSource | undefined): unknown =>
  headers !== undefined &&
  headerOf(headers, "ce-specversion") !== undefined &&
  isObject(body) &&
  !Object.hasOwn(body, "event_id")
    ? envelopeFrom(
        {
          attributeOf: (name) => headerOf(headers, `ce-${name}`),
          placeOf: (name) => `The header ce-${name}`
        },
        body
      )
    : body

/** Whether an item of a batch is a CloudEvent. The body says it, because no signature covers Content-Type. */
export const isCloudEvent = (item: JsonObject): boolean => Object.hasOwn(item, "specversion")

/** The envelope of a batch's item that is a CloudEvent. `place` names the item in messages. Throws ParseError. */
export const envelopeOfItem = (item: JsonObject, place: string): unknown => {
  const payload = item["data"]
  if (!isObject(payload)) throw new ParseError(`${place}: the field data must be an object.`)
  return envelopeFrom(
    { attributeOf: (name) => item[name], placeOf: (name) => `${place}: the attribute ${name}` },
    payload
  )
}
