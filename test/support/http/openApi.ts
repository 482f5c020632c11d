/** Checks answers and request bodies against the published OpenAPI document. */
import { readFileSync } from "node:fs"
import type { ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Answer } from "./api.ts"

interface Reference {
  readonly $ref?: string
}

interface Header {
  readonly required: boolean
  readonly schema: { readonly type?: string }
}

interface Media {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Response {
  readonly headers: Readonly<Record<string, Header & Reference>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly schema: Readonly<Record<string, unknown>>
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly description: string
  readonly summary: string
  /** Each is enough. */
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters: ReadonlyArray<Parameter & Reference>
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response & Reference>>
}

export const document = JSON.parse(readFileSync("schemas/openapi.json", "utf8"))

/** Every operation, with its references to parameters and responses resolved. */
const resolved = <A extends object>(value: A & Reference): A =>
  value.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split("/")
        .reduce((inside, name) => inside[name], document)

const paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> = document.paths

export const operations: ReadonlyArray<Operation> = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
    parameters: operation.parameters.map(resolved),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)])
    )
  }))
)

/** The scope that an operation needs, "any key" or "no key". */
export const neededBy = ({ security }: Pick<Operation, "security">): string =>
  security.length === 0 ? "no key" : security[0]?.["apiKey"]?.join() || "any key"

// Not strict: the document also contains OpenAPI's keywords, which JSON Schema does not know.
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
const compiled = new WeakMap<object, ValidateFunction>()

/** Adds the document's name to references within it. */
const complete = (schema: unknown): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))

ajv.addSchema(document, "openapi")
// By its own name, each is compiled once, and not again for every schema that refers to it.
for (const [name, schema] of Object.entries(document.components.schemas))
  ajv.addSchema(complete(schema), `openapi#/components/schemas/${name}`)

/** The schema's errors for the value, each with its path. */
export const complaints = (schema: unknown, value: unknown): ReadonlyArray<string> => {
  const key = Object(schema)
  const validate = compiled.get(key) ?? ajv.compile(complete(schema))
  compiled.set(key, validate)
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

/** The gate sets these headers; an answer may have one only if the document promises it. */
const promisedOnly = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "retry-after",
  "allow"
]

const headerProblems = (promised: Response["headers"], headers: Headers): ReadonlyArray<string> => {
  const expected = Object.entries(promised).map(([name, header]) => [name, resolved<Header>(header)] as const)
  const names = new Set(expected.map(([name]) => name.toLowerCase()))
  return [
    ...expected.flatMap(([name, { required, schema }]) => {
      const text = headers.get(name)
      if (text === null) return required ? [`lacks ${name}`] : []
      const value = schema.type === "integer" && /^\d+$/.test(text) ? Number(text) : text
      return complaints(schema, value).map((problem) => `${name}: ${problem}`)
    }),
    ...promisedOnly.filter((name) => headers.has(name) && !names.has(name)).map((name) => `has ${name}`)
  ]
}

/** The data of each event of a stream, but not of the one that says why the stream ends. */
const eventsOf = (stream: string): ReadonlyArray<unknown> =>
  stream
    .split("\n\n")
    .filter((block) => !block.includes("event: error"))
    .flatMap((block) => block.match(/^data: (.*)$/m)?.[1] ?? [])
    .map((data) => JSON.parse(data))

/** The differences between an answer and the operation's documented responses; empty if there are none. */
export const mismatches = (operation: Operation, answer: Answer): ReadonlyArray<string> => {
  const response = operation.responses[String(answer.status)]
  if (response === undefined) return [`answers ${answer.status}, which is not documented`]
  const type = answer.headers.get("content-type")
  const media = response.content?.[type ?? ""]
  const problems =
    response.content === undefined
      ? answer.text === ""
        ? []
        : ["has a body"]
      : media === undefined
        ? [`is ${type}`]
        : type === "text/event-stream"
          ? eventsOf(answer.text).flatMap((event) => complaints(media.schema, event))
          : complaints(media.schema, type === "application/json" ? answer.body : answer.text)
  return [...problems, ...headerProblems(response.headers, answer.headers)]
}

/** The differences between a JSON body and the operation's documented request body. */
export const bodyMismatches = ({ requestBody }: Operation, body: unknown): ReadonlyArray<string> => {
  const [media] = Object.values(requestBody?.content ?? {})
  return media === undefined || typeof body !== "object" || body instanceof Uint8Array
    ? []
    : complaints(media.schema, body)
}

/** The examples of a body, whether it has one or several. */
export const examplesOf = ({ example, examples }: Media): ReadonlyArray<unknown> =>
  examples === undefined ? [example] : Object.values(examples).map(({ value }) => value)
