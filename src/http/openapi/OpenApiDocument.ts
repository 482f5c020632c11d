/**
 * Turns the generated OpenAPI document of the contract into the published one: simpler schemas, query parameters typed
 * as numbers and booleans, an example of every body and parameter, the headers of every response, and the requests to
 * webhooks. It contains no rule about a single endpoint. Pure.
 */
import type { OpenApi } from "effect/http-api"
import { pageDefaults, securitySchemes } from "../ContractParts.ts"
import { EVENT, openApiEvents } from "./OpenApiEvents.ts"
import {
  component,
  headerComponents,
  headersOf,
  IDEMPOTENCY_KEY,
  idempotencyKeyParameter,
  REQUEST_ID,
  requestIdParameter
} from "./OpenApiHeaders.ts"
import { exampleOf, isObject, namedLists, type Schema, type Schemas, tidySchemas } from "./OpenApiSchemas.ts"
import { webhookParameters, webhookResponses, webhooks } from "./OpenApiWebhooks.ts"

type Content = OpenApi.OpenApiSpecContent
type Parameter = OpenApi.OpenAPISpecParameter & { readonly schema: Schema }
type Operation = OpenApi.OpenAPISpecOperation & { readonly parameters: ReadonlyArray<Parameter> }

/** The generator's document. Under a path it has operations only. */
interface Document {
  readonly tags: ReadonlyArray<OpenApi.OpenAPISpecTag>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas }
}

type Components = Record<string, unknown>

export type QueryTypes = Readonly<Record<string, Schema>>

/**
 * The schema of each query parameter by its name. The decoder reads query parameters as text; the document shows the
 * type that the text must have. Here are those of every list; a feature's are an annotation of its group.
 */
const ownTypes: Readonly<Record<string, Schema>> = {
  limit: {
    type: "integer",
    minimum: 1,
    maximum: pageDefaults.maximum,
    default: pageDefaults.limit,
    examples: [50]
  }
}

/** The generator joins the descriptions of several responses of one status with this. */
const JOINED = " | "

const referenceName = (schema: Schema): string | undefined =>
  typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined

const choicesOf = (schema: Schema): ReadonlyArray<Schema> =>
  Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isObject) : [schema]

/** A body with an example, or with one example for each alternative. */
const withExample = (media: OpenApi.OpenApiSpecMediaType, schemas: Schemas) => {
  const choices = choicesOf(media.schema)
  return choices.length === 1
    ? { schema: media.schema, example: exampleOf(media.schema, schemas) }
    : {
        schema: media.schema,
        examples: Object.fromEntries(
          choices.map((one, i) => [referenceName(one) ?? String(i), { value: exampleOf(one, schemas) }])
        )
      }
}

const contentOf = (content: Content | undefined, schemas: Schemas) =>
  content === undefined
    ? {}
    : {
        content: Object.fromEntries(
          Object.entries(content).map(([type, media]) => [
            type,
            // Clients that read streams take the schema as that of the data of each event. The contract of the stream of
            // events only says that it is text.
            withExample(
              type === "text/event-stream" && media.schema.type === "string"
                ? { schema: component("schemas", EVENT) }
                : media,
              schemas
            )
          ])
        )
      }

/** `last-event-id` → `LastEventIdHeader`: Go's generator gives a header the name of the query parameter otherwise. */
const goHeaderName = (name: string): string =>
  `${name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Header`

const parameterOf = (parameter: Parameter, schemas: Schemas, types: QueryTypes) => {
  const typed = parameter.in === "query" ? types[parameter.name] : undefined
  const { description, ...schema } = parameter.schema
  const published = typed ?? schema
  return {
    name: parameter.name,
    in: parameter.in,
    ...(parameter.in === "header" ? { "x-go-name": goHeaderName(parameter.name) } : {}),
    required: parameter.required,
    description,
    schema: published,
    // /docs fills the field with the example, so optional parameters get none. Their schema has examples too.
    ...(parameter.required ? { example: exampleOf(published, schemas) } : {})
  }
}

