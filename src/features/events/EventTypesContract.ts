/** Contract of `/v1/event-types`: every event type, with the schema of its payload. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CommonErrors, field, KeyRequired, keyed } from "../../http/ContractParts.ts"
import { Place } from "../../http/FeatureContract.ts"
import { eventTypes } from "../../spine/event/EventType.ts"

const json = Schema.Record(Schema.String, Schema.Json)

const DescribedEventType = Schema.Struct({
  event_type: field(Schema.Literals(eventTypes), "The event's type.", "check.created"),
  description: field(Schema.String, "When such an event occurs.", "A CheckCreate wrote a check."),
  schema: field(
    json,
    "The JSON Schema (draft 2020-12) of the payload. It needs no other file. The same schemas are published in schemas/payloads of the repository.",
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "urn:ledgerhook:schemas:v1:payload:check.created",
      type: "object"
    }
  ),
  example: field(json, "A payload that the schema accepts.", {
    tx_hash: "4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D"
  })
}).annotate({ identifier: "DescribedEventType", description: "An event type." })

const EventTypeList = Schema.Struct({
  data: Schema.Array(DescribedEventType).annotate({ description: "The event types, by families." })
}).annotate({ identifier: "EventTypeList", description: "Every event type of this version." })

export class EventTypes extends HttpApiGroup.make("eventTypes")
  .add(
    HttpApiEndpoint.get("list", "/", { success: EventTypeList }).annotateMerge(
      keyed({
        identifier: "listEventTypes",
        summary: "List the event types",
        description:
          "Every event type with its trigger, the JSON Schema of its payload and an example. The list is complete, without pages. A new version of the service may add event types. Any valid key may call this; no scope is needed."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Title, "event-types")
  .annotate(Place, 80)
  .annotate(OpenApi.Description, "The types of events that webhooks can ask for.")
  .prefix("/v1/event-types") {}
