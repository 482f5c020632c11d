/**
 * `schemas/README.md`, made from the published schemas: the catalogue of events with what triggers each, its fields and
 * an example; the types that fields are made of; the envelope and the records. Pure.
 */
import type { PublishedSchema } from "../../../domain/JsonSchemas.ts"
import type { Json, JsonObject } from "../../../domain/Ledger.ts"
import { isJsonObject } from "../../../domain/NormaliseLedger.ts"

const objectIn = (value: JsonObject, name: string): JsonObject => {
  const inner = value[name]
  return isJsonObject(inner) ? inner : {}
}

// Array.isArray does not narrow a readonly array type.
const listIn = (value: JsonObject, name: string): ReadonlyArray<Json> =>
  Array.isArray(value[name]) ? (value[name] as ReadonlyArray<Json>) : []

const objectsIn = (value: JsonObject, name: string): ReadonlyArray<JsonObject> =>
  listIn(value, name).filter(isJsonObject)

const textIn = (value: JsonObject, name: string): string =>
  typeof value[name] === "string" ? value[name] : ""

/** Headings' anchors as GitHub makes them. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9_ -]/g, "")
    .replaceAll(" ", "-")

const link = (heading: string): string => `[${heading}](#${anchor(heading)})`

const code = (value: Json): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``

/** What Markdown would take for a tag. */
const prose = (text: string): string => text.replaceAll("<", "&lt;")

const cell = (text: string): string => prose(text).replaceAll("|", "\\|")

/** What a value may be, in a few words. */
const typeOf = (schema: JsonObject): string => {
  const reference = textIn(schema, "$ref")
  if (reference !== "") return link(reference.replace("#/$defs/", ""))
  const values = listIn(schema, "enum")
  if (values.length > 0) return values.map(code).join(", ")
  const choices = objectsIn(schema, "anyOf")
  if (choices.length > 0) return choices.map(typeOf).join(" or ")
  const { type, minimum, maximum } = schema
  if (type === "array") return `array of ${typeOf(objectIn(schema, "items"))}`
  if (type === "integer") {
    // Beyond it numbers are not exact: a limit of JSON's readers, not of the field.
    const bounded = maximum !== Number.MAX_SAFE_INTEGER
    return bounded ? `integer, ${minimum} to ${maximum}` : `integer, from ${minimum}`
  }
  return textIn(schema, "type")
}

const fieldRows = (schema: JsonObject): ReadonlyArray<string> => {
  const needed = new Set(listIn(schema, "required"))
  return Object.entries(objectIn(schema, "properties")).map(([name, property]) => {
    const field = isJsonObject(property) ? property : {}
    const presence = needed.has(name) ? "always" : "optional"
    return `| \`${name}\` | ${cell(typeOf(field))} | ${presence} | ${cell(textIn(field, "description"))} |`
  })
}

const fields = (schema: JsonObject): ReadonlyArray<string> => [
  "| field | type | there | meaning |",
  "|---|---|---|---|",
  ...fieldRows(schema)
]

const examples = (schema: JsonObject): ReadonlyArray<string> =>
  listIn(schema, "examples").flatMap((example) => ["", "```json", JSON.stringify(example, null, 2), "```"])

const section = ({ document, path }: PublishedSchema, heading = "###"): ReadonlyArray<string> => [
  "",
  `${heading} ${textIn(document, "title")}`,
  "",
  `${prose(textIn(document, "description"))} Schema: [${path}](${path}).`,
  "",
  ...fields(document),
  ...examples(document)
]

const isPayload = ({ path }: PublishedSchema): boolean => path.startsWith("payloads/")

const catalogue = (schemas: ReadonlyArray<PublishedSchema>): ReadonlyArray<string> => [
  "| event | happens when |",
  "|---|---|",
  ...schemas.map(
    ({ document }) => `| ${link(textIn(document, "title"))} | ${cell(textIn(document, "description"))} |`
  )
]

/** One of the forms that a union has: its fields in a line. */
const form = (schema: JsonObject): string => {
  const needed = new Set(listIn(schema, "required"))
  const parts = Object.entries(objectIn(schema, "properties")).map(
    ([name, property]) =>
      `\`${name}\`${needed.has(name) ? "" : "?"}: ${isJsonObject(property) ? typeOf(property) : ""}`
  )
  return parts.length === 0 ? typeOf(schema) : parts.join("; ")
}

const definition = (name: string, schema: JsonObject): ReadonlyArray<string> => {
  const pattern = textIn(schema, "pattern")
  const examples = listIn(schema, "examples").map(code).join(", ")
  const values = listIn(schema, "enum")
  const choices = objectsIn(schema, "anyOf")
  const hasFields = Object.keys(objectIn(schema, "properties")).length > 0
  return [
    "",
    `### ${name}`,
    "",
    prose(textIn(schema, "description")),
    ...(pattern === "" ? [] : ["", `String, pattern ${code(pattern)}, as ${examples}.`]),
    ...(values.length === 0 ? [] : ["", `One of ${typeOf(schema)}.`]),
    ...(choices.length === 0 ? [] : ["", "One of:", "", ...choices.map((choice) => `- ${form(choice)}`)]),
    ...(hasFields ? ["", ...fields(schema)] : [])
  ]
}

/** Of all schemas together: the same name is the same type everywhere. */
const definitions = (schemas: ReadonlyArray<PublishedSchema>): ReadonlyMap<string, JsonObject> => {
  const all = schemas.flatMap(({ document }) => Object.entries(objectIn(document, "$defs")))
  return new Map(
    all
      .filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  )
}

const introduction = `# Events and their schemas

JSON Schemas (draft 2020-12) of everything that leaves Ledgerhook as an event: the [envelope](#event-envelope) that a webhook receives, the payload of each event type, and the [records](#records) of the public topics.
Each file is complete in itself. Its \`$id\` is a name (\`urn:ledgerhook:schemas:v1:…\`), not an address: nothing has to be fetched.

Within a version an event only gains optional fields. These schemas refuse fields they do not know, so a receiver that validates takes the schemas of the release it receives from, or lets unknown fields pass.

To validate what a webhook receives, here with [Ajv](https://ajv.js.org): first the envelope, then the payload by its type.

\`\`\`js
import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

const ajv = addFormats.default(new Ajv2020())
const load = (path) => ajv.compile(JSON.parse(readFileSync(\`schemas/\${path}.schema.json\`, "utf8")))

const isEnvelope = load("envelope")
const isPayload = load("payloads/payment.xrp")

export const isPayment = (body) =>
  isEnvelope(body) && body.event_type === "payment.xrp" && isPayload(body.payload)
\`\`\`

This page and the schemas are made from the code by \`npm run schemas\`; \`npm run check\` fails where they differ.`

export const schemaIndex = (schemas: ReadonlyArray<PublishedSchema>): string => {
  const [envelope, ...others] = schemas
  const events = others.filter(isPayload)
  const lines = [
    introduction,
    "",
    "## Catalogue",
    "",
    ...catalogue(events),
    ...(envelope === undefined ? [] : section(envelope, "##")),
    "",
    "## Payloads",
    "",
    "In the order of their fields. Fields that do not apply are left out, never null.",
    ...events.flatMap((schema) => section(schema)),
    "",
    "## Records",
    ...others.filter((schema) => !isPayload(schema)).flatMap((schema) => section(schema)),
    "",
    "## Types",
    ...Array.from(definitions(schemas)).flatMap(([name, schema]) => definition(name, schema))
  ]
  return `${lines.join("\n")}\n`
}
