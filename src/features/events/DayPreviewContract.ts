/** Contract of `/v1/events/counts` and `/v1/events/preview`: what the last 24 hours would have sent to a webhook. */
import { Schema } from "effect"
import { count, field, Timestamp } from "../../http/ContractParts.ts"
import { networks } from "../../spine/event/Network.ts"
import {
  AccountFilters,
  EventTypes,
  PAYLOAD_FILTER_EXAMPLE,
  WebhookPayloadFilter
} from "../webhooks/WebhookFieldsContract.ts"
import { eventLimits } from "./Limits.ts"

const Network = field(Schema.Literals(networks), "The network.", "mainnet")
const since = field(Timestamp, "When the counted 24 hours began.")
const until = field(Timestamp, "When they ended.")
const TypeCounts = Schema.Record(Schema.String, Schema.Int)

export const EventCounts = Schema.Struct({
  network: Network,
  since,
  until,
  by_type: field(TypeCounts, "The events of each type. A type without events is left out.", {
    "payment.xrp": 268_900,
    "check.cashed": 4_800
  })
}).annotate({ identifier: "EventCounts", description: "The events of the last 24 hours, by type." })

export const DayPreviewRequest = Schema.Struct({
  network: Schema.optionalKey(
    field(
      Schema.Literals(networks),
      "The network: mainnet with a live key; testnet (default) or devnet with a test key.",
      "testnet"
    )
  ),
  event_types: EventTypes,
  account_filters: Schema.optionalKey(AccountFilters),
  payload_filter: Schema.optionalKey(WebhookPayloadFilter)
}).annotate({
  identifier: "DayPreviewRequest",
  description: "The filters of a webhook, which need not exist.",
  examples: [{ event_types: ["payment.*"], payload_filter: PAYLOAD_FILTER_EXAMPLE }]
})

/** `Event`: the schema of an event. EventsContract.ts uses this contract, so it cannot be imported here. */
export const dayPreviewOf = <Event extends Schema.Constraint>(Event: Event) =>
  Schema.Struct({
    network: Network,
    since,
    until,
    candidates: count("The events of these 24 hours that have a wanted type and a wanted account.", 18_204),
    at_least: Schema.optionalKey(
      field(Schema.Literal(true), "There may be more candidates: not all were counted.", true)
    ),
    examined: count(
      `How many of the candidates were examined: the newest, at most ${eventLimits.previewCandidates}.`,
      5_000
    ),
    examined_since: field(
      Timestamp,
      "Since when every candidate was examined. It equals `since` if the examined ones are all of the 24 hours."
    ),
    matched: count("How many of the examined have a payload that the filter matches.", 412),
    by_type: field(TypeCounts, "The matches of each type. A type without matches is left out.", {
      "payment.xrp": 412
    }),
    parts: field(
      Schema.Array(Schema.Int),
      `The matches in each of ${eventLimits.previewParts} equal parts of the time from \`examined_since\` to \`until\`, oldest first.`,
      [0, 3, 11]
    ),
    samples: Schema.Array(Event).annotate({
      description: `The newest matches, at most ${eventLimits.previewDaySamples}.`
    })
  }).annotate({
    identifier: "DayPreview",
    description: "What the filters would have sent in the last 24 hours."
  })
