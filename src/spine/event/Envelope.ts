/**
 * Schemas of the published shapes around a payload: the envelope that a webhook receives, a batch of them, and the
 * records of the two public topics. The types in `LedgerEvent.ts` come from them.
 */
import { Schema } from "effect"
import { bookingFields } from "./Booking.ts"
import { EVENT_ID_PATTERN } from "./EventId.ts"
import { eventTypes } from "./EventType.ts"
import { networks } from "./Network.ts"
import { Address, Hash, named, optional, required, Time, text } from "./payloads/PayloadFields.ts"
import { SEQUENCE_PATTERN } from "./Sequence.ts"

/** A 32-bit sequence number. Ledger 0 does not exist. */
const LEDGER_INDEX_MAX = 2 ** 32 - 1

const ledgerIndex = Schema.Number.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: LEDGER_INDEX_MAX })
)
const count = Schema.Number.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))
const rulesVersion = Schema.Number.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1))

const EventId = text(
  EVENT_ID_PATTERN,
  "EventId",
  "xrpl:<ledger_index>:<tx_hash>:<event_type>, followed by :<sub_index> (from 0) if one transaction caused several events of the type. The same event always has the same id, which is unique within its network.",
  "xrpl:94084608:4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D:payment.xrp",
  "xrpl:94084608:2639612C645CE6413F4C4FF73EDD8E0D050CA8DF00BA9501C2203DCDA1103E09:dex.offer_filled:0"
)

const WebhookId = text(
  /^wh_[0-7][0-9A-HJKMNP-TV-Z]{25}$/u,
  "WebhookId",
  "wh_ and 26 characters (a ULID).",
  "wh_01KAJ0Q4M8000000G3T5W7Y9ZB"
)

const DeliveryId = text(
  /^dlv_[0-7][0-9A-HJKMNP-TV-Z]{25}$/u,
  "DeliveryId",
  "dlv_ and 26 characters (a ULID).",
  "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"
)

const Sequence = text(
  SEQUENCE_PATTERN,
  "Sequence",
  "The ledger's index in 10 digits, a full stop, and the event's place among the events of its ledger, from 0, in 6 digits. Sequences sort as text in the order of the network's events.",
  "0094084608.000041"
)

const EventTypeName = named("EventType", `The ${eventTypes.length} event types.`, Schema.Literals(eventTypes))

const event = {
  event_id: required(EventId, "The event's id. Use it to recognise duplicates."),
  event_type: required(EventTypeName, "The event's type, which decides the fields of the payload."),
  ledger_index: required(ledgerIndex, "The index of the validated ledger that contains the transaction."),
  timestamp: required(Time, "When that ledger closed."),
  network: required(Schema.Literals(networks), "The network it happened on.")
}

const payload = required(
  Schema.Record(Schema.String, Schema.Json),
  "The fields of the event, which depend on its type. Fields that do not apply are absent, never null."
)

const example = {
  event_id: "xrpl:94084608:4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D:payment.xrp",
  event_type: "payment.xrp",
  ledger_index: 94_084_608,
  timestamp: "2025-11-21T00:26:41Z",
  network: "mainnet",
  payload: {
    tx_hash: "4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D",
    sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
    receiver: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
    amount: "17310000",
    destination_tag: 4009078
  }
} as const

const { payload: examplePayload, ...exampleEvent } = example

const ENVELOPE_TITLE = "Event envelope"
const envelopeFields = Schema.Struct({
  ...event,
  webhook_id: required(WebhookId, "The webhook that the event is sent to."),
  payload
})
const envelopeExample = {
  ...exampleEvent,
  webhook_id: "wh_01KAJ0Q4M8000000G3T5W7Y9ZB",
  payload: examplePayload
}

export const envelope = envelopeFields.annotate({
  title: ENVELOPE_TITLE,
  description:
    "The body of a request to a webhook with the format ledgerhook, and each event of a batch. It has no other fields.",
  examples: [envelopeExample]
})

const BatchItem = named(
  "BatchItem",
  "An event of a batch.",
  Schema.Struct({
    delivery_id: required(
      DeliveryId,
      "The delivery, which has its own status and attempts. List it in the field failed of the answer if its event failed and others did not."
    ),
    sequence: optional(
      Sequence,
      "The event's place in the order of its network. Absent from requests of releases before 0.3."
    ),
    event: required(
      envelopeFields.annotate({ title: ENVELOPE_TITLE }),
      "The event, as the body of a request without a batch."
    )
  })
)

