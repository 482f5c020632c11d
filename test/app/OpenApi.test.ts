/** The OpenAPI document is complete: every operation with each of its responses, described and with examples. */

import { assert, describe, it, layer } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Effect } from "effect"
import { openApiDocument } from "../../src/app/Contract.ts"
import { statusOf } from "../../src/http/Errors.ts"
import { exampleOf } from "../../src/http/openapi/OpenApiSchemas.ts"
import { scopes } from "../../src/spine/domain/ApiKey.ts"
import { eventCatalogue } from "../../src/spine/event/EventCatalogue.ts"
import { eventPatterns, isEventPattern } from "../../src/spine/event/EventPatterns.ts"
import { eventTypes } from "../../src/spine/event/EventType.ts"
import type { Json } from "../../src/spine/event/Ledger.ts"
import { isJsonObject } from "../../src/spine/event/NormaliseLedger.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import {
  complaints,
  document,
  examplesOf,
  neededBy,
  type Operation,
  operations
} from "../support/http/openApi.ts"

/**
 * The statuses that every operation of a kind answers with. Which others it has, and its name, show in the diff of
 * `schemas/openapi.json`; Matrix.test.ts sends the requests.
 */
const promisedOf = (operation: Operation): ReadonlyArray<number> => {
  const { method, path } = operation
  const key = neededBy(operation) === "no key" ? [] : [401, 403, 429, 503]
  const named = path.includes("{") ? [404] : []
  const withBody = method === "GET" ? [] : [413, 415]
  const repeated = method === "POST" && key.length > 0 ? [409, 422] : []
  return [400, 405, 500, ...key, ...named, ...withBody, ...repeated]
}

/** What an operation may answer besides: success, the quota, a missing resource, a conflict, and sessions' refusals. */
const possible = [200, 201, 202, 204, 401, 402, 403, 404, 409, 429, 503]

/** Listed a second time, so that a forgotten `scoped` is found. */
const withoutScope = {
  "no key": ["signIn", "signOut", "getHealth", "getReadiness", "getPartReadiness"],
  "any key": ["listEventTypes", "getAccount"]
}

/** Every schema that describes a value, by its path in the document. */
const schemasIn = (value: Json, place: string): ReadonlyArray<readonly [string, Json]> => {
  if (!isJsonObject(value)) return []
  const { properties, items } = value
  return [
    [place, value],
    ...(isJsonObject(properties)
      ? Object.entries(properties).flatMap(([name, one]) => schemasIn(one, `${place}.${name}`))
      : []),
    ...(items === undefined ? [] : schemasIn(items, `${place}[]`).slice(1))
  ]
}

