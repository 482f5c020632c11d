/**
 * The schemas of all events, and of a batch, as components of one document, as OpenAPI and AsyncAPI have them: what
 * the published schemas define under `$defs` stands there once. Pure.
 */
import { eventCatalogue } from "../../spine/event/EventCatalogue.ts"
import { payloadName } from "../../spine/event/EventType.ts"
import { publishedSchema } from "../../spine/event/JsonSchemas.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import { isJsonObject } from "../../spine/event/NormaliseLedger.ts"

const COMPONENTS = "#/components/schemas/"

/** The name of the union of the bodies of all event types. */
export const ANY_BODY = "WebhookEvent"

/** The name of the schema of a request's body. */
export const bodyName = (eventType: string): string => `${payloadName(eventType)}Event`

/** The names of the schemas of a batch and of its answer. */
export const BATCH_BODY = "EventBatch"
export const BATCH_ANSWER = "EventBatchAnswer"

export const componentRef = (name: string): JsonObject => ({ $ref: `${COMPONENTS}${name}` })

/** One schema for each event type; `nameOf` names them. */
export const anyEventType = (nameOf: (eventType: string) => string, description: string): JsonObject => ({
  description,
  oneOf: eventCatalogue().map(({ event_type }) => componentRef(nameOf(event_type)))
})

/** The schema of an event, for events of one type. */
export const ofEventType = (event: JsonObject, type: string, description: string): JsonObject => ({
  ...event,
  description,
  properties: {
    // Every schema of an event has fields.
    ...(event["properties"] as JsonObject),
    event_type: { type: "string", const: type, description: "The event's type." },
    payload: componentRef(payloadName(type))
  }
})

/**
 * The schema without what makes it a document of its own, and its definitions. Generators of clients prefer a title to
 * a component's name, so components have none.
 */
export const componentsOf = (
  document: JsonObject
): { readonly schema: JsonObject; readonly definitions: Readonly<Record<string, JsonObject>> } => {
  // Replacing text keeps a JSON object one.
  const { $schema, $id, $defs, examples, title, ...schema } = JSON.parse(
    JSON.stringify(document).replaceAll('"#/$defs/', `"${COMPONENTS}`)
  ) as JsonObject
  return { schema, definitions: ($defs ?? {}) as Readonly<Record<string, JsonObject>> }
}

/** A batch and its answer. The event of an item is the body of a request of one of the event types. */
const batchComponents = (): Readonly<Record<string, JsonObject>> => {
  const { schema, definitions } = componentsOf(publishedSchema("batch.schema.json"))
  const { BatchItem: item, DeliveryId, Sequence } = definitions
  const fields = item?.["properties"]
  if (
    item === undefined ||
    DeliveryId === undefined ||
    Sequence === undefined ||
    !isJsonObject(fields) ||
    !isJsonObject(fields["event"])
  )
    throw new Error("the published batch has no items with an event")
  const event = { ...componentRef(ANY_BODY), description: fields["event"]["description"]! }
  return {
    DeliveryId,
    Sequence,
    BatchItem: { ...item, properties: { ...fields, event } },
    [BATCH_BODY]: schema,
    [BATCH_ANSWER]: {
      type: "object",
      description: "The part of the answer to a batch that the service reads. It ignores other fields.",
      properties: {
        failed: {
          type: "array",
          items: componentRef("DeliveryId"),
          description:
            "The deliveries that failed and are retried. All others are delivered. Ids that are not in the batch are ignored."
        }
      },
      required: ["failed"],
      examples: [{ failed: DeliveryId["examples"] ?? [] }]
    }
  }
}

/** The definitions, the payload and body of each event type, the batch and its answer, by their names. */
export const eventComponents = (): Readonly<Record<string, JsonObject>> => {
  const { schema: envelope, definitions } = componentsOf(publishedSchema("envelope.schema.json"))
  // Each body names its own type instead.
  const { EventType: _, ...components } = definitions
  for (const { event_type, schema } of eventCatalogue()) {
    const payload = componentsOf(schema)
    Object.assign(components, payload.definitions, {
      [payloadName(event_type)]: payload.schema,
      [bodyName(event_type)]: ofEventType(
        envelope,
        event_type,
        `The body of a request with an event ${event_type}.`
      )
    })
  }
  return {
    ...components,
    [ANY_BODY]: anyEventType(bodyName, "The body of a request with an event of any type."),
    ...batchComponents()
  }
}
