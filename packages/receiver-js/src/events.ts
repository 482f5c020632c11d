/**
 * Parses the body of a verified request. The result is a union over `event_type`, so that a `switch` knows each
 * payload's fields. It checks the envelope; the service has checked the payload against its schema before it signed
 * it.
 */
import { envelopeOf, envelopeOfItem, isCloudEvent, isObject, type JsonObject } from "./cloudevents.ts"
import { ParseError } from "./errors.ts"
import { type EventEnvelope, type EventType, eventTypes, type Payloads } from "./generated/events.ts"
import { checkSequence } from "./sequences.ts"
import { type HeaderSource, headerOf } from "./signature.ts"

/** The fields that every event has here: those of the envelope, and what the request says beside it. */
export interface ReceivedEnvelope extends EventEnvelope {
  /**
   * The event's place in its network, such as `0094084608.000007`: compared as text, sequences are in ledger order.
   * Absent if the service is older than 0.3.
   */
  readonly sequence?: string
}

export type EventOf<Type extends EventType> = ReceivedEnvelope & {
  readonly event_type: Type
  readonly payload: Payloads[Type]
}

/** Any event that this version knows. */
export type KnownEvent = { [Type in EventType]: EventOf<Type> }[EventType]

/** An event of a newer service, whose type this version does not know. */
export interface UnknownEvent extends ReceivedEnvelope {
  readonly event_type: "unknown"
  /** The `event_type` that was sent. */
  readonly sent_type: string
  readonly payload: { readonly [field: string]: unknown }
}

export type LedgerhookEvent = KnownEvent | UnknownEvent

/** One event of a request, with the delivery that it belongs to, where the request names it. */
export interface Received {
  readonly event: LedgerhookEvent
  readonly deliveryId: string | undefined
}

/** The most events of one request, as the service has it for webhooks with `batch`. */
const BATCH_MAX = 500

const decoder = new TextDecoder("utf-8", { fatal: true })

const jsonOf = (body: Uint8Array | string): unknown => {
  try {
    return JSON.parse(typeof body === "string" ? body : decoder.decode(body))
  } catch {
    throw new ParseError("The body is not JSON in UTF-8.")
  }
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""
const fields: ReadonlyArray<readonly [name: string, what: string, isRight: (value: unknown) => boolean]> = [
  ["event_id", "a string", isText],
  ["event_type", "a string", isText],
  ["ledger_index", "a positive integer", (value) => Number.isSafeInteger(value) && Number(value) > 0],
  ["timestamp", "a string", isText],
  ["network", "a string", isText],
  ["webhook_id", "a string", isText],
  ["payload", "an object", isObject]
]

const known: ReadonlySet<unknown> = new Set(eventTypes)

/** The envelope with the sequence beside it. One that the envelope has already is kept. */
const sequenced = (envelope: unknown, sequence: unknown): unknown =>
  sequence === undefined || !isObject(envelope) ? envelope : { sequence, ...envelope }

const eventOf = (value: unknown, place: string): LedgerhookEvent => {
  if (!isObject(value)) throw new ParseError(`${place} is not an object.`)
  for (const [name, what, isRight] of fields)
    if (!isRight(value[name])) throw new ParseError(`${place}: the field ${name} must be ${what}.`)
  const { event_id, ledger_index, sequence } = value
  if (sequence !== undefined) checkSequence(sequence, Number(ledger_index), String(event_id))
  const event = known.has(value["event_type"])
    ? value
    : { ...value, event_type: "unknown", sent_type: value["event_type"] }
  // The envelope's fields were checked above. The service checks payloads before it signs them.
  return event as unknown as LedgerhookEvent
}

/** The envelope of a request, with the sequence of its header. A batch has one beside each event instead. */
const requestOf = (body: Uint8Array | string, headers: HeaderSource | undefined): unknown =>
  sequenced(envelopeOf(jsonOf(body), headers), headers && headerOf(headers, "x-service-sequence"))

/**
 * The event of a request. `headers` is needed for the sequence, and if the webhook's format is `cloudevents`. Throws
 * ParseError.
 */
export const parse = (body: Uint8Array | string, headers?: HeaderSource): LedgerhookEvent =>
  eventOf(requestOf(body, headers), "The body")

const deliveryIdOf = (item: JsonObject, field: string, place: string): string => {
  const value = item[field]
  if (typeof value !== "string") throw new ParseError(`${place}: the field ${field} must be a string.`)
  return value
}

const itemOf = (value: unknown, place: string): Received => {
  if (!isObject(value)) throw new ParseError(`${place} is not an object.`)
  if (isCloudEvent(value))
    return {
      deliveryId: deliveryIdOf(value, "deliveryid", place),
      event: eventOf(envelopeOfItem(value, place), place)
    }
  return {
    deliveryId: deliveryIdOf(value, "delivery_id", place),
    event: eventOf(sequenced(value["event"], value["sequence"] ?? undefined), `${place}.event`)
  }
}

/**
 * The events of a request, which are several when the webhook has `batch`. Throws ParseError.
 * `deliveryId` is the header X-Service-Delivery-Id: a batch names the delivery beside each event instead.
 * `headers` is needed for the sequence of a single event, and if the webhook's format is `cloudevents`.
 */
export const parseAll = (
  body: Uint8Array | string,
  deliveryId?: string,
  headers?: HeaderSource
): ReadonlyArray<Received> => {
  const value = requestOf(body, headers)
  if (!Array.isArray(value)) return [{ event: eventOf(value, "The body"), deliveryId }]
  if (value.length > BATCH_MAX) throw new ParseError(`A batch has at most ${BATCH_MAX} events.`)
  return value.map((one: unknown, index) => itemOf(one, `[${index}]`))
}
