/**
 * The Parquet schema of an event type, derived from the JSON Schema of its payload, and the conversion of payloads.
 * Objects become structs and arrays lists, under the same names. Nothing is lost: amounts stay text, an amount of XRP
 * gets the field `drops` of a struct that tokens have too, and a field that may have several types is JSON text. A
 * field that the schema does not know is an error, so that a newer service's events are not cut. Pure.
 */
import type { EventType } from "../../../domain/EventType.ts"
import { recordedPayloads } from "../../../domain/JsonSchemas.ts"
import type { Json, JsonObject } from "../../../domain/Ledger.ts"
import { isJsonObject } from "../../../domain/NormaliseLedger.ts"

export type Column =
  | { readonly kind: "text" | "integer" | "boolean" | "time" | "json" }
  | { readonly kind: "list"; readonly element: Column }
  | { readonly kind: "struct"; readonly fields: Fields }

type Fields = Readonly<Record<string, Column>>

const json: Column = { kind: "json" }
const text: Column = { kind: "text" }
const list = (fields: Fields): Column => ({ kind: "list", element: { kind: "struct", fields } })
/** The field of an amount's struct that an amount of XRP has, which in JSON is a text. */
const XRP_FIELD = "drops"

const same = (a: Column, b: Column): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The fields of all structs together. */
const merged = (structs: ReadonlyArray<Fields>): Fields => {
  const fields: Record<string, Column> = {}
  for (const [name, column] of structs.flatMap(Object.entries<Column>)) {
    const known = fields[name]
    fields[name] = known === undefined || same(known, column) ? column : json
  }
  return fields
}

// Array.isArray does not narrow a readonly array type.
const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const columnOf = (schema: Json | undefined, definitions: JsonObject): Column => {
  if (!isJsonObject(schema)) return json
  const reference = schema["$ref"]
  if (typeof reference === "string")
    return columnOf(definitions[reference.slice("#/$defs/".length)], definitions)
  const choices = listOf(schema["anyOf"]).map((choice) => columnOf(choice, definitions))
  if (choices.length > 0) {
    const structs = choices.flatMap((choice) => (choice.kind === "struct" ? [choice.fields] : []))
    const texts = choices.filter(({ kind }) => kind === "text")
    if (texts.length > 1 || texts.length + structs.length < choices.length) return json
    const xrp = texts.map((column) => ({ [XRP_FIELD]: column }))
    return { kind: "struct", fields: merged([...xrp, ...structs]) }
  }
  const properties = schema["properties"]
  switch (schema["type"]) {
    case "string":
      return { kind: schema["format"] === "date-time" ? "time" : "text" }
    case "integer":
    case "boolean":
      return { kind: schema["type"] }
    case "array":
      return { kind: "list", element: columnOf(schema["items"], definitions) }
    case "object":
      return isJsonObject(properties)
        ? {
            kind: "struct",
            fields: Object.fromEntries(
              Object.entries(properties).map(([name, inner]) => [name, columnOf(inner, definitions)])
            )
          }
        : json
    default:
      return json
  }
}

/** The columns of one event type: the fields of the event's record, the payload as a struct. */
export const eventColumns = (type: EventType): Fields => {
  const schema = recordedPayloads().get(type)!
  // Every published schema has its definitions.
  const payload = columnOf(schema, schema["$defs"] as JsonObject)
  return {
    event_id: text,
    event_type: text,
    ledger_index: { kind: "integer" },
    timestamp: { kind: "time" },
    network: text,
    payload,
    accounts: { kind: "list", element: text },
    position: { kind: "integer" },
    detected_at: { kind: "integer" },
    rules_version: { kind: "integer" },
    memos: list({ type: text, format: text, data: text }),
    memos_truncated: { kind: "boolean" },
    balance_changes: list({ account: text, asset: json, change: text })
  }
}

/** An element of a Parquet schema, in the order of the format: a group is followed by its `num_children` children. */
export interface Element {
  readonly name: string
  readonly repetition_type: "REQUIRED" | "OPTIONAL" | "REPEATED"
  readonly type?: "BYTE_ARRAY" | "INT64" | "BOOLEAN"
  readonly converted_type?: "UTF8" | "JSON" | "LIST"
  readonly logical_type?: {
    readonly type: "TIMESTAMP"
    readonly isAdjustedToUTC: true
    readonly unit: "MILLIS"
  }
  readonly num_children?: number
}

const elementsOf = (
  name: string,
  column: Column,
  repetition_type: Element["repetition_type"]
): ReadonlyArray<Element> => {
  const leaf = { name, repetition_type }
  switch (column.kind) {
    case "text":
      return [{ ...leaf, type: "BYTE_ARRAY", converted_type: "UTF8" }]
    case "json":
      return [{ ...leaf, type: "BYTE_ARRAY", converted_type: "JSON" }]
    case "integer":
      return [{ ...leaf, type: "INT64" }]
    case "boolean":
      return [{ ...leaf, type: "BOOLEAN" }]
    case "time":
      return [
        {
          ...leaf,
          type: "INT64",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" }
        }
      ]
    case "list":
      return [
        { ...leaf, converted_type: "LIST", num_children: 1 },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        ...elementsOf("element", column.element, "OPTIONAL")
      ]
    case "struct": {
      const fields = Object.entries(column.fields)
      return [
        { ...leaf, num_children: fields.length },
        ...fields.flatMap(([field, inner]) => elementsOf(field, inner, "OPTIONAL"))
      ]
    }
  }
}

export const schemaElements = (columns: Fields): ReadonlyArray<Element> => {
  const fields = Object.entries(columns)
  return [
    { name: "event", repetition_type: "REQUIRED", num_children: fields.length },
    ...fields.flatMap(([name, column]) => elementsOf(name, column, "OPTIONAL"))
  ]
}

/** A value as the Parquet writer takes it: 64-bit integers as bigint, times in Unix milliseconds. */
export type ParquetValue =
  | Json
  | bigint
  | undefined
  | ReadonlyArray<ParquetValue>
  | { readonly [name: string]: ParquetValue }

/** Throws an error that names the field if the value does not fit the column. */
export const convert = (column: Column, value: Json | undefined, path: string): ParquetValue => {
  if (value === undefined || value === null) return undefined
  const wrong = () =>
    new Error(`${path} is ${JSON.stringify(value)}, which this version's schema of the type does not allow`)
  switch (column.kind) {
    case "json":
      return value
    case "integer":
      if (!Number.isSafeInteger(value)) throw wrong()
      return BigInt(value as number)
    case "boolean":
      if (typeof value !== "boolean") throw wrong()
      return value
    case "text":
      if (typeof value !== "string") throw wrong()
      return value
    case "time": {
      const time = typeof value === "string" ? Date.parse(value) : Number.NaN
      if (Number.isNaN(time)) throw wrong()
      return BigInt(time)
    }
    case "list":
      if (!Array.isArray(value)) throw wrong()
      return value.map((one, i) => convert(column.element, one, `${path}[${i}]`))
    case "struct": {
      if (typeof value === "string" && column.fields[XRP_FIELD] !== undefined) return { [XRP_FIELD]: value }
      if (!isJsonObject(value)) throw wrong()
      const struct: Record<string, ParquetValue> = {}
      for (const [name, inner] of Object.entries(value)) {
        const field = column.fields[name]
        if (field === undefined)
          throw new Error(`${path}.${name} is a field that this version's schema of the type does not have`)
        struct[name] = convert(field, inner, `${path}.${name}`)
      }
      return struct
    }
  }
}
