/** Simplifies the generated JSON Schemas of the OpenAPI document, and builds examples from them. Pure. */

export type Schema = Readonly<Record<string, unknown>>
/** Schemas by their names. */
export type Schemas = Readonly<Record<string, Schema>>

export const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The generator adds the bounds of exact integers. The API has no such rule. */
const isNumberBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** `{ allOf: [A, B] }` → `{ ...A, ...B }` if B has only a description and examples; `{ anyOf: [A] }` → A. */
const flat = (schema: Schema): Schema => {
  const { anyOf, allOf, ...rest } = schema
  if (Array.isArray(anyOf) && anyOf.length === 1 && isObject(anyOf[0])) return { ...anyOf[0], ...rest }
  if (Array.isArray(allOf) && Object.keys(rest).length === 0 && allOf.every(isObject)) {
    const [first = {}, ...notes] = allOf
    if (
      notes.every((note) => Object.keys(note).every((key) => key === "description" || key === "examples"))
    ) {
      return Object.assign({}, first, ...notes)
    }
  }
  return schema
}

const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isObject(value)) return value
  return flat(
    Object.fromEntries(
      Object.entries(value)
        .filter(([key, inner]) => !isNumberBound(key, inner))
        .map(([key, inner]) => [
          key,
          key === "examples" || key === "default" || key === "enum" ? inner : tidy(inner)
        ])
    )
  )
}

/** The generator names schemas of the wire format `…Encoded`. Clients see only that format, so the suffix goes. */
const plainNames = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document).replace(/"((?:#\/components\/schemas\/)?\w+)Encoded"/g, '"$1"'))

export const tidySchemas = (document: unknown): unknown => tidy(plainNames(document))

/** The first example of the schema, or one built from the examples of its parts; undefined if they have none. */
export const exampleOf = (schema: Schema, schemas: Schemas): unknown => {
  const { examples, enum: values, anyOf, properties, items, $ref } = schema
  if (Array.isArray(examples)) return examples[0]
  if (typeof $ref === "string") return exampleOf(schemas[$ref.split("/").at(-1)!] ?? {}, schemas)
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return isObject(anyOf[0]) ? exampleOf(anyOf[0], schemas) : undefined
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
