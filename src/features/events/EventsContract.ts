/** Contract of `/v1/events`: list events, and show one event. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { networkRules } from "../../http/CommonRules.ts"
import {
  addressForm,
  CommonErrors,
  EVENT_ID_EXAMPLE,
  EventId,
  eventIdProblem,
  field,
  KeyRequired,
  LedgerIndexBound,
  pageOf,
  pageQuery,
  postErrors,
  queryLedgerIndex,
  rule,
  scoped,
  TimeBound
} from "../../http/ContractParts.ts"
import { NotFound, StreamLimitReached } from "../../http/Errors.ts"
import { contractOf, Place, QueryTypes } from "../../http/FeatureContract.ts"
import { bodyRules, queryRules, RequestRules } from "../../http/RequestRules.ts"
import { addressProblem } from "../../spine/event/AccountId.ts"
import { EVENT_ID_PATTERN } from "../../spine/event/EventId.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { includables } from "../../spine/event/Include.ts"
import { networks } from "../../spine/event/Network.ts"
import { EventPattern } from "../webhooks/WebhookFieldsContract.ts"
import { DayPreviewRequest, dayPreviewOf, EventCounts } from "./DayPreviewContract.ts"
import { dayPreviewRules, eventListRules, eventStreamRules } from "./EventRules.ts"

const Network = Schema.Literals(networks)

/** The envelope that a webhook receives, with `position` instead of `webhook_id`. */
export const Event = Schema.Struct({
  event_id: field(
    Schema.String,
    "The event's id. The same event always has the same id, so use it to recognise duplicates.",
    EVENT_ID_EXAMPLE
  ),
  event_type: field(Schema.Literals(eventTypes), "The event's type.", "payment.xrp"),
  ledger_index: field(Schema.Int, "The index of the ledger that contains the event.", 94_084_608),
  position: field(
    Schema.Int,
    "The event's place among the events of its ledger, from 0. With ledger_index it gives the order of a network's events, as in the header X-Service-Sequence.",
    41
  ),
  timestamp: Schema.String.annotate({
    format: "date-time",
    description: "When that ledger closed: ISO 8601 date-time in UTC, whole seconds.",
    examples: ["2025-02-11T16:31:20Z"]
  }),
  network: field(Network, "The network of the event.", "mainnet"),
  payload: field(
    Schema.Record(Schema.String, Schema.Json),
    "The fields of the event. Its type decides which there are."
  )
}).annotate({ identifier: "Event", description: "An event. Its type decides which fields its payload has." })
export type Event = typeof Event.Type

const network = Schema.optionalKey(
  field(
    Network,
    "The network: mainnet with live keys, testnet or devnet with test keys. See the operation for the default."
  )
)

/** For operations on one network. */
const oneNetwork = Schema.optionalKey(
  field(Network, "The network: mainnet with live keys, testnet (the default) or devnet with test keys.")
)

const eventType = Schema.optionalKey(
  field(
    Schema.Array(EventPattern),
    "An event type (payment.xrp), a family (nft.*), or * for every type. Repeat the parameter for several.",
    ["payment.xrp"]
  )
)

const account = Schema.optionalKey(
  Schema.String.check(rule(addressProblem, addressForm)).annotate({
    description: "Only events that involve this classic address.",
    examples: ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]
  })
)

const include = Schema.optionalKey(
  field(
    Schema.Array(Schema.Literals(includables)),
    "What to add to payloads, as a webhook's include: memos, balance_changes. Repeat the parameter for both.",
    ["balance_changes"]
  )
)

const EventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    "Server-sent events: `id`, `event` and `data` of each event, and a comment after 15 s without one. The stream has no end. The schema is that of `data`."
})

const lastEventId = Schema.optionalKey(
  Schema.String.check(
    rule((id) => (id === "" ? undefined : eventIdProblem(id)), { pattern: `^$|${EVENT_ID_PATTERN.source}` })
  ).annotate({
    description:
      "The id of the last event that you received. The stream begins with the event after it. Empty: none.",
    examples: [EVENT_ID_EXAMPLE]
  })
)

const streamDescription =
  `Sends new events of one network as they are detected, as server-sent events, in the order of
the ledger. \`id\` is the event's id, \`event\` its type, and \`data\` the event as \`GET /v1/events\` shows it. Without
\`Last-Event-ID\`, the stream begins with the next event. With it, the stream begins with the event after that one, if the
log still keeps it. A block with only an \`id\` is not an event: it says how far the stream has read. Before the service ends a
stream, it sends an event \`error\` that says why.`.replaceAll("\n", " ")

export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        event_type: eventType,
        account,
        ledger_index_min: Schema.optionalKey(LedgerIndexBound),
        ledger_index_max: Schema.optionalKey(LedgerIndexBound),
        since: Schema.optionalKey(TimeBound),
        until: Schema.optionalKey(TimeBound),
        network,
        include,
        ...pageQuery
      },
      success: pageOf("EventPage", Event)
    })
      .annotate(RequestRules, queryRules(eventListRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "listEvents",
          summary: "List events",
          description:
            "Newest ledger first. Filters can be combined. Without `network`, a test key gets the events of testnet and devnet."
        })
      ),
    HttpApiEndpoint.get("stream", "/stream", {
      headers: { "last-event-id": lastEventId },
      query: {
        event_type: eventType,
        account,
        network: oneNetwork,
        include,
        last_event_id: lastEventId
      },
      success: EventStream,
      error: [NotFound, StreamLimitReached]
    })
      .annotate(RequestRules, queryRules(eventStreamRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "streamEvents",
          summary: "Stream events",
          description: streamDescription
        })
      ),
    HttpApiEndpoint.get("counts", "/counts", {
      query: { network: oneNetwork },
      success: EventCounts
    })
      .annotate(RequestRules, queryRules(networkRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "countEvents",
          summary: "Count the events of the last day",
          description: "The events of one network in the last 24 hours, by type."
        })
      ),
    HttpApiEndpoint.post("preview", "/preview", {
      payload: DayPreviewRequest,
      success: dayPreviewOf(Event),
      error: postErrors
    })
      .annotate(RequestRules, bodyRules(dayPreviewRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "previewFilters",
          summary: "Preview filters with the last day",
          description:
            "Counts what the filters of a webhook would have matched in the last 24 hours, and shows the newest matches. The webhook need not exist. It changes nothing and sends nothing."
        })
      ),
    HttpApiEndpoint.get("get", "/:event_id", {
      params: { event_id: EventId },
      query: { network, include },
      success: Event,
      error: NotFound
    })
      .annotate(RequestRules, queryRules(networkRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "getEvent",
          summary: "Show an event",
          description: "Shows the event with this id. Without `network`, a test key searches testnet only."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 70)
  .annotate(QueryTypes, {
    ledger_index_min: queryLedgerIndex(94_084_608),
    ledger_index_max: queryLedgerIndex(94_084_708)
  })
  .annotate(OpenApi.Description, "Events found in validated ledgers.")
  .prefix("/v1/events") {}

export const eventsApi = contractOf(Events)
