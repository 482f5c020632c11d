/**
 * Text of an event stream (server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html). Pure.
 */

import type { EventType } from "../../domain/EventType.ts"
import type { EventId } from "../../domain/Ids.ts"
import { eventJson, parseLedgerEvent } from "../../domain/LedgerEvent.ts"
import type { LogRecord } from "../../log/Log.ts"

/** An event as streams send it. All streams of a network share the text. */
export interface StreamEvent {
  readonly offset: number
  readonly eventId: EventId
  readonly eventType: EventType
  readonly accounts: ReadonlyArray<string>
  readonly text: string
}

/** Undefined if the record holds no event. JSON text has no line breaks, so `data` is one line. */
export const streamEventOf = ({ offset, value }: LogRecord): StreamEvent | undefined => {
  const event = parseLedgerEvent(value)
  if (event === undefined) return undefined
  const { accounts, event_id: eventId, event_type: eventType } = event
  const text = `id: ${eventId}\nevent: ${eventType}\ndata: ${eventJson(event)}\n\n`
  return { offset, eventId, eventType, accounts, text }
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
    message: "The service cannot check the API key at the moment. Connect again with Last-Event-ID."
  },
  log: {
    code: "UNAVAILABLE",
    message: "The service cannot read its event log at the moment. Connect again with Last-Event-ID."
  },
  stop: {
    code: "UNAVAILABLE",
    message: "This server is stopping. Connect again with Last-Event-ID."
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
