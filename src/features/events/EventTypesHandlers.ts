/** `/v1/event-types`: the published event types. The answer is the same for every key. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { contractOf } from "../../http/FeatureContract.ts"
import { eventCatalogue } from "../../spine/event/EventCatalogue.ts"
import { EventTypes } from "./EventTypesContract.ts"

export const eventTypesLayer = HttpApiBuilder.group(contractOf(EventTypes), "eventTypes", (handlers) =>
  handlers.handleAll({
    list: () =>
      Effect.sync(() => ({
        data: eventCatalogue().map(({ event_type, description, schema, example }) => ({
          event_type,
          description,
          schema,
          example
        }))
      }))
  })
)
