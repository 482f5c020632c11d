/** What `listen --forward` shows of one event: a line for people, a JSON line for pipes. Pure. */
import { sequenceOf } from "../../../spine/event/Sequence.ts"
import { GREEN, painter, RED } from "../../../terminal/Colour.ts"
import { printableLines } from "../../../terminal/JsonText.ts"
import { eventText } from "../../events/follow/EventLine.ts"
import type { Forwarded } from "./Forward.ts"

const isFine = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300

export const forwardedJson = ({ deliveryId, event, failure, sentAt, status, tookMs }: Forwarded): string =>
  printableLines(
    JSON.stringify({
      sent_at: new Date(sentAt).toISOString(),
      event_id: event.event_id,
      event_type: event.event_type,
      ledger_index: event.ledger_index,
      sequence: sequenceOf(event),
      delivery_id: deliveryId,
      status: status ?? null,
      time_ms: tookMs,
      ...(failure !== undefined && { error: failure })
    })
  )

const TIME_WIDTH = 6

export const forwardedLine = ({ event, failure, status, tookMs }: Forwarded, colour: boolean): string => {
  const paint = painter(colour)
  const verdict = paint(status === undefined ? "---" : String(status), isFine(status) ? GREEN : RED)
  const time = `${tookMs} ms`.padStart(TIME_WIDTH + " ms".length)
  const why = failure === undefined ? "" : `  ${paint(failure, RED)}`
  return `${verdict}  ${time}  ${eventText(event.event_type, event.event_id, paint)}${why}`
}
