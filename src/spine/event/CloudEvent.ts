/**
 * An event as a CloudEvent 1.0. A request to a webhook and a record on Kafka have these attributes in common, with the
 * same values. Their data differ: the payload there, the whole record here. Pure.
 */
import { transactionOfEventId } from "./EventId.ts"
import type { EnvelopeFields } from "./LedgerEvent.ts"
import { sequenceOf } from "./Sequence.ts"

export const cloudEventAttributes = (event: EnvelopeFields) => ({
  specversion: "1.0",
  id: event.event_id,
  // Event ids are unique within a network only.
  source: `urn:ledgerhook:${event.network}`,
  type: event.event_type,
  subject: transactionOfEventId(event.event_id),
  time: event.timestamp
})

/** How CloudEvents' Kafka binding begins the names of headers, in binary mode. */
export const KAFKA_ATTRIBUTE = "ce_"

/** The header `content-type`, which the binding wants too, is among those that each record has. */
export const cloudEventRecordHeaders = (event: EnvelopeFields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...cloudEventAttributes(event), sequence: sequenceOf(event) }).map(([name, value]) => [
      `${KAFKA_ATTRIBUTE}${name}`,
      value
    ])
  )
