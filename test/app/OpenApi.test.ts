/** The OpenAPI document is complete: every operation with each of its responses, described and with examples. */

import { assert, describe, it, layer } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Effect } from "effect"
import { openApiDocument } from "../../src/app/Contract.ts"
import { statusOf } from "../../src/http/Errors.ts"
import { exampleOf } from "../../src/http/openapi/OpenApiSchemas.ts"
import { type Scope, scopes } from "../../src/spine/domain/ApiKey.ts"
import { eventCatalogue } from "../../src/spine/event/EventCatalogue.ts"
import { eventPatterns, isEventPattern } from "../../src/spine/event/EventPatterns.ts"
import { eventTypes } from "../../src/spine/event/EventType.ts"
import type { Json } from "../../src/spine/event/Ledger.ts"
import { isJsonObject } from "../../src/spine/event/NormaliseLedger.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { complaints, document, examplesOf, type Operation, operations } from "../support/http/openApi.ts"

const read = [200, 400, 401, 403, 405, 429, 500, 503]
const readOne = [200, 400, 401, 403, 404, 405, 429, 500, 503]
const changeOne = [400, 401, 403, 404, 405, 413, 415, 429, 500, 503]
const create = [201, 400, 401, 403, 405, 413, 415, 429, 500, 503]

type Needed = Scope | "any key" | "no key"

/** The promised operations, by the name that a generated client gives each. */
const promised: Readonly<
  Record<string, readonly [operation: string, needs: Needed, answers: ReadonlyArray<number>]>
> = {
  createWebhook: ["POST /v1/webhooks", "webhooks:write", [...create, 409, 422]],
  listWebhooks: ["GET /v1/webhooks", "webhooks:read", read],
  countWebhooks: ["GET /v1/webhooks/health", "webhooks:read", read],
  listIncidents: ["GET /v1/incidents", "webhooks:read", read],
  getIncident: ["GET /v1/incidents/{id}", "webhooks:read", readOne],
  listWebhookIncidents: ["GET /v1/webhooks/{id}/incidents", "webhooks:read", readOne],
  getWebhookProgress: ["GET /v1/webhooks/{id}/progress", "webhooks:read", readOne],
  getWebhook: ["GET /v1/webhooks/{id}", "webhooks:read", readOne],
  changeWebhook: ["PATCH /v1/webhooks/{id}", "webhooks:write", [200, ...changeOne, 409]],
  changeAccountFilters: [
    "POST /v1/webhooks/{id}/account-filters",
    "webhooks:write",
    [200, ...changeOne, 409, 422]
  ],
  deleteWebhook: ["DELETE /v1/webhooks/{id}", "webhooks:write", [204, ...changeOne]],
  rotateWebhookSecret: [
    "POST /v1/webhooks/{id}/rotate-secret",
    "webhooks:write",
    [200, ...changeOne, 409, 422]
  ],
  testWebhook: ["POST /v1/webhooks/{id}/test", "webhooks:write", [200, 202, ...changeOne, 409, 422]],
  previewWebhook: ["POST /v1/webhooks/{id}/preview", "webhooks:read", [200, ...changeOne, 409, 422]],
  listDeliveries: ["GET /v1/deliveries", "deliveries:read", read],
  getDeliveryStats: ["GET /v1/deliveries/stats", "deliveries:read", read],
  getDelivery: ["GET /v1/deliveries/{id}", "deliveries:read", readOne],
  retryDelivery: ["POST /v1/deliveries/{id}/retry", "deliveries:write", [200, ...changeOne, 402, 409, 422]],
  retryDeliveries: ["POST /v1/deliveries/retry", "deliveries:write", [200, 202, ...changeOne, 402, 409, 422]],
  createReplayJob: ["POST /v1/replay", "deliveries:write", [200, 202, ...changeOne, 402, 409, 422]],
  listReplayJobs: ["GET /v1/replay", "deliveries:read", read],
  getReplayJob: ["GET /v1/replay/{job_id}", "deliveries:read", readOne],
  cancelReplayJob: ["DELETE /v1/replay/{job_id}", "deliveries:write", [200, ...changeOne, 409]],
  listEvents: ["GET /v1/events", "events:read", read],
  streamEvents: ["GET /v1/events/stream", "events:read", readOne],
  countEvents: ["GET /v1/events/counts", "events:read", read],
  previewFilters: [
    "POST /v1/events/preview",
    "events:read",
    [200, ...changeOne.filter((status) => status !== 404), 409, 422]
  ],
  getEvent: ["GET /v1/events/{event_id}", "events:read", readOne],
  listEventTypes: ["GET /v1/event-types", "any key", read],
  getTransaction: ["GET /v1/transactions/{hash}", "events:read", readOne],
  explainTransaction: ["GET /v1/explain", "deliveries:read", readOne],
  streamActivity: ["GET /v1/activity/stream", "deliveries:read", read],
  getLedgerCoverage: ["GET /v1/ledgers/coverage", "events:read", read],
  createApiKey: ["POST /v1/api-keys", "api_keys:write", [...create, 409, 422]],
  listApiKeys: ["GET /v1/api-keys", "api_keys:read", read],
  revokeApiKey: ["DELETE /v1/api-keys/{id}", "api_keys:write", [204, ...changeOne]],
  getAccount: ["GET /v1/account", "any key", read],
  getNoticeUrl: ["GET /v1/account/notices", "admin", readOne],
  setNoticeUrl: ["PUT /v1/account/notices", "admin", [200, 400, 401, 403, 405, 413, 415, 429, 500, 503]],
  removeNoticeUrl: ["DELETE /v1/account/notices", "admin", [204, ...changeOne]],
  testNoticeUrl: ["POST /v1/account/notices/test", "admin", [202, ...changeOne, 409, 422]],
  signIn: ["POST /v1/session", "no key", [204, 400, 401, 403, 405, 409, 413, 415, 429, 500, 503]],
  signOut: ["DELETE /v1/session", "no key", [204, 400, 401, 405, 413, 415, 500, 503]],
  getHealth: ["GET /healthz", "no key", [200, 400, 405, 500]],
  getReadiness: ["GET /readyz", "no key", [200, 400, 405, 500, 503]],
  getPartReadiness: ["GET /readyz/{part}", "no key", [200, 400, 404, 405, 500, 503]]
}

const neededBy = (security: Operation["security"]): string =>
  security.length === 0 ? "no key" : security[0]?.["apiKey"]?.join() || "any key"

const ascending = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

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
  it("has every operation with a stable name, its inputs and each of its responses", () => {
    assert.deepStrictEqual(
      Object.fromEntries(
        operations.map(({ operationId, method, path, security, responses }) => [
          operationId,
          [`${method} ${path}`, neededBy(security), Object.keys(responses).map(Number)]
        ])
      ),
      Object.fromEntries(
        Object.entries(promised).map(([name, [at, needs, answers]]) => [
          name,
          [at, needs, ascending(answers)]
        ])
      ),
      "the published operations differ from `promised` in this file: enter what was added"
    )
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
    assert.notDeepEqual(await lint({ ...document, servers: [] }), [])
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
