/** JSON Schemas as HTML: the fields of an object as a table, whose types link to named schemas on the same page. Pure. */
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { isJsonObject } from "../../spine/event/NormaliseLedger.ts"
import { escaped } from "./HtmlPage.ts"

/** Array.isArray does not narrow a readonly array type. */
export const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

export const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

/** Text with `code` and [links](/path) in it. */
export const prose = (value: Json | undefined): string =>
  typeof value === "string"
    ? escaped(value)
        .replace(/`([^`]+)`/g, "<code>$1</code>")
        .replace(/\[([^\]]+)\]\((\/[^)\s]+)\)/g, '<a href="$2">$1</a>')
    : ""

export const code = (value: Json): string =>
  `<code>${escaped(typeof value === "string" ? value : JSON.stringify(value))}</code>`

export const link = (name: string): string => `<a href="#${name}">${name}</a>`

/** The name in a `$ref`, which is that of the schema's section on the page. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** The type of a field in a few words. */
export const typeOf = (schema: JsonObject): string => {
  const { $ref, anyOf, items, maximum, minimum, oneOf, type } = schema
  if (typeof $ref === "string") return link(nameOf($ref))
  if (schema["enum"] !== undefined) return listOf(schema["enum"]).map(code).join(", ")
  if (anyOf !== undefined || oneOf !== undefined)
    return listOf(anyOf ?? oneOf)
      .map(objectOf)
      .map(formOf)
      .join("<br>or ")
  if (type === "array") return `array of ${typeOf(objectOf(items))}`
  if (type !== "integer") return prose(type)
  return minimum === undefined || maximum === undefined
    ? "integer"
    : `integer, ${String(minimum)} to ${String(maximum)}`
}

/** One alternative of a union: an object's fields in a line. */
const formOf = (schema: JsonObject): string => {
  const required = listOf(schema["required"])
  const fields = Object.entries(objectOf(schema["properties"])).map(
    ([name, field]) => `<code>${name}${required.includes(name) ? "" : "?"}</code>: ${typeOf(objectOf(field))}`
  )
  return fields.length === 0 ? typeOf(schema) : fields.join("; ")
}

export interface Row {
  readonly name: string
  readonly schema: JsonObject
  readonly presence: string
  readonly description: Json | undefined
}

export const tableOf = (rows: ReadonlyArray<Row>, heads: readonly [name: string, presence: string]): string =>
  `<div class="table" tabindex="0" role="group" aria-label="${heads[0]}s"><table>
<thead><tr><th>${heads[0]}</th><th>Type</th><th>${heads[1]}</th><th>Meaning</th></tr></thead>
<tbody>
${rows
  .map(
    ({ name, schema, presence, description }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${typeOf(schema)}</td><td>${presence}</td><td>${prose(description)}</td></tr>`
  )
  .join("\n")}
</tbody></table></div>`

export const fieldsOf = (schema: JsonObject): string => {
  const required = listOf(schema["required"])
  return tableOf(
    Object.entries(objectOf(schema["properties"])).map(([name, value]) => {
      const field = objectOf(value)
      return {
        name,
        schema: field,
        presence: required.includes(name) ? "always" : "optional",
        description: field["description"]
      }
    }),
    ["Field", "Present"]
  )
}

/** The section of a named schema. */
export const definition = (name: string, schema: JsonObject): string => {
  const { anyOf, description, oneOf, pattern, properties } = schema
  const forms = anyOf === undefined && oneOf === undefined ? "" : `<p>${typeOf(schema)}</p>`
  const examples = listOf(schema["examples"])
  const shown = examples.length === 0 ? "" : ` Examples: ${examples.map(code).join(", ")}.`
  const text = typeof pattern === "string" ? `<p>Text, pattern ${code(pattern)}.${shown}</p>` : ""
  return `<section><h3 id="${name}">${name}</h3>
<p>${prose(description)}</p>
${text}${forms}${properties === undefined ? "" : fieldsOf(schema)}</section>`
}
