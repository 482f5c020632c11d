/**
 * Joins JSON Schemas into one that accepts what any of them accepts. It has at most one form of each JSON type, except
 * named objects: tools that make columns from a schema pick a form by its type or by the names of its fields, so two
 * forms of text would be one too many. Where forms differ, the joined one may accept more than each. Pure.
 */
import type { Json, JsonObject } from "./Ledger.ts"
import { isJsonObject } from "./NormaliseLedger.ts"

export type Definitions = Readonly<Record<string, JsonObject>>

// Array.isArray does not narrow a readonly array type.
const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

const referred = ({ $ref }: JsonObject, definitions: Definitions): JsonObject | undefined =>
  typeof $ref === "string" ? definitions[$ref.split("/").at(-1)!] : undefined

const undescribed = ({ description: _, ...schema }: JsonObject): JsonObject => schema

/** The schema's alternatives. A named union becomes its own alternatives. */
const formsOf = (schema: JsonObject, definitions: Definitions): ReadonlyArray<JsonObject> => {
  const anyOf = schema["anyOf"] ?? referred(schema, definitions)?.["anyOf"]
  return anyOf === undefined
    ? [schema]
    : listOf(anyOf).flatMap((form) => formsOf(objectOf(form), definitions))
}

const distinct = <A extends Json>(values: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values()
]

const oneText = (forms: ReadonlyArray<JsonObject>): JsonObject => {
  const values = forms.flatMap((form) => listOf(form["enum"]))
  const listed = forms.every((form) => form["enum"] !== undefined)
  return listed ? { type: "string", enum: distinct(values) } : { type: "string" }
}

const oneInteger = (forms: ReadonlyArray<JsonObject>): JsonObject => ({
  type: "integer",
  minimum: Math.min(...forms.map(({ minimum }) => Number(minimum))),
  maximum: Math.max(...forms.map(({ maximum }) => Number(maximum)))
})

/** An object with the fields of all; a field is required if every form requires it. */
export const joinedObject = (forms: ReadonlyArray<JsonObject>, definitions: Definitions): JsonObject => {
  const names = distinct(forms.flatMap(({ properties }) => Object.keys(objectOf(properties))))
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => {
        const fields = forms.flatMap(({ properties }) => {
          const field = objectOf(properties)[name]
          return field === undefined ? [] : [objectOf(field)]
        })
        const descriptions = distinct(fields.flatMap(({ description }) => description ?? []))
        return [
          name,
          {
            ...joined(fields, definitions),
            ...(descriptions.length === 1 ? { description: descriptions[0]! } : {})
          }
        ]
      })
    ),
    required: names.filter((name) => forms.every(({ required }) => listOf(required).includes(name))),
    additionalProperties: false
  }
}

const joined = (schemas: ReadonlyArray<JsonObject>, definitions: Definitions): JsonObject => {
  const same = distinct(schemas.map(undescribed))
  if (same.length === 1) return same[0]!
  const forms = distinct(same.flatMap((schema) => formsOf(schema, definitions)))
  const typeOf = (form: JsonObject) => (referred(form, definitions) ?? form)["type"]
  const one = (type: string, join: (forms: ReadonlyArray<JsonObject>) => JsonObject) => {
    const alike = forms.filter(
      (form) => typeOf(form) === type && (type !== "object" || form["$ref"] === undefined)
    )
    return alike.length > 1 ? [join(alike)] : alike
  }
  const alternatives = [
    ...one("boolean", () => ({ type: "boolean" })),
    ...one("string", oneText),
    ...one("integer", oneInteger),
    ...one("array", (lists) => ({
      type: "array",
      items: joined(
        lists.map(({ items }) => objectOf(items)),
        definitions
      ),
      minItems: Math.min(...lists.map(({ minItems }) => Number(minItems ?? 0)))
    })),
    ...one("object", (objects) => joinedObject(objects, definitions)),
    ...forms.filter((form) => form["$ref"] !== undefined && typeOf(form) === "object")
  ]
  return alternatives.length === 1 ? alternatives[0]! : { anyOf: alternatives }
}