describe("the OpenAPI document", () => {
  it("has each operation once, with each response that its kind of request may get", () => {
    const names = operations.map(({ operationId }) => operationId)
    assert.strictEqual(new Set(names).size, names.length)
    for (const operation of operations) {
      const answers = Object.keys(operation.responses).map(Number)
      const always = promisedOf(operation)
      assert.includeMembers(answers, [...always], operation.operationId)
      assert.isTrue(
        answers.some((status) => status < 300),
        operation.operationId
      )
      assert.includeMembers([...always, ...possible], answers, operation.operationId)
    }
  })

  it("passes the linter with every recommended rule, warnings included", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] })
    const lint = async (given: object) => {
      const problems = await lintFromString({
        source: JSON.stringify(given),
        absoluteRef: "openapi.json",
        config
      })
      return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
    }
    assert.deepStrictEqual(await lint(document), [])
    // It does complain. A whole document takes it a second.
    const wrong = await lint({ ...document, paths: {}, components: {}, servers: [] })
    assert.match(wrong.join("\n"), /^no-empty-servers: /m)
  })

  it("requires the key where an operation needs it, and names the scope", () => {
    assert.deepInclude(document.components.securitySchemes.apiKey, {
      type: "apiKey",
      name: "X-Service-Key",
      in: "header"
    })
    assert.deepInclude(document.components.securitySchemes.bearer, { type: "http", scheme: "bearer" })
    for (const { path, security, description } of operations) {
      if (security.length === 0) continue
      const { apiKey = [] } = security[0]!
      assert.deepStrictEqual(security, [{ apiKey }, { bearer: apiKey }])
      for (const scope of apiKey)
        assert.isTrue(scopes.some((one) => one === scope) && description.includes(`\`${scope}\``), path)
    }
  })

  it("needs no scope for few operations", () => {
    for (const [needs, expected] of Object.entries(withoutScope)) {
      const found = operations.filter((operation) => neededBy(operation) === needs)
      assert.sameMembers(
        found.map(({ operationId }) => operationId),
        expected
      )
    }
  })

  it("describes every operation, parameter, response, schema and field", () => {
    for (const { operationId, summary, description, parameters, responses } of operations) {
      assert.isNotEmpty(summary, operationId)
      assert.isNotEmpty(description, operationId)
      for (const one of parameters) assert.isNotEmpty(one.description, `${operationId} ${one.name}`)
      for (const [status, response] of Object.entries(responses))
        assert.notInclude(
          ["Success", "Error", undefined],
          Object(response).description,
          `${operationId} ${status}`
        )
    }
    for (const { name, description } of document.tags) assert.isNotEmpty(description, name)
    for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
      for (const [place, one] of schemasIn(schema, name))
        assert.isString(isJsonObject(one) ? (one["description"] ?? one["$ref"]) : undefined, place)
    }
  })

  it("has an example for every parameter and body, which its schema accepts", () => {
    for (const { operationId, parameters, requestBody, responses } of operations) {
      for (const { name, schema, example } of parameters) {
        const shown = example ?? exampleOf(schema, document.components.schemas)
        assert.isDefined(shown, `${operationId} ${name}`)
        assert.deepStrictEqual(complaints(schema, shown), [], `${operationId} ${name}`)
      }
      const bodies = [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {})
      )
      for (const media of bodies) {
        for (const example of examplesOf(media)) {
          assert.isDefined(example, operationId)
          assert.deepStrictEqual(
            complaints(media.schema, example),
            [],
            `${operationId} ${JSON.stringify(example)}`
          )
        }
      }
    }
  })

  it("has no example anywhere that its schema refuses", () => {
    const check = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return
      const { examples } = value as { examples?: unknown }
      if (Array.isArray(examples))
        for (const example of examples)
          assert.deepStrictEqual(complaints(value, example), [], `${place} ${JSON.stringify(example)}`)
      for (const [name, inner] of Object.entries(value))
        if (name !== "examples" && name !== "example") check(inner, `${place}/${name}`)
    }
    check(document, "#")
  })

  it("has unions of events, in which event_type decides which payload an event has", () => {
    const { schemas } = document.components
    for (const union of ["Event", "WebhookEvent"]) {
      const { discriminator, oneOf } = schemas[union]
      assert.strictEqual(discriminator.propertyName, "event_type")
      assert.sameMembers(Object.keys(discriminator.mapping), [...eventTypes])
      assert.sameMembers(
        Object.values(discriminator.mapping),
        oneOf.map(({ $ref }: { $ref: string }) => $ref)
      )
      for (const { event_type, example, exampleBody } of eventCatalogue()) {
        const own = { $ref: discriminator.mapping[event_type] }
        const event = schemas[own.$ref.split("/").at(-1)].examples?.[0] ?? exampleBody
        for (const schema of [own, { $ref: `#/components/schemas/${union}` }]) {
          assert.deepStrictEqual(complaints(schema, event), [], event_type)
          const wrong = { ...example, receiver: 1, tx_hash: 1 }
          assert.isNotEmpty(complaints(schema, { ...Object(event), payload: wrong }), event_type)
        }
        const other = eventTypes.find((type) => type !== event_type)
        assert.isNotEmpty(complaints(own, { ...Object(event), event_type: other }), event_type)
      }
    }
    const item = (id: string) => operations.find(({ operationId }) => operationId === id)!.responses["200"]!
    const event = { $ref: "#/components/schemas/Event" }
    assert.deepStrictEqual(item("getEvent").content!["application/json"]!.schema, event)
    assert.deepStrictEqual(item("streamEvents").content!["text/event-stream"]!.schema, event)
    assert.deepInclude(item("streamActivity").content!["text/event-stream"]!.schema, {
      anyOf: ["LedgerActivity", "StreamEnd"].map((name) => ({ $ref: `#/components/schemas/${name}` }))
    })
    assert.deepStrictEqual(schemas.EventPage.properties.data.items, event)
  })

  it("lists the types, families and * wherever events are chosen", () => {
    const { EventPattern, NewWebhook, PreviewRequest, NewRetryJob, NewReplayJob } =
      document.components.schemas
    assert.sameMembers(EventPattern.enum, [...eventPatterns])
    for (const pattern of EventPattern.enum) assert.isTrue(isEventPattern(pattern), pattern)
    const pattern = { $ref: "#/components/schemas/EventPattern" }
    for (const { properties } of [NewWebhook, PreviewRequest, NewRetryJob, NewReplayJob.properties.filters])
      assert.deepStrictEqual(properties.event_types.items, pattern)
    const chosen = operations.flatMap(({ parameters }) =>
      parameters.filter((one) => one.name === "event_type")
    )
    assert.deepStrictEqual(
      chosen.map(({ schema }) => schema["items"] ?? { $ref: schema["$ref"] }),
      [pattern, pattern, pattern, pattern]
    )
  })

  it("names each component once: a title, which generators prefer, is the component's name", () => {
    for (const [name, { title }] of Object.entries<{ title?: string }>(document.components.schemas))
      assert.include([undefined, name], title)
  })

  it("has each error code with its status, and no other", () => {
    const found = new Map<string, Set<number>>()
    for (const { responses } of operations) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        for (const example of Object.values(content).flatMap(examplesOf)) {
          const code = Object(example).error?.code
          if (code !== undefined) found.set(code, (found.get(code) ?? new Set()).add(Number(status)))
        }
      }
    }
    assert.deepStrictEqual(
      Object.fromEntries([...found].map(([code, statuses]) => [code, [...statuses]]).toSorted()),
      Object.fromEntries(
        Object.entries(statusOf)
          .map(([code, status]) => [code, [status]])
          .toSorted()
      )
    )
  })

  it("has numbers and booleans in queries, bounds in bodies, and marks optional bodies", () => {
    const parameter = (id: string, name: string) =>
      operations.find(({ operationId }) => operationId === id)?.parameters.find((one) => one.name === name)
    assert.deepInclude(parameter("listDeliveries", "limit")?.schema, {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 20
    })
    assert.deepInclude(parameter("listEvents", "ledger_index_min")?.schema, { type: "integer", minimum: 1 })
    assert.deepInclude(parameter("getDeliveryStats", "series")?.schema, { type: "boolean" })
    assert.deepInclude(parameter("listEvents", "event_type")?.schema, { type: "array" })
    const { NewWebhook } = document.components.schemas
    assert.isFalse(NewWebhook.additionalProperties)
    assert.deepStrictEqual(NewWebhook.required, ["url", "event_types"])
    assert.deepInclude(NewWebhook.properties.max_in_flight, { type: "integer", minimum: 1, maximum: 256 })
    assert.deepStrictEqual(
      operations.filter(({ requestBody }) => requestBody?.required === false).map((one) => one.operationId),
      ["rotateWebhookSecret", "previewWebhook"]
    )
  })
})

layer(apiLayer(), { excludeTestServices: true })("/openapi.json", (it) => {
  it.effect("is the document that is published in schemas/", () =>
    Effect.gen(function* () {
      const { status, body } = yield* (yield* ApiUnderTest).call("GET", "/openapi.json")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, document)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(openApiDocument())), document)
    })
  )

  it.effect("has requests as examples that both a live and a test key may send", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      for (const environment of ["live", "test"] as const) {
        const { key } = yield* api.account(environment)
        for (const { method, operationId, parameters, path, requestBody } of operations) {
          const [media] = Object.values(requestBody?.content ?? {})
          if (media === undefined) continue
          const at = parameters.reduce(
            (text, { example, name }) => text.replace(`{${name}}`, String(example)),
            path
          )
          for (const body of examplesOf(media)) {
            const { status, text } = yield* api.call(method, at, { key, body })
            assert.notInclude([400, 403, 413, 422], status, `${environment} ${operationId} ${text}`)
          }
        }
      }
    })
  )
})
