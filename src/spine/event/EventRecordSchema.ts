/**
 * Adds the payloads to the schema of an event record. The field `payload` has the fields of all event types, each
 * optional unless every type has it, and `oneOf` says which payload each type has.
 *
 * Tools that make columns from a schema (Confluent's JsonSchemaConverter, which ksqlDB uses too) read the fields of
 * objects, do not know `if` and `then`, and choose between objects of a union by the number of matching field names.
 * So a union of payloads alone would put events of one type into the columns of another. Pure.
 */
import { payloadName } from "./EventType.ts"
import { joinedObject } from "./JoinedSchemas.ts"
import type { JsonObject } from "./Ledger.ts"
import { isJsonObject } from "./NormaliseLedger.ts"

const DEFINITIONS = "#/$defs/"

/** The payload's published schema as a definition of another document. */
const asDefinition = ({ $schema, $id, $defs, examples, ...schema }: JsonObject): JsonObject => schema

const definitionsOf = ({ $defs }: JsonObject): JsonObject => (isJsonObject($defs) ? $defs : {})

/** `payloads`: the published schema of each type's payload. */
export const withPayloads = (record: JsonObject, payloads: ReadonlyArray<JsonObject>): JsonObject => {
  const { properties, examples, $defs: _, ...rest } = record
  if (!isJsonObject(properties)) throw new Error("the published schema of event records has no fields")
  const named = payloads.map((schema) => [payloadName(String(schema["title"])), schema] as const)
  const definitions = Object.assign({}, definitionsOf(record), ...payloads.map(definitionsOf))
  return {
    ...rest,
    properties: {
      ...properties,
      payload: { ...joinedObject(payloads, definitions), ...(properties["payload"] as JsonObject) }
    },
    oneOf: named.map(([name, { title }]) => ({
      properties: { event_type: { enum: [title!] }, payload: { $ref: `${DEFINITIONS}${name}` } }
    })),
    examples: examples!,
    $defs: {
      ...definitions,
      ...Object.fromEntries(named.map(([name, schema]) => [name, asDefinition(schema)]))
    }
  }
}
