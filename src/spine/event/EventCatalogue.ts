/**
 * The event types for readers: when each occurs, the JSON Schema of its payload, and examples. The API's list, the page
 * of event types, and the OpenAPI and AsyncAPI documents are made from it. Pure. The first use takes about 30 ms.
 */
import { type EventType, isEventType } from "./EventType.ts"
import { publishedSchemas } from "./JsonSchemas.ts"
import type { JsonObject } from "./Ledger.ts"
import { isJsonObject } from "./NormaliseLedger.ts"

export interface DescribedEventType {
  readonly event_type: EventType
  /** When such an event occurs. */
  readonly description: string
  /** The published JSON Schema of the payload, complete in itself. */
  readonly schema: JsonObject
  /** A payload that the schema accepts. */
  readonly example: JsonObject
  /** The body of a webhook request with this payload. */
  readonly exampleBody: JsonObject
}

const exampleOf = ({ $id, examples }: JsonObject): JsonObject => {
  const [example] = Array.isArray(examples) ? examples : []
  if (!isJsonObject(example)) throw new Error(`the published schema ${String($id)} has no example`)
  return example
}

const described = (schema: JsonObject, envelope: JsonObject): DescribedEventType => {
  const { title, description } = schema
  if (typeof title !== "string" || !isEventType(title) || typeof description !== "string")
    throw new Error(`the published schema ${String(schema["$id"])} describes no event type`)
  const example = exampleOf(schema)
  const event_id = `xrpl:${String(envelope["ledger_index"])}:${String(example["tx_hash"])}:${title}`
  return {
    event_type: title,
    description,
    schema,
    example,
    exampleBody: { ...envelope, event_id, event_type: title, payload: example }
  }
}

let made: ReadonlyArray<DescribedEventType> | undefined

/** Every event type, in the catalogue's order: by families. */
export const eventCatalogue = (): ReadonlyArray<DescribedEventType> => {
  if (made !== undefined) return made
  const [envelope, ...others] = publishedSchemas()
  const example = exampleOf(envelope!.document)
  made = others
    .filter(({ path }) => path.startsWith("payloads/"))
    .map(({ document }) => described(document, example))
  return made
}
