/** An event in one line of text, as `listen` and `events tail` show it. Pure. */
import type { EnvelopeFields } from "../../../spine/event/LedgerEvent.ts"
import { printable } from "../../../spine/words/Printable.ts"
import { DIM, painter } from "../../../terminal/Colour.ts"
import { printableLines } from "../../../terminal/JsonText.ts"

/** The longest type has 24 characters. */
const TYPE_WIDTH = 24

/** The sender is untrusted, so its text is escaped. */
const escaped = (text: string): string => printable(text, text.length)

export const eventText = (type: string, id: string, paint: ReturnType<typeof painter>): string =>
  `${escaped(type).padEnd(TYPE_WIDTH)}  ${paint(escaped(id), DIM)}`

export const payloadBelow = (payload: unknown): string =>
  `\n${printableLines(JSON.stringify(payload, null, 2))}`

export const eventLine = (event: EnvelopeFields, colour: boolean): string => {
  const paint = painter(colour)
  const at = escaped(`${event.timestamp}  ${event.network}`)
  return `${at}  ${eventText(event.event_type, event.event_id, paint)}`
}
