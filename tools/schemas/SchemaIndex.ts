/**
 * Generates `schemas/README.md` from the published schemas: which events there are, when each occurs and which fields
 * it has. The schemas themselves describe each field. Pure.
 */
import type { PublishedSchema } from "../../src/spine/event/JsonSchemas.ts"

/** The keywords of the published schemas that the page shows. */
interface JsonSchema {
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: ReadonlyArray<string>
}

interface Page {
  readonly path: string
  readonly schema: JsonSchema
}

const cell = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("|", "\\|")

/** What the page says once: every payload begins with `tx_hash` and may end with the other fields. */
const inEveryPayload = ["tx_hash", "memos", "memos_truncated", "balance_changes"]

const fields = ({ properties = {}, required = [] }: JsonSchema, left: ReadonlyArray<string>): string => {
  const names = Object.keys(properties).filter((name) => !left.includes(name))
  if (names.length === 0) return ""
  return `\`${names.map((name) => `${name}${required.includes(name) ? "" : "?"}`).join(" ")}\``
}

const row =
  (left: ReadonlyArray<string>) =>
  ({ path, schema }: Page): string =>
    `| [${schema.title}](${path}) | ${cell(schema.description ?? "")} | ${fields(schema, left)} |`

const introduction = `# Events and their schemas

JSON Schemas (draft 2020-12) of everything that Ledgerhook sends. Each file is complete in itself and describes each field, with its type and an example. A running service shows the same at \`/docs/event-types\`. The \`$id\` of a schema (\`urn:ledgerhook:schemas:v1:…\`) is a name, not a URL to fetch.

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

- [detection](detection/README.md) tests a detector of your own, in any language: ledgers, and the events that each must cause.
- \`signature-vectors.json\` tests your own check of signatures. It has requests, each with the verdict: good ones, wrong secrets, changed bodies, several signatures, old timestamps and malformed headers.
- \`openapi.json\` (OpenAPI 3.1) describes the API and the requests to webhooks, \`asyncapi.json\` (AsyncAPI 3.0) the public topics and the requests to webhooks.

\`npm run schemas\` generates this page and the schemas from the code. \`npm run check\` fails if they are outdated.`

export const schemaIndex = (schemas: ReadonlyArray<PublishedSchema>): string => {
  // Effect generates the documents, with these keywords among others.
  const pages = schemas.map(({ path, document }): Page => ({ path, schema: document as JsonSchema }))
  const isPayload = ({ path }: Page) => path.startsWith("payloads/")
  const lines = [
    introduction,
    "",
    "## Requests and records",
    "",
    "| schema | what it is | fields (`?`: optional) |",
    "|---|---|---|",
    ...pages.filter((page) => !isPayload(page)).map(row([])),
    "",
    "The `payload` of an event record has the fields of all event types; `oneOf` in its schema says which each type has.",
    "",
    "## Events",
    "",
    "Every payload begins with `tx_hash`. It ends with `memos`, `memos_truncated` and `balance_changes` only for receivers that ask for them, with the webhook's `include`. Fields that do not apply are absent, never null. [Crediting deposits](../docs/deposits.md) says which events bring funds, and which amount to book.",
    "",
    "| event | when | fields of the payload (`?`: optional) |",
    "|---|---|---|",
    ...pages.filter(isPayload).map(row(inEveryPayload))
  ]
  return `${lines.join("\n")}\n`
}
