/**
 * Events in the OpenAPI document: unions over all event types in which `event_type` decides which payload an event
 * has, so that generated clients know the payload's fields. Pure.
 */
import { eventCatalogue } from "../../spine/event/EventCatalogue.ts"
import { payloadName } from "../../spine/event/EventType.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import {
  ANY_BODY,
  anyEventType,
  bodyName,
  componentRef,
  eventComponents,
  ofEventType
} from "./EventComponents.ts"
import { exampleOf, type Schema, type Schemas, tidySchemas } from "./OpenApiSchemas.ts"

/** The component of an event of any type, as the API shows it. */
export const EVENT = "Event"

/** The component of an event of one type, as the API shows it. */
const eventName = (eventType: string): string => `${payloadName(eventType)}ApiEvent`

const discriminated = (union: JsonObject, nameOf: (eventType: string) => string): Schema => ({
  ...union,
  discriminator: {
    propertyName: "event_type",
    mapping: Object.fromEntries(
      eventCatalogue().map(({ event_type }) => [event_type, componentRef(nameOf(event_type))["$ref"]])
    )
  }
})

/** `event`: the generated schema of an event, whose payload may be any object. */
export const openApiEvents = (event: Schema): Schemas => {
  const fields = exampleOf(event, {}) as JsonObject
  const described = eventCatalogue().map(({ event_type, exampleBody }): [string, Schema] => {
    const { webhook_id: _, ...example } = exampleBody
    const schema = ofEventType(event as JsonObject, event_type, `An event ${event_type}.`)
    return [eventName(event_type), { ...schema, examples: [{ ...fields, ...example }] }]
  })
  // The generator's schemas are JSON, and so are the published ones.
  const bodies = tidySchemas(eventComponents()) as Readonly<Record<string, JsonObject>>
  return {
    ...bodies,
    [ANY_BODY]: discriminated(bodies[ANY_BODY]!, bodyName),
    ...Object.fromEntries(described),
    [EVENT]: discriminated(anyEventType(eventName, String(event["description"])), eventName)
  }
}
