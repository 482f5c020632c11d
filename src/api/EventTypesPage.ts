/**
 * Generates the page `/docs/event-types` from the published schemas: each event type with its trigger, its fields and
 * an example. Pure.
 */
import { type DescribedEventType, eventCatalogue } from "../domain/EventCatalogue.ts"
import type { Json, JsonObject } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { escaped, htmlPage } from "./HtmlPage.ts"

/** Array.isArray does not narrow a readonly array type. */
const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

const textOf = (value: Json | undefined): string => (typeof value === "string" ? escaped(value) : "")

const code = (value: Json): string =>
  `<code>${escaped(typeof value === "string" ? value : JSON.stringify(value))}</code>`

const link = (name: string): string => `<a href="#${name}">${name}</a>`

/** The type of a field in a few words. */
const typeOf = (schema: JsonObject): string => {
  const { $ref, anyOf, items, maximum, minimum, type } = schema
  if (typeof $ref === "string") return link($ref.replace("#/$defs/", ""))
  if (schema["enum"] !== undefined) return listOf(schema["enum"]).map(code).join(", ")
  if (anyOf !== undefined) return listOf(anyOf).map(objectOf).map(formOf).join("<br>or ")
  if (type === "array") return `array of ${typeOf(objectOf(items))}`
  return type === "integer" ? `integer, ${String(minimum)} to ${String(maximum)}` : textOf(type)
}

/** One alternative of a union: an object's fields in a line. */
const formOf = (schema: JsonObject): string => {
  const required = listOf(schema["required"])
  const fields = Object.entries(objectOf(schema["properties"])).map(
    ([name, field]) => `<code>${name}${required.includes(name) ? "" : "?"}</code>: ${typeOf(objectOf(field))}`
  )
  return fields.length === 0 ? typeOf(schema) : fields.join("; ")
}

const fieldsOf = (schema: JsonObject): string => {
  const required = listOf(schema["required"])
  const rows = Object.entries(objectOf(schema["properties"])).map(([name, field]) => {
    const presence = required.includes(name) ? "always" : "optional"
    const { description } = objectOf(field)
    return `<tr><td><code>${name}</code><td>${typeOf(objectOf(field))}<td>${presence}<td>${textOf(description)}`
  })
  return `<table><tr><th>field<th>type<th>present<th>meaning\n${rows.join("\n")}\n</table>`
}

const typeSection = ({ event_type, description, schema, exampleBody }: DescribedEventType): string =>
  `<section id="${event_type}">
<h2>${event_type}</h2>
<p>${escaped(description)}</p>
${fieldsOf(schema)}
<details><summary>Example of a request's body</summary><pre>${escaped(JSON.stringify(exampleBody, null, 2))}</pre></details>
</section>`

const definition = (name: string, schema: JsonObject): string => {
  const { anyOf, description, pattern, properties } = schema
  const forms = anyOf === undefined ? "" : `<p>${typeOf(schema)}</p>`
  const text =
    typeof pattern === "string"
      ? `<p>Text, pattern ${code(pattern)}. Examples: ${listOf(schema["examples"]).map(code).join(", ")}.</p>`
      : ""
  return `<section id="${name}"><h3>${name}</h3><p>${textOf(description)}</p>
${text}${forms}${properties === undefined ? "" : fieldsOf(schema)}</section>`
}

const pageOf = (types: ReadonlyArray<DescribedEventType>): string => {
  const definitions = new Map(types.flatMap(({ schema }) => Object.entries(objectOf(schema["$defs"]))))
  const sorted = [...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return htmlPage(
    "Ledgerhook event types",
    `<h1>Event types</h1>
<p>What each event type means, and the fields of its <code>payload</code>. A webhook asks for single types, for families such as <code>nft.*</code>, or for <code>*</code>. The <a href="/docs">API documentation</a> says how. <code>GET /v1/event-types</code> has the same as JSON, with a JSON Schema of each payload.</p>
<p>Fields that do not apply are absent, never null. New versions may add optional fields and event types.</p>
<nav>${types.map(({ event_type }) => link(event_type)).join("\n")}</nav>
${types.map(typeSection).join("\n")}
<h2>Types of fields</h2>
${sorted.map(([name, schema]) => definition(name, objectOf(schema))).join("\n")}
`
  )
}

export const eventTypesPage = (): string => pageOf(eventCatalogue())
