/** Contract of `/v1/events`: the event log, newest ledger first, and one event by its id. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EVENT_ID_PATTERN } from "../../domain/EventId.ts"
import { eventTypes } from "../../domain/EventType.ts"
import { networks } from "../../domain/Network.ts"
import { addressProblem } from "../../domain/WebhookRules.ts"
import { NotFound } from "../Errors.ts"
import {
  CommonErrors,
  EVENT_ID_EXAMPLE,
  EVENT_ID_FORM,
  eventIdProblem,
  field,
  KeyRequired,
  LedgerIndexBound,
  pageOf,
  pageQuery,
  rule,
  scoped,
  TimeBound
} from "./Common.ts"
import { EventPattern } from "./WebhookFields.ts"

const Network = Schema.Literals(networks)

/** What a webhook receives of the event, but for the webhook's id. */
export const Event = Schema.Struct({
  event_id: field(Schema.String, "the same wherever and whenever it is seen", EVENT_ID_EXAMPLE),
  event_type: field(Schema.Literals(eventTypes), "what happened", "payment.xrp"),
  ledger_index: field(Schema.Int, "of the ledger it happened in", 94_084_608),
  timestamp: Schema.String.annotate({
    format: "date-time",
    description: "when its ledger closed: ISO 8601, UTC, whole seconds",
    examples: ["2025-02-11T16:31:20Z"]
  }),
  network: field(Network, "where it happened", "mainnet"),
  payload: field(Schema.Record(Schema.String, Schema.Json), "the event's own fields, by its type", {
    sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
    receiver: "rLNaPoKeeBjZe2qs6x52yVPZpZ8td4dc6w",
    amount: "1000000",
    tx_hash: "4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D"
  })
}).annotate({ identifier: "Event", description: "What happened on the ledger, as webhooks receive it." })
export type Event = typeof Event.Type

const EventId = Schema.String.check(rule(eventIdProblem, { pattern: EVENT_ID_PATTERN.source })).annotate({
  description: EVENT_ID_FORM,
  examples: [EVENT_ID_EXAMPLE]
})

const network = Schema.optionalKey(
  field(Network, "of the key's environment: mainnet for live keys, else testnet or devnet", "mainnet")
)

export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        event_type: Schema.optionalKey(
          field(
            Schema.Array(EventPattern),
            "an event type as payment.xrp, a family as nft.*, or * for every type; repeat it for several",
            ["payment.xrp"]
          )
        ),
        account: Schema.optionalKey(
          Schema.String.check(rule(addressProblem)).annotate({
            description: "a classic address that the event involves",
            examples: ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]
          })
        ),
        ledger_index_min: Schema.optionalKey(LedgerIndexBound),
        ledger_index_max: Schema.optionalKey(LedgerIndexBound),
        since: Schema.optionalKey(TimeBound),
        until: Schema.optionalKey(TimeBound),
        network,
        ...pageQuery
      },
      success: pageOf("EventPage", Event)
    }).annotateMerge(
      scoped("events:read", {
        identifier: "listEvents",
        summary: "List events",
        description: "Newest ledger first; filters in any combination."
      })
    ),
    HttpApiEndpoint.get("get", "/:event_id", {
      params: { event_id: EventId },
      query: { network },
      success: Event,
      error: NotFound
    }).annotateMerge(
      scoped("events:read", {
        identifier: "getEvent",
        summary: "Show an event",
        description: "By the id that its deliveries carry."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "The log of what happened on the ledger.")
  .prefix("/v1/events") {}
