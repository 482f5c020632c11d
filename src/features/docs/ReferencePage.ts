/**
 * Generates the page `/docs`, the API reference, from the OpenAPI document: each operation with its parameters, body,
 * response, errors and a command that calls it, and the types that they name. The events are on their own page. Pure.
 */
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"
import { codeBlock } from "./CodeBlock.ts"
import { type Content, contentsGroup, escaped } from "./HtmlPage.ts"
import { definition, fieldsOf, listOf, objectOf, prose, tableOf, typeOf } from "./SchemaTables.ts"

interface Operation {
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
}

/** Every operation takes this header. */
const COMMON_PARAMETER = "X-Request-Id"
/** Its forms are the event types, which have a page of their own. */
const EVENT = "Event"

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

const partsOf = (document: JsonObject) => {
  const components = objectOf(document["components"])
  const schemas = objectOf(components["schemas"])
  const { [EVENT]: event } = schemas
  const { oneOf: _, ...plainEvent } = objectOf(event)
  const types: JsonObject = { ...schemas, [EVENT]: plainEvent }
  /** What a `$ref` stands for, of any kind of component. */
  const resolved = (value: Json | undefined): JsonObject => {
    const { $ref } = objectOf(value)
    if (typeof $ref !== "string") return objectOf(value)
    const [, , kind = "", name = ""] = $ref.split("/")
    return objectOf(kind === "schemas" ? types[name] : objectOf(components[kind])[name])
  }
  return { types, resolved }
}

type Resolved = ReturnType<typeof partsOf>["resolved"]

const jsonOf = (bodyOrResponse: JsonObject): JsonObject =>
  objectOf(objectOf(bodyOrResponse["content"])["application/json"])

const parametersOf = (operation: JsonObject, resolved: Resolved): ReadonlyArray<JsonObject> =>
  listOf(operation["parameters"])
    .map(resolved)
    .filter(({ name }) => name !== COMMON_PARAMETER)

const parameterTable = (parameters: ReadonlyArray<JsonObject>): string =>
  parameters.length === 0
    ? ""
    : tableOf(
        parameters.map(({ description, in: place, name, required, schema }) => ({
          name: textOf(name),
          schema: objectOf(schema),
          presence: `${textOf(place)}${required === true ? ", required" : ""}`,
          description
        })),
        ["Parameter", "Where"]
      )

/** A command that does it, with the examples of the document. */
const commandOf = ({ method, operation, path }: Operation, resolved: Resolved): string => {
  const filled = parametersOf(operation, resolved).reduce(
    (text, { example, in: place, name }) =>
      place === "path" ? text.replace(`{${textOf(name)}}`, encodeURIComponent(textOf(example))) : text,
    path
  )
  const { example } = jsonOf(objectOf(operation["requestBody"]))
  const lines = [
    `curl -s${method === "GET" || example !== undefined ? "" : ` -X ${method}`} "$SERVICE${filled}"`,
    ...(listOf(operation["security"]).length === 0 ? [] : ['-H "X-Service-Key: $KEY"']),
    ...(example === undefined
      ? []
      : [
          ...(method === "POST" ? [] : [`-X ${method}`]),
          `--json '${JSON.stringify(example, null, 2).replaceAll("'", "'\\''")}'`
        ])
  ]
  return codeBlock(lines.join(" \\\n  "), "sh", "curl")
}

const responseOf = (status: string, response: JsonObject): string => {
  const { example, schema } = jsonOf(response)
  const type = typeof objectOf(schema)["$ref"] === "string" ? `, ${typeOf(objectOf(schema))}` : ""
  const shown =
    example === undefined
      ? ""
      : `<details><summary>Example of the response</summary>${codeBlock(JSON.stringify(example, null, 2), "json")}</details>`
  return `<p><code>${status}</code>${type}: ${prose(response["description"])}</p>\n${shown}`
}

/** The codes of the errors in a response. */
const codesIn = (response: JsonObject): ReadonlyArray<string> => {
  const { example, examples } = jsonOf(response)
  const bodies = [example, ...Object.values(objectOf(examples)).map((one) => objectOf(one)["value"])]
  return bodies.map((body) => textOf(objectOf(objectOf(body)["error"])["code"])).filter((code) => code !== "")
}