/** The most events of one request: receivers see it in the published schema. */
export const BATCH_EVENTS_MAX = 500

export const batch = Schema.Array(BatchItem)
  .check(Schema.isMinLength(1), Schema.isMaxLength(BATCH_EVENTS_MAX))
  .annotate({
    title: "Batch",
    description:
      "The body of a request to a webhook that has batch and the format ledgerhook. With the format cloudevents the body is in the JSON Batch Format of CloudEvents instead.",
    examples: [
      [
        {
          delivery_id: "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB",
          sequence: "0094084608.000041",
          event: envelopeExample
        }
      ]
    ]
  })

export const eventRecord = Schema.Struct({
  ...event,
  payload,
  accounts: required(
    Schema.Array(Address).check(Schema.isMinLength(1), Schema.isUnique()),
    "The addresses that the event involves, sorted. Account filters are compared with them."
  ),
  position: required(count, "The event's place among the events of its ledger, from 0."),
  detected_at: required(
    count,
    "When the service processed the ledger, in Unix milliseconds. Strictly increasing from ledger to ledger of one network."
  ),
  rules_version: optional(
    rulesVersion,
    "The version of the detection rules that found the event. Absent from records of releases before 0.3: 1."
  ),
  ...bookingFields
}).annotate({
  title: "Event record",
  description:
    "A record of the topic xrpl.<network>.events: every detected event, in ledger order. Records of xrpl.<network>.history.events have the same form.",
  examples: [
    {
      ...example,
      accounts: ["rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ", "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],
      position: 0,
      detected_at: 1_763_684_802_318,
      rules_version: 2,
      memos: [{ type: "696E766F696365", data: "343731312F32303235" }],
      balance_changes: [
        { account: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ", asset: "XRP", change: "17310000" },
        { account: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX", asset: "XRP", change: "-17310012" }
      ]
    }
  ]
})

export const ledgerRecord = Schema.Struct({
  ledger_index: required(ledgerIndex, "The ledger's index."),
  ledger_hash: required(Hash, "The ledger's hash."),
  parent_hash: required(Hash, "The hash of the previous ledger, whose record is the one before this."),
  close_time: required(Time, "When the ledger closed."),
  transaction_count: required(count, "The number of transactions in the ledger."),
  event_count: required(count, "The number of events in the ledger."),
  first_event_offset: required(
    Schema.NullOr(count),
    "The offset of the ledger's first event in xrpl.<network>.events, or in xrpl.<network>.history.events for a record of history; null if it has no events."
  ),
  transaction_record_count: optional(
    count,
    "The number of the ledger's records in xrpl.<network>.transactions. Below transaction_count, the others were too large. Absent: the transactions were not recorded."
  ),
  first_transaction_offset: optional(
    Schema.NullOr(count),
    "The offset of the first of these records; null if there is none. Present with transaction_record_count."
  ),
  detected_at: required(
    count,
    "When the service processed the ledger, in Unix milliseconds; the same as in its events."
  ),
  range_since: optional(
    count,
    "The detected_at of the first ledger in this ledger's range. Records with the same value form an unbroken chain, each linked by hash to the one before. Absent from records of earlier versions."
  ),
  simulated: optional(
    Schema.Literal(true),
    "Present if the ledger is simulated. The service simulates a test network for which no servers are configured."
  ),
  skipped: optional(
    Schema.String,
    "Present if an operator skipped the ledger, because no server could list its transactions: the reason that the operator gave. Then both counts are 0, and the ledger's events are missing for ever."
  ),
  rules_version: optional(
    rulesVersion,
    "The version of the detection rules that found the ledger's events. Absent from records of releases before 0.3: 1."
  )
}).annotate({
  title: "Ledger record",
  description:
    "A record of the topic xrpl.<network>.ledgers: one for each validated ledger, without gaps, written after its events. Records of xrpl.<network>.history.ledgers have the same form.",
  examples: [
    {
      ledger_index: 94_084_608,
      ledger_hash: "5A3E9C1B7D2F4860A1B3C5D7E9F02143658799ABCDEF0123456789ABCDEF0123",
      parent_hash: "0F1E2D3C4B5A69788796A5B4C3D2E1F00112233445566778899AABBCCDDEEFF0",
      close_time: "2025-11-21T00:26:41Z",
      transaction_count: 87,
      event_count: 41,
      first_event_offset: 1_204_311,
      detected_at: 1_763_684_802_318,
      rules_version: 2
    }
  ]
})
