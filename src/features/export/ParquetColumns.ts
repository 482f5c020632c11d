/**
 * The Parquet schema of exported events. It is one for all event types, so that readers take files of several types as
 * one table: the fields of an event's record, and each field of any payload as a column of its own. It is derived from
 * the JSON Schemas of the payloads, under the same names. Every amount is a struct with the same fields, and a decimal
 * text has a DECIMAL beside it. Network, date and type are not columns, because they are in a file's path. Pure.
 */
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import { recordedPayloads } from "../../spine/event/JsonSchemas.ts"
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { isJsonObject } from "../../spine/event/NormaliseLedger.ts"

export interface Decimal {
  readonly kind: "decimal"
  /** Digits in all. */
  readonly precision: number
  /** Digits after the point. */
  readonly scale: number
}

export type Column =
  | { readonly kind: "text" | "integer" | "boolean" | "time" | "json" }
  | Decimal
  | { readonly kind: "list"; readonly element: Column }
  | { readonly kind: "struct"; readonly fields: Fields; readonly holds?: "amount" | "balance change" }

export type Fields = Readonly<Record<string, Column>>

const text: Column = { kind: "text" }
const list = (element: Column): Column => ({ kind: "list", element })

/** XRP has 10^17 drops. */
const dropsDecimal: Decimal = { kind: "decimal", precision: 20, scale: 0 }
/**
 * A token's value has up to 16 digits and an exponent from -96 to 80, which no DECIMAL takes. This one takes every
 * amount of a multi-purpose token (19 digits), and those on trust lines that have at most 20 digits before the point
 * and 18 behind it.
 */
const valueDecimal: Decimal = { kind: "decimal", precision: 38, scale: 18 }

/** The name of the DECIMAL beside a decimal text. */
export const decimalOf = (name: string): string => `${name}_decimal`

/** An amount of XRP has only `drops`. */
const amount: Column = {
  kind: "struct",
  holds: "amount",
  fields: {
    drops: text,
    [decimalOf("drops")]: dropsDecimal,
    value: text,
    [decimalOf("value")]: valueDecimal,
    currency: text,
    issuer: text,
    mpt_issuance_id: text
  }
}

/** The fields of an event's record that are columns beside those of its payload. */
export const recordColumns: Fields = {
  event_id: text,
  ledger_index: { kind: "integer" },
  position: { kind: "integer" },
  timestamp: { kind: "time" },
  accounts: list(text),
  memos: list({ kind: "struct", fields: { type: text, format: text, data: text } }),
  memos_truncated: { kind: "boolean" },
  balance_changes: list({
    kind: "struct",
    holds: "balance change",
    fields: { account: text, change: amount }
  }),
  detected_at: { kind: "integer" },
  rules_version: { kind: "integer" }
}

/** Definitions of payload schemas that are amounts, and those that are decimal texts. */
const AMOUNTS: ReadonlySet<string> = new Set(["Amount", "ComputedAmount", "IssuedAmount", "Drops"])
const DECIMALS: ReadonlySet<string> = new Set(["TokenValue", "ComputedValue"])

const definitionOf = (schema: JsonObject): string | undefined => {
  const reference = schema["$ref"]
  return typeof reference === "string" ? reference.slice("#/$defs/".length) : undefined
}

const columnOf = (schema: Json | undefined, definitions: JsonObject): Column => {
  if (!isJsonObject(schema)) return { kind: "json" }
  const definition = definitionOf(schema)
  if (definition !== undefined)
    return AMOUNTS.has(definition) ? amount : columnOf(definitions[definition], definitions)
  const properties = schema["properties"]
  switch (schema["type"]) {
    case "string":
      return { kind: schema["format"] === "date-time" ? "time" : "text" }
    case "integer":
    case "boolean":
      return { kind: schema["type"] }
    case "array":
      return list(columnOf(schema["items"], definitions))
    case "object":
      return isJsonObject(properties)
        ? { kind: "struct", fields: fieldsOf(properties, definitions) }
        : { kind: "json" }
    default:
      return { kind: "json" }
  }
}

const fieldsOf = (properties: JsonObject, definitions: JsonObject): Fields =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]): ReadonlyArray<readonly [string, Column]> => {
      const column = [name, columnOf(schema, definitions)] as const
      const isDecimal = isJsonObject(schema) && DECIMALS.has(definitionOf(schema) ?? "")
      return isDecimal ? [column, [decimalOf(name), valueDecimal]] : [column]
    })
  )

/** One column for both. Throws if there is none, because a column has one type for all event types. */
const merged = (name: string, a: Column, b: Column): Column => {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  if (a.kind === "list" && b.kind === "list") return list(merged(name, a.element, b.element))
  if (a.kind === "struct" && b.kind === "struct")
    return { kind: "struct", fields: mergedFields([a.fields, b.fields]) }
  throw new Error(`the field ${name} has one form in some event types, and another form in others`)
}

const mergedFields = (all: ReadonlyArray<Fields>): Fields => {
  const fields: Record<string, Column> = {}
  for (const [name, column] of all.flatMap(Object.entries<Column>)) {
    const known = fields[name]
    fields[name] = known === undefined ? column : merged(name, known, column)
  }
  return fields
}

/** The columns of the fields of one type's payload. */
export const payloadColumns = (type: EventType): Fields => {
  const schema = recordedPayloads().get(type)!
  // Every published schema is an object, and has its definitions.
  return fieldsOf(schema["properties"] as JsonObject, schema["$defs"] as JsonObject)
}

let columns: Fields | undefined

/** The columns of every file. */
export const eventColumns = (): Fields =>
  (columns ??= { ...recordColumns, ...mergedFields(eventTypes.map(payloadColumns)) })

/** An element of a Parquet schema, in the order of the format: a group is followed by its `num_children` children. */
export interface Element {
  readonly name: string
  readonly repetition_type: "REQUIRED" | "OPTIONAL" | "REPEATED"
  readonly type?: "BYTE_ARRAY" | "INT64" | "BOOLEAN" | "FIXED_LEN_BYTE_ARRAY"
  readonly type_length?: number
  readonly converted_type?: "UTF8" | "JSON" | "LIST" | "DECIMAL"
  readonly precision?: number
  readonly scale?: number
  readonly logical_type?: {
    readonly type: "TIMESTAMP"
    readonly isAdjustedToUTC: true
    readonly unit: "MILLIS"
  }
  readonly num_children?: number
}

/** The bytes of the largest number with so many digits, and its sign. */
const bytesOf = (digits: number): number => Math.ceil((digits * Math.log2(10) + 1) / 8)

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
    case "decimal": {
      const { precision, scale } = column
      const type_length = bytesOf(precision)
      return [
        { ...leaf, type: "FIXED_LEN_BYTE_ARRAY", type_length, converted_type: "DECIMAL", precision, scale }
      ]
    }
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

export const schemaElements = (fields: Fields): ReadonlyArray<Element> => {
  const all = Object.entries(fields)
  return [
    { name: "event", repetition_type: "REQUIRED", num_children: all.length },
    ...all.flatMap(([name, column]) => elementsOf(name, column, "OPTIONAL"))
  ]
}