/** The generator describes an optional body (contract/Common, `bodyOptional`) as one that may be null. */
const requestBodyOf = ({ content }: { readonly content: Content }, schemas: Schemas) => {
  let required = true
  const published = Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => {
      const choices = choicesOf(schema)
      const given = choices.filter((one) => one["type"] !== "null")
      if (given.length < choices.length) required = false
      return [type, { schema: given.length === 1 ? given[0]! : schema }]
    })
  )
  const [name] = Object.values(published).map(({ schema }) => referenceName(schema))
  return {
    description: schemas[name ?? ""]?.["description"],
    required,
    ...contentOf(published, schemas)
  }
}

const operationOf = (
  method: string,
  operation: Operation,
  schemas: Schemas,
  responses: Components,
  types: QueryTypes
) => {
  const keyed = operation.security.length > 0
  const published = Object.entries(operation.responses).map(([status, { description, content }]) => {
    const [schema = {}] = Object.values(content ?? {}).map((media) => media.schema)
    const name = referenceName(schema)
    const ownDescription = name === undefined ? undefined : schemas[name]?.["description"]
    const response = {
      description:
        (Number(status) < 400 ? ownDescription : undefined) ?? description?.replaceAll(JOINED, " Or: "),
      headers: headersOf(status, keyed),
      ...contentOf(content, schemas)
    }
    if (!keyed || Number(status) < 400 || name === undefined) return [status, response]
    responses[name] = response
    return [status, component("responses", name)]
  })
  return {
    ...operation,
    parameters: [
      ...operation.parameters.map((parameter: Parameter) => parameterOf(parameter, schemas, types)),
      component("parameters", REQUEST_ID),
      ...(keyed && method === "post" ? [component("parameters", IDEMPOTENCY_KEY)] : [])
    ],
    ...(operation.requestBody === undefined
      ? {}
      : { requestBody: requestBodyOf(operation.requestBody, schemas) }),
    responses: Object.fromEntries(published)
  }
}

/** Copies the description of each error from the operations to its schema. */
const withDescriptions = (document: Document): Schemas => {
  const described: Record<string, Schema> = { ...document.components.schemas }
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const { description, content = {} } of Object.values(operation.responses)) {
      const names = Object.values(content).flatMap(({ schema }) => choicesOf(schema).map(referenceName))
      const texts = description?.split(JOINED) ?? []
      names.forEach((name, i) => {
        const schema = name === undefined ? undefined : described[name]
        if (name === undefined || schema === undefined || schema["description"] !== undefined) return
        described[name] = { description: texts[i], ...schema }
      })
    }
  }
  return described
}

/** Joins components that were made apart. */
const together = <A>(...parts: ReadonlyArray<Readonly<Record<string, A>>>): Readonly<Record<string, A>> => {
  const all = parts.flatMap((part) => Object.entries(part))
  const names = all.map(([name]) => name)
  const taken = names.find((name, i) => names.indexOf(name) !== i)
  if (taken !== undefined) throw new Error(`the OpenAPI document has two components ${taken}`)
  return Object.fromEntries(all)
}

/** `ofFeatures`: the types of query parameters of features. */
export const publishedDocument =
  (ofFeatures: QueryTypes) =>
  (generated: Record<string, unknown>): Record<string, unknown> => {
    // The generator's own shape (effect/http-api/OpenApi).
    const document = tidySchemas(generated) as unknown as Document
    const { [EVENT]: event, ...described } = withDescriptions(document)
    const schemas = together(described, openApiEvents(event!), namedLists)
    const responses: Components = {}
    const paths = Object.fromEntries(
      Object.entries(document.paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            operationOf(method, operation, schemas, responses, { ...ownTypes, ...ofFeatures })
          ])
        )
      ])
    )
    return {
      ...document,
      // Groups of one title are one tag, which the first of them describes.
      tags: document.tags.filter(({ name }, i, all) => all.findIndex((tag) => tag.name === name) === i),
      paths,
      webhooks: webhooks(),
      components: {
        schemas,
        securitySchemes,
        responses: together<unknown>(responses, webhookResponses),
        headers: headerComponents,
        parameters: together<unknown>(
          { [REQUEST_ID]: requestIdParameter, [IDEMPOTENCY_KEY]: idempotencyKeyParameter },
          webhookParameters
        )
      }
    }
  }
