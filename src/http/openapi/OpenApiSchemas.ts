/** Simplifies the generated JSON Schemas of the OpenAPI document, and builds examples from them. Pure. */

import { eventPatterns } from "../../spine/event/EventPatterns.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { networks } from "../../spine/event/Network.ts"

export type Schema = Readonly<Record<string, unknown>>
/** Schemas by their names. */
export type Schemas = Readonly<Record<string, Schema>>

export const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Lists of values that many schemas have. As components, they are one type each in a generated client. */
export const namedLists: Schemas = {
  EventType: { type: "string", enum: eventTypes, description: "An event type." },
  EventPattern: {
    type: "string",
    enum: eventPatterns,
    description: "An event type, a family of event types (nft.*), or * for every type."
  },
  Network: { type: "string", enum: networks, description: "A network of the XRP Ledger." }
}

const namesOfLists = new Map(
  Object.entries(namedLists).map(([name, { enum: values }]) => [JSON.stringify(values), name])
)

/** The generator adds the bounds of exact integers. The API has no such rule. */
const isNumberBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Several lists of texts become one, which is one type in a generated client. */
const joinedLists = (choices: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const isList = (one: unknown) =>
    isObject(one) && Object.keys(one).toSorted().join() === "enum,type" && one["type"] === "string"
  const lists = choices.filter(isList)
  const values = lists.flatMap((one) => Object(one).enum)
  return lists.length < 2
    ? choices
    : [{ type: "string", enum: values }, ...choices.filter((one) => !isList(one))]
}

/** Keywords of which a schema may replace those of a part. */
const isNote = (key: string): boolean => key === "description" || key === "examples"

/** `{ ...A, allOf: [B, C] }` → `{ ...A, ...B, ...C }` if they share notes only; `{ anyOf: [A] }` → A. */
const flat = (given: Schema): Schema => {
  const schema = Array.isArray(given["anyOf"]) ? { ...given, anyOf: joinedLists(given["anyOf"]) } : given
  const { anyOf, allOf, ...rest } = schema
  if (Array.isArray(anyOf) && anyOf.length === 1 && isObject(anyOf[0])) return { ...anyOf[0], ...rest }
  if (!Array.isArray(allOf) || anyOf !== undefined) return schema
  const keys = [rest, ...allOf].flatMap(Object.keys).filter((key) => !isNote(key))
  return new Set(keys).size === keys.length ? Object.assign({}, rest, ...allOf) : schema
}

/** Refers to the component of a list of values that has a name. */
const named = (schema: Schema): Schema => {
  const { enum: values, type: _, ...others } = schema
  if (typeof others["$ref"] === "string") return others
  const name = namesOfLists.get(JSON.stringify(values))
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}`, ...others }
}

const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isObject(value)) return value
  return named(
    flat(
      Object.fromEntries(
        Object.entries(value)
          .filter(([key, inner]) => !isNumberBound(key, inner))
          .map(([key, inner]) => [
            key,
            key === "examples" || key === "default" || key === "enum" ? inner : tidy(inner)
          ])
      )
    )
  )
}

/** The generator names schemas of the wire format `…Encoded`. Clients see only that format, so the suffix goes. */
const plainNames = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document).replace(/"((?:#\/components\/schemas\/)?\w+)Encoded"/g, '"$1"'))

export const tidySchemas = (document: unknown): unknown => tidy(plainNames(document))

/** The first example of the schema, or one built from the examples of its parts; undefined if they have none. */
export const exampleOf = (schema: Schema, schemas: Schemas): unknown => {
  const { examples, enum: values, anyOf, oneOf, properties, items, $ref } = schema
  if (Array.isArray(examples)) return examples[0]
  if (typeof $ref === "string") return exampleOf(schemas[$ref.split("/").at(-1)!] ?? {}, schemas)
  if (Array.isArray(values)) return values[0]
  const [first] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
  if (isObject(first)) return exampleOf(first, schemas)
  if (isObject(properties)) {
    const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
    const fields = Object.entries(properties).map(([name, property]) => [
      name,
      isObject(property) ? exampleOf(property, schemas) : undefined
    ])
    return Object.fromEntries(
      fields.filter(([name, example]) => example !== undefined || required.includes(name))
    )
  }
  return isObject(items) ? [exampleOf(items, schemas)] : undefined
}