const errorsOf = (failed: ReadonlyArray<readonly [status: string, response: JsonObject]>): string => {
  const links = failed.flatMap(([status, response]) =>
    codesIn(response).map(
      (code) => `<a href="/docs/errors#${code.toLowerCase()}"><code>${status} ${code}</code></a>`
    )
  )
  return links.length === 0 ? "" : `<p class="doc-label">Errors</p>\n<p>${links.join(", ")}</p>`
}

const operationSection = (one: Operation, resolved: Resolved): string => {
  const { method, operation, path } = one
  const body = objectOf(operation["requestBody"])
  const schema = resolved(jsonOf(body)["schema"])
  const responses = Object.entries(objectOf(operation["responses"])).map(
    ([status, response]) => [status, resolved(response)] as const
  )
  const [good, failed] = [
    responses.filter(([status]) => status.startsWith("2")),
    responses.filter(([status]) => !status.startsWith("2"))
  ]
  return `<section>
<h3 id="${textOf(operation["operationId"])}">${escaped(textOf(operation["summary"]))}</h3>
<p class="doc-operation"><b>${method}</b> <code>${escaped(path)}</code></p>
<p>${prose(operation["description"])}</p>
${parameterTable(parametersOf(operation, resolved))}
${schema["properties"] === undefined ? "" : `<p class="doc-label">Body</p>\n${fieldsOf(schema)}`}
${commandOf(one, resolved)}
<p class="doc-label">Response</p>
${good.map(([status, response]) => responseOf(status, response)).join("\n")}
${errorsOf(failed)}
</section>`
}

/** The types that the operations link to, and those that these link to. */
const linkedTypes = (sections: ReadonlyArray<string>, types: JsonObject): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  const add = (html: string): void => {
    for (const [, name = ""] of html.matchAll(/href="#(\w+)"/g)) {
      if (found.has(name) || types[name] === undefined) continue
      const section = definition(name, objectOf(types[name]))
      found.set(name, section)
      add(section)
    }
  }
  sections.forEach(add)
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => section)
}

/** A tag as a heading: `api-keys` is "API keys", `accountFilters` is "Account filters". */
const titleOf = (tag: string): string => {
  const words = tag.replaceAll("-", " ").replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.startsWith("api ") ? `API${words.slice(3)}` : words.charAt(0).toUpperCase() + words.slice(1)
}

/** `document`: the OpenAPI document. */
export const referencePage = (document: JsonObject): Content => {
  const { types, resolved } = partsOf(document)
  const operations = Object.entries(objectOf(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, operation]): Operation => {
      return { method: method.toUpperCase(), path, operation: objectOf(operation) }
    })
  )
  const groups = listOf(document["tags"]).map((tag) => {
    const { description, name } = objectOf(tag)
    const members = operations.filter(({ operation }) => listOf(operation["tags"]).includes(name!))
    return { name: textOf(name), description, members }
  })
  const sections = groups.map(
    ({ description, members, name }) => `<section>
<h2>${escaped(titleOf(name))}</h2>
<p>${prose(description)}</p>
${members.map((one) => operationSection(one, resolved)).join("\n")}
</section>`
  )
  const { description, version } = objectOf(document["info"])
  return {
    title: "API reference",
    contents: [
      ...groups.map(({ members, name }) =>
        contentsGroup(
          titleOf(name),
          members.map(
            ({ operation }) =>
              `<a href="#${textOf(operation["operationId"])}">${escaped(textOf(operation["summary"]))}</a>`
          )
        )
      ),
      contentsGroup("Types", [`<a href="#types">Types</a>`])
    ].join("\n"),
    article: `<h1>API reference</h1>
${textOf(description)
  .split("\n\n")
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join("\n")}
<p>A request may have the header <code>${COMMON_PARAMETER}</code>, which the response repeats. The same as a document for programs: <a href="/openapi.json">OpenAPI</a>, and for the events <a href="/asyncapi.json">AsyncAPI</a>. Version ${escaped(textOf(version))}.</p>
${sections.join("\n")}
<h2 id="types">Types</h2>
${linkedTypes(sections, types).join("\n")}`
  }
}
