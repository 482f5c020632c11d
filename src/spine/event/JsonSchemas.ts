/**
 * Generates the published JSON Schemas (draft 2020-12) from the code's schemas. Each document is complete in itself;
 * its id is a name, not a URL to fetch. A change other than a new optional field needs a new version.
 */
import { Schema } from "effect"
import { bookingFields } from "./Booking.ts"
import { batch, envelope, eventRecord, ledgerRecord } from "./Envelope.ts"
import { withPayloads } from "./EventRecordSchema.ts"
import type { EventType } from "./EventType.ts"
import type { Json, JsonObject } from "./Ledger.ts"
import { isJsonObject } from "./NormaliseLedger.ts"
import { payloads } from "./Payloads.ts"
import { transactionRecord } from "./TransactionRecord.ts"

const DIALECT = "https://json-schema.org/draft/2020-12/schema"
const VERSION = "v1"

/** The `$id` of the published schema of that name, as `payload:payment.xrp`. */
export const schemaId = (name: string): string => `urn:ledgerhook:schemas:${VERSION}:${name}`

export interface PublishedSchema {
  /** Below `schemas/`. */
  readonly path: string
  readonly document: JsonObject
}

/** Keywords whose meaning does not depend on other keywords of the same schema. */
const independent: ReadonlySet<string> = new Set([
  "title",
  "description",
  "examples",
  "format",
  "pattern",
  "$ref"
])

// Array.isArray does not narrow a readonly array type.
const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/**
 * The generator puts a field's description into `allOf`. This function moves it beside `$ref` and the other keywords,
 * where people and code generators expect it.
 */
const inOnePlace = (value: Json): Json => {
  if (isList(value)) return value.map(inOnePlace)
  if (!isJsonObject(value)) return value
  const { allOf, ...plain } = value
  let merged: JsonObject = plain
  const kept: Array<Json> = []
  for (const part of isList(allOf) ? allOf : []) {
    const fits =
      isJsonObject(part) &&
      Object.keys(part).every((key) => independent.has(key) && !Object.hasOwn(merged, key))
    if (fits) merged = { ...merged, ...part }
    else kept.push(part)
  }
  if (kept.length > 0) merged = { ...merged, allOf: kept }
  return Object.fromEntries(Object.entries(merged).map(([key, inner]) => [key, inOnePlace(inner)]))
}

/** Name and meaning first, examples and definitions last. Every published schema has all of them. */
const documentOf = (schema: Schema.Top, name: string): JsonObject => {
  const made = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  // Effect gives the generated JSON the type `unknown`. Objects stay objects.
  const { title, description, examples, ...rest } = inOnePlace(made.schema as JsonObject) as JsonObject
  return {
    $schema: DIALECT,
    $id: schemaId(name),
    title: title!,
    description: description!,
    ...rest,
    examples: examples!,
    $defs: inOnePlace(made.definitions as JsonObject)
  }
}

let recorded: ReadonlyMap<EventType, JsonObject> | undefined

/** The schema of each type's payload in a record, which has the fields that may be included beside the payload. */
export const recordedPayloads = (): ReadonlyMap<EventType, JsonObject> =>
  (recorded ??= new Map(
    Object.entries(payloads).map(([type, schema]) => [
      // The keys of an object are texts to TypeScript.
      type as EventType,
      documentOf(schema.annotate({ title: type }), `payload:${type}`)
    ])
  ))

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

/** Adds to the schema of a payload the fields that a receiver may ask for. */
const withIncludable = (payload: JsonObject, included: JsonObject): JsonObject => ({
  ...payload,
  properties: { ...objectOf(payload["properties"]), ...objectOf(included["properties"]) },
  $defs: { ...objectOf(payload["$defs"]), ...objectOf(included["$defs"]) }
})

const generate = (): ReadonlyArray<PublishedSchema> => {
  const annotations = { title: "Included fields", description: "For receivers that ask.", examples: [{}] }
  const included = documentOf(Schema.Struct(bookingFields).annotate(annotations), "included")
  const payloadDocuments = Array.from(recordedPayloads(), ([type, document]) => ({
    path: `payloads/${type}.schema.json`,
    document: withIncludable(document, included)
  }))
  const eventDocument = withPayloads(documentOf(eventRecord, "record:event"), [
    ...recordedPayloads().values()
  ])
  return [
    { path: "envelope.schema.json", document: documentOf(envelope, "envelope") },
    { path: "batch.schema.json", document: documentOf(batch, "batch") },
    ...payloadDocuments,
    { path: "records/event.schema.json", document: eventDocument },
    { path: "records/ledger.schema.json", document: documentOf(ledgerRecord, "record:ledger") },
    {
      path: "records/transaction.schema.json",
      document: documentOf(transactionRecord, "record:transaction")
    }
  ]
}

let generated: ReadonlyArray<PublishedSchema> | undefined

/** The schemas in the order of the catalogue: the envelope, the batch, payloads by family, records of the public topics. */
export const publishedSchemas = (): ReadonlyArray<PublishedSchema> => (generated ??= generate())

/** The published schema at `path` below `schemas/`. */
export const publishedSchema = (path: string): JsonObject => {
  const found = publishedSchemas().find((one) => one.path === path)
  if (found === undefined) throw new Error(`there is no published schema ${path}`)
  return found.document
}
