/**
 * Generates `schemas/README.md` from the published schemas: the catalogue of events, each with its trigger, fields and
 * an example; the envelope, the batch, the records and the types of fields. Pure.
 */
import { payloadName } from "../../src/domain/EventType.ts"
import type { PublishedSchema } from "../../src/domain/JsonSchemas.ts"
import type { Json } from "../../src/domain/Ledger.ts"

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
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

interface Page {
  readonly path: string
  readonly schema: JsonSchema
}

/** The anchor that GitHub gives a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9_ -]/g, "")
    .replaceAll(" ", "-")

const link = (heading: string): string => `[${heading}](#${anchor(heading)})`

const code = (value: Json): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``

/** Escapes characters that Markdown would read as a tag. */
const prose = (text: string): string => text.replaceAll("<", "&lt;")

const cell = (text: string): string => prose(text).replaceAll("|", "\\|")

const typeOf = (schema: JsonSchema): string => {
  const { $ref, anyOf, items, maximum, minimum, title, type } = schema
  if ($ref !== undefined) return link($ref.replace("#/$defs/", ""))
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ")
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  if (type === "array") return `array of ${typeOf(items ?? {})}`
  if (type === "integer") {
    // The generator adds this maximum to every integer. It is no limit of the field.
    const bounded = maximum !== Number.MAX_SAFE_INTEGER
    return bounded ? `integer, ${minimum} to ${maximum}` : `integer, from ${minimum}`
  }
  return title === undefined ? (type ?? "") : link(title)
}

const fields = ({ properties = {}, required = [] }: JsonSchema): ReadonlyArray<string> => [
  "| field | type | present | meaning |",
  "|---|---|---|---|",
  ...Object.entries(properties).map(([name, field]) => {
    const presence = required.includes(name) ? "always" : "optional"
    return `| \`${name}\` | ${cell(typeOf(field))} | ${presence} | ${cell(field.description ?? "")} |`
  })
]

const content = (schema: JsonSchema): ReadonlyArray<string> =>
  schema.items === undefined
    ? fields(schema)
    : [`An array of ${schema.minItems} to ${schema.maxItems} items: ${typeOf(schema.items)}.`]

const examplesOf = ({ examples = [] }: JsonSchema): ReadonlyArray<string> =>
  examples.flatMap((example) => ["", "```json", JSON.stringify(example, null, 2), "```"])

const section = ({ path, schema }: Page, heading = "###"): ReadonlyArray<string> => [
  "",
  `${heading} ${schema.title}`,
  "",
  `${prose(schema.description ?? "")} Schema: [${path}](${path}).`,
  "",
  ...content(schema),
  ...examplesOf(schema)
]

const isPayload = ({ path }: Page): boolean => path.startsWith("payloads/")

const catalogue = (pages: ReadonlyArray<Page>): ReadonlyArray<string> => [
  "| event | when |",
  "|---|---|",
  ...pages.map(({ schema: { title = "", description = "" } }) => `| ${link(title)} | ${cell(description)} |`)
]

/** One alternative of a union: its fields in a line. */
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
      : ["", `String, pattern ${code(pattern)}. Examples: ${examples.map(code).join(", ")}.`]),
    ...(schema.enum === undefined ? [] : ["", `One of ${typeOf(schema)}.`]),
    ...(anyOf === undefined ? [] : ["", "One of:", "", ...anyOf.map((choice) => `- ${form(choice)}`)]),
    ...(properties === undefined ? [] : ["", ...fields(schema)])
  ]
}

/** The types of all schemas, except payloads: a name means the same type everywhere. */
const definitions = (pages: ReadonlyArray<Page>): ReadonlyArray<[name: string, schema: JsonSchema]> => {
  const all = new Map(pages.flatMap(({ schema }) => Object.entries(schema.$defs ?? {})))
  for (const { schema } of pages.filter(isPayload)) all.delete(payloadName(schema.title ?? ""))
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const introduction = `# Events and their schemas

JSON Schemas (draft 2020-12) of the events that Ledgerhook sends: the [envelope](#event-envelope) that a webhook receives, the [batch](#batch) of several, the payload of each event type, and the [records](#records) of the public topics.
Each file is complete in itself. Its \`$id\` (\`urn:ledgerhook:schemas:v1:…\`) is a name, not a URL to fetch.

Within a version, a new release only adds optional fields. These schemas refuse unknown fields. If your receiver validates events, use the schemas of the release that sends them, or allow unknown fields.

To validate the body of a webhook request, check the envelope first and then the payload by its event type. With [Ajv](https://ajv.js.org):

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

To test your own check of signatures, run the requests of \`signature-vectors.json\` through it: good ones, wrong secrets, changed bodies, several signatures, old timestamps and malformed headers, each with the verdict.

Two documents have the same schemas as components: \`asyncapi.json\` (AsyncAPI 3.0) describes the public topics and the requests to webhooks, and \`openapi.json\` (OpenAPI 3.1) the API and the requests to webhooks.

This page and the schemas are generated from the code by \`npm run schemas\`. \`npm run check\` fails if they are outdated.`

export const schemaIndex = (schemas: ReadonlyArray<PublishedSchema>): string => {
  // Effect generates the documents, with these keywords only.
  const pages = schemas.map(({ path, document }): Page => ({ path, schema: document as JsonSchema }))
  const [envelope, batch, ...others] = pages
  const events = others.filter(isPayload)
  const lines = [
    introduction,
    "",
    "## Catalogue",
    "",
    ...catalogue(events),
    ...section(envelope!, "##"),
    ...section(batch!, "##"),
    "",
    "## Payloads",
    "",
    "The fields of each payload, in their order. Fields that do not apply are absent, never null.",
    ...events.flatMap((page) => section(page)),
    "",
    "## Records",
    "",
    "The field `payload` of an event record has the fields of all event types, so that tools that make columns from a schema find each field once. `oneOf` in the schema says which [payload](#payloads) each event type has.",
    ...others.filter((page) => !isPayload(page)).flatMap((page) => section(page)),
    "",
    "## Types",
    ...definitions(pages).flatMap(([name, schema]) => definition(name, schema))
  ]
  return `${lines.join("\n")}\n`
}
