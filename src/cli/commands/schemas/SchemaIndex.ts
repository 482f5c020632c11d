/**
 * `schemas/README.md`, made from the published schemas: the catalogue of events with what triggers each, its fields and
 * an example; the types that fields are made of; the envelope and the records. Pure.
 */
import type { PublishedSchema } from "../../../domain/JsonSchemas.ts"
import type { Json } from "../../../domain/Ledger.ts"

/** The keywords that the published schemas use. */
interface JsonSchema {
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly $ref?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: ReadonlyArray<Json>
  readonly examples?: ReadonlyArray<Json>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

interface Page {
  readonly path: string
  readonly schema: JsonSchema
}

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
const typeOf = (schema: JsonSchema): string => {
  const { $ref, anyOf, items, maximum, minimum, type } = schema
  if ($ref !== undefined) return link($ref.replace("#/$defs/", ""))
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ")
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  if (type === "array") return `array of ${typeOf(items ?? {})}`
  if (type === "integer") {
    // Beyond it numbers are not exact: a limit of JSON's readers, not of the field.
    const bounded = maximum !== Number.MAX_SAFE_INTEGER
    return bounded ? `integer, ${minimum} to ${maximum}` : `integer, from ${minimum}`
  }
  return type ?? ""
}

const fields = ({ properties = {}, required = [] }: JsonSchema): ReadonlyArray<string> => [
  "| field | type | there | meaning |",
  "|---|---|---|---|",
  ...Object.entries(properties).map(([name, field]) => {
    const presence = required.includes(name) ? "always" : "optional"
    return `| \`${name}\` | ${cell(typeOf(field))} | ${presence} | ${cell(field.description ?? "")} |`
  })
]

const examplesOf = ({ examples = [] }: JsonSchema): ReadonlyArray<string> =>
  examples.flatMap((example) => ["", "```json", JSON.stringify(example, null, 2), "```"])

const section = ({ path, schema }: Page, heading = "###"): ReadonlyArray<string> => [
  "",
  `${heading} ${schema.title}`,
  "",
  `${prose(schema.description ?? "")} Schema: [${path}](${path}).`,
  "",
  ...fields(schema),
  ...examplesOf(schema)
]

const isPayload = ({ path }: Page): boolean => path.startsWith("payloads/")

const catalogue = (pages: ReadonlyArray<Page>): ReadonlyArray<string> => [
  "| event | happens when |",
  "|---|---|",
  ...pages.map(({ schema: { title = "", description = "" } }) => `| ${link(title)} | ${cell(description)} |`)
]

/** One of the forms that a union has: its fields in a line. */
const form = (schema: JsonSchema): string => {
  const { properties, required = [] } = schema
  if (properties === undefined) return typeOf(schema)
  return Object.entries(properties)
    .map(([name, field]) => `\`${name}\`${required.includes(name) ? "" : "?"}: ${typeOf(field)}`)
    .join("; ")
}

const definition = (name: string, schema: JsonSchema): ReadonlyArray<string> => {
  const { anyOf, description = "", examples = [], pattern, properties } = schema
  return [
    "",
    `### ${name}`,
    "",
    prose(description),
    ...(pattern === undefined
      ? []
      : ["", `String, pattern ${code(pattern)}, as ${examples.map(code).join(", ")}.`]),
    ...(schema.enum === undefined ? [] : ["", `One of ${typeOf(schema)}.`]),
    ...(anyOf === undefined ? [] : ["", "One of:", "", ...anyOf.map((choice) => `- ${form(choice)}`)]),
    ...(properties === undefined ? [] : ["", ...fields(schema)])
  ]
}

/** Of all schemas together: the same name is the same type everywhere. */
const definitions = (pages: ReadonlyArray<Page>): ReadonlyArray<[name: string, schema: JsonSchema]> => {
  const all = new Map(pages.flatMap(({ schema }) => Object.entries(schema.$defs ?? {})))
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))
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
  // Made by Effect from the code's schemas, with these keywords.
  const pages = schemas.map(({ path, document }): Page => ({ path, schema: document as JsonSchema }))
  const [envelope, ...others] = pages
  const events = others.filter(isPayload)
  const lines = [
    introduction,
    "",
    "## Catalogue",
    "",
    ...catalogue(events),
    ...section(envelope!, "##"),
    "",
    "## Payloads",
    "",
    "In the order of their fields. Fields that do not apply are left out, never null.",
    ...events.flatMap((page) => section(page)),
    "",
    "## Records",
    ...others.filter((page) => !isPayload(page)).flatMap((page) => section(page)),
    "",
    "## Types",
    ...definitions(pages).flatMap(([name, schema]) => definition(name, schema))
  ]
  return `${lines.join("\n")}\n`
}
