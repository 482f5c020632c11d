/**
 * An event as the text that the log has of it, for who only passes it on. Its envelope is cut from that text: parsing an
 * event and writing it again was a twentieth of a delivery's CPU. Promises the very bytes of `envelopeJson`; an event
 * written in another order than ingest's is parsed. Pure.
 */
import type { LedgerEvent } from "./LedgerEvent.ts"

export interface EventText {
  readonly event_id: string
  readonly event_type: string
  /** The whole record. */
  readonly json: string
  /** The envelope before its webhook's id, and after. */
  readonly before: string
  readonly after: string
}

// All that stands before the payload, and behind it: a quote inside of a string is escaped, so neither is met elsewhere.
const BEFORE =
  /^\{"event_id":"([^"\\]*)","event_type":"([^"\\]*)","ledger_index":\d+,"timestamp":"[^"\\]*","network":"[a-z]*",(?="payload":\{)/
const END = '},"accounts":['
const REST = /\},"accounts":\[(?:"\w*",?)*\],"position":\d+,"detected_at":\d+\}$/y

const cut = (json: string): EventText | undefined => {
  const [before, eventId, eventType] = BEFORE.exec(json) ?? []
  if (before === undefined || eventId === undefined || eventType === undefined) return undefined
  const end = json.lastIndexOf(END)
  REST.lastIndex = end
  if (end < before.length || !REST.test(json)) return undefined
  return {
    event_id: eventId,
    event_type: eventType,
    json,
    before,
    after: `${json.slice(before.length, end + 1)}}`
  }
}

/** The text of an event in any order. */
export const eventText = (event: LedgerEvent, json = JSON.stringify(event)): EventText => {
  const { event_id, event_type, ledger_index, timestamp, network, payload } = event
  const before = JSON.stringify({ event_id, event_type, ledger_index, timestamp, network })
  return {
    event_id,
    event_type,
    json,
    before: `${before.slice(0, -1)},`,
    after: JSON.stringify({ payload }).slice(1)
  }
}

/** Undefined when it is no event. */
export const parseEventText = (json: string): EventText | undefined => {
  const text = cut(json)
  if (text !== undefined) return text
  try {
    // Written by ingest or the API in this shape.
    const event = JSON.parse(json) as LedgerEvent
    return typeof event.event_id === "string" ? eventText(event, json) : undefined
  } catch {
    return undefined
  }
}

/** The body of a webhook POST, byte for byte the same at every attempt. */
export const envelopeText = ({ before, after }: EventText, webhookId: string): string =>
  `${before}"webhook_id":"${webhookId}",${after}`
