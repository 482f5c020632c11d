/**
 * The schemas of all events as components of one document, as OpenAPI and AsyncAPI have them: what the published
 * schemas define under `$defs` stands there once. Pure.
 */
import { eventCatalogue } from "./EventCatalogue.ts"
import { payloadName } from "./EventType.ts"
import { publishedSchemas } from "./JsonSchemas.ts"
import type { JsonObject } from "./Ledger.ts"
import { isJsonObject } from "./NormaliseLedger.ts"

const COMPONENTS = "#/components/schemas/"

/** The name of the schema of a request's body. */
export const bodyName = (eventType: string): string => `${payloadName(eventType)}Event`

export const componentRef = (name: string): JsonObject => ({ $ref: `${COMPONENTS}${name}` })

/** The schema without what makes it a document of its own, and its definitions. */
export const componentsOf = (
  document: JsonObject
): { readonly schema: JsonObject; readonly definitions: Readonly<Record<string, JsonObject>> } => {
  // Replacing text keeps a JSON object one.
  const { $schema, $id, $defs, examples, ...schema } = JSON.parse(
    JSON.stringify(document).replaceAll('"#/$defs/', `"${COMPONENTS}`)
  ) as JsonObject
  return { schema, definitions: ($defs ?? {}) as Readonly<Record<string, JsonObject>> }
}

/** The definitions, the payload and the body of a webhook's request of each event type, by their names. */
export const eventComponents = (): Readonly<Record<string, JsonObject>> => {
  const { schema: envelope, definitions } = componentsOf(publishedSchemas()[0]!.document)
  // Each body names its own type instead.
  const { EventType: _, ...components } = definitions
  const { properties, title: _title, ...body } = envelope
  if (!isJsonObject(properties)) throw new Error("the published envelope has no fields")
  for (const { event_type, schema } of eventCatalogue()) {
    const payload = componentsOf(schema)
    Object.assign(components, payload.definitions, {
      [payloadName(event_type)]: payload.schema,
      [bodyName(event_type)]: {
        ...body,
        title: event_type,
        description: `The body of a request with an event ${event_type}.`,
        properties: {
          ...properties,
          event_type: { type: "string", enum: [event_type], description: "The event's type." },
          payload: componentRef(payloadName(event_type))
        }
      }
    })
  }
  return components
}
