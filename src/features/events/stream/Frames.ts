/**
 * Text of an event stream (server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html). Pure.
 */

import type { EventType } from "../../../spine/event/EventType.ts"
import { type Includable, includables, includedFields } from "../../../spine/event/Include.ts"
import { eventJson, type LedgerEvent, parseLedgerEvent } from "../../../spine/event/LedgerEvent.ts"
import type { LogRecord } from "../../../spine/log/Log.ts"
import type { EventId } from "../../../spine/words/Ids.ts"

/** An event as streams send it. All streams of a network share the text. */
export interface StreamEvent {
  readonly offset: number
  readonly eventId: EventId
  readonly eventType: EventType
  readonly accounts: ReadonlyArray<string>
  readonly text: string
  /** JSON text of the fields that a stream may ask for; empty if the event has none. */
  readonly included: Readonly<Record<Includable, string>>
}

const END = "}}\n\n"

const innerJson = (event: LedgerEvent, include: Includable) =>
  JSON.stringify(includedFields(event, [include])).slice(1, -1)

/** Undefined if the record holds no event. JSON text has no line breaks, so `data` is one line. */
export const streamEventOf = ({ offset, value }: LogRecord): StreamEvent | undefined => {
  const event = parseLedgerEvent(value)
  if (event === undefined) return undefined
  const { accounts, event_id: eventId, event_type: eventType } = event
  const text = `id: ${eventId}\nevent: ${eventType}\ndata: ${eventJson(event)}\n\n`
  const included = {
    memos: innerJson(event, "memos"),
    balance_changes: innerJson(event, "balance_changes")
  }
  return { offset, eventId, eventType, accounts, text, included }
}

/** The event's text for a stream that asks for these fields: they end the payload, which ends the text. */
export const textWith = ({ included, text }: StreamEvent, include: ReadonlyArray<Includable>): string => {
  const fields = includables.filter((one) => include.includes(one) && included[one] !== "")
  return fields.length === 0
    ? text
    : `${[text.slice(0, -END.length), ...fields.map((one) => included[one])].join(",")}${END}`
}

/**
 * Makes a comment and the id after which the reader would resume now. A block without data is not an event, so the
 * reader only stores the id. A reader whose filters match few events then does not have to resume far back.
 */
export const heartbeat = (id: string | undefined): string =>
  `: keep-alive\n${id === undefined ? "" : `id: ${id}\n`}\n`

/** Why the service ends a stream. */
export const endings = {
  key: {
    code: "UNAUTHORIZED",
    message: "The API key has been revoked or has expired, or its account is suspended."
  },
  unchecked: {
    code: "UNAVAILABLE",
    message: "The service cannot check the API key at the moment. Connect again."
  },
  log: {
    code: "UNAVAILABLE",
    message: "The service cannot read its event log at the moment. Connect again."
  },
  stop: {
    code: "UNAVAILABLE",
    message: "This server is stopping. Connect again."
  },
  slow: {
    code: "TOO_SLOW",
    message:
      "The events came faster than this reader took them. Connect again with Last-Event-ID, read faster or use narrower filters."
  }
} as const

export type Ending = keyof typeof endings

/** The last event of a stream. Its data has the form of the API's errors. */
export const lastWords = (ending: Ending): string =>
  `event: error\ndata: ${JSON.stringify({ error: endings[ending] })}\n\n`
