/**
 * The published shapes around a payload: the envelope that a webhook receives and the
 * records of the two public topics. `LedgerEvent.ts` holds the types; the tests hold both to each other.
 */
import { Schema } from "effect"
import { EVENT_ID_PATTERN } from "./EventId.ts"
import { eventTypes } from "./EventType.ts"
import { networks } from "./Network.ts"
import { Address, Hash, named, optional, required, Time, text } from "./payloads/Fields.ts"

/** Of the ledger's 32-bit sequence numbers; ledger 0 does not exist. */
const LEDGER_INDEX_MAX = 2 ** 32 - 1

const ledgerIndex = Schema.Number.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: LEDGER_INDEX_MAX })
)
const count = Schema.Number.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))

const EventId = text(
  EVENT_ID_PATTERN,
  "EventId",
  "xrpl:<ledger_index>:<tx_hash>:<event_type>, and :<sub_index> from 0 where one transaction causes several events of the type. The same fact always has the same id, unique within its network.",
  "xrpl:94084608:4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D:payment.xrp",
  "xrpl:94084608:2639612C645CE6413F4C4FF73EDD8E0D050CA8DF00BA9501C2203DCDA1103E09:dex.offer_filled:0"
)

const WebhookId = text(
  /^wh_[0-7][0-9A-HJKMNP-TV-Z]{25}$/u,
  "WebhookId",
  "wh_ and 26 characters (a ULID).",
  "wh_01KAJ0Q4M8000000G3T5W7Y9ZB"
)

const EventTypeName = named("EventType", `The ${eventTypes.length} event types.`, Schema.Literals(eventTypes))

const event = {
  event_id: required(EventId, "The event's name: use it to recognise a repeated delivery."),
  event_type: required(EventTypeName, "What happened; it says which fields the payload has."),
  ledger_index: required(ledgerIndex, "The validated ledger that holds the transaction."),
  timestamp: required(Time, "When that ledger closed."),
  network: required(Schema.Literals(networks), "The network it happened on.")
}

const payload = required(
  Schema.Record(Schema.String, Schema.Json),
  "The event's own fields, by its type. Fields that do not apply are left out, never null."
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

export const envelope = Schema.Struct({
  ...event,
  webhook_id: required(WebhookId, "The webhook it is sent to."),
  payload
}).annotate({
  title: "Event envelope",
  description: "The body of every webhook POST. No other fields come.",
  examples: [{ ...exampleEvent, webhook_id: "wh_01KAJ0Q4M8000000G3T5W7Y9ZB", payload: examplePayload }]
})

export const eventRecord = Schema.Struct({
  ...event,
  payload,
  accounts: required(
    Schema.Array(Address).check(Schema.isMinLength(1), Schema.isUnique()),
    "The accounts involved, which account filters are compared with; sorted."
  ),
  position: required(count, "Its place among the events of its ledger, from 0."),
  detected_at: required(
    count,
    "When its ledger was taken, in Unix milliseconds; strictly increasing from ledger to ledger of one network."
  )
}).annotate({
  title: "Event record",
  description:
    "A record of the topic xrpl.<network>.events: every detected event, in ledger order. Those of xrpl.<network>.history.events are of the same form.",
  examples: [
    {
      ...example,
      accounts: ["rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ", "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],
      position: 0,
      detected_at: 1_763_684_802_318
    }
  ]
})

export const ledgerRecord = Schema.Struct({
  ledger_index: required(ledgerIndex, "The ledger."),
  ledger_hash: required(Hash, "Its hash."),
  parent_hash: required(Hash, "The hash of the ledger before it, which is the record before this one."),
  close_time: required(Time, "When it closed."),
  transaction_count: required(count, "How many transactions it holds."),
  event_count: required(count, "How many events they caused."),
  first_event_offset: required(
    Schema.NullOr(count),
    "The offset of its first event in xrpl.<network>.events, or in xrpl.<network>.history.events for a record of history; null when it has none."
  ),
  detected_at: required(count, "When it was taken, in Unix milliseconds; as in its events."),
  range_since: optional(
    count,
    "The detected_at of the first ledger of its range: records that share it are an unbroken chain, each linked by hash to the one before. Absent from records of earlier versions."
  ),
  simulated: optional(
    Schema.Literal(true),
    "There when the ledger was made by the simulated ledger, which plays a test network that has no servers."
  )
}).annotate({
  title: "Ledger record",
  description:
    "A record of the topic xrpl.<network>.ledgers: one for each validated ledger, without gaps, after its events. Those of xrpl.<network>.history.ledgers are of the same form.",
  examples: [
    {
      ledger_index: 94_084_608,
      ledger_hash: "5A3E9C1B7D2F4860A1B3C5D7E9F02143658799ABCDEF0123456789ABCDEF0123",
      parent_hash: "0F1E2D3C4B5A69788796A5B4C3D2E1F00112233445566778899AABBCCDDEEFF0",
      close_time: "2025-11-21T00:26:41Z",
      transaction_count: 87,
      event_count: 41,
      first_event_offset: 1_204_311,
      detected_at: 1_763_684_802_318
    }
  ]
})
