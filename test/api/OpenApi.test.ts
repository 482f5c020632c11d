/** The OpenAPI document is complete: every operation with each of its answers, told in words and shown by examples. */

import { assert, describe, it, layer } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Effect } from "effect"
import { openApiDocument } from "../../src/api/Contract.ts"
import { statusOf } from "../../src/api/Errors.ts"
import { exampleOf } from "../../src/api/OpenApiSchemas.ts"
import { scopes } from "../../src/domain/ApiKey.ts"
import type { Json } from "../../src/domain/Ledger.ts"
import { isJsonObject } from "../../src/domain/NormaliseLedger.ts"
import { ApiUnderTest, apiLayer } from "../support/api.ts"
import { complaints, document, examplesOf, operations } from "../support/openApi.ts"

const read = [200, 400, 401, 403, 405, 429, 500, 503]
const readOne = [200, 400, 401, 403, 404, 405, 429, 500, 503]
const changeOne = [400, 401, 403, 404, 405, 413, 415, 429, 500, 503]
const create = [201, 400, 401, 403, 405, 413, 415, 429, 500, 503]

/** By the name that a generated client has for it: stable. */
const promised: Readonly<Record<string, readonly [operation: string, answers: ReadonlyArray<number>]>> = {
  createWebhook: ["POST /v1/webhooks", [...create, 409]],
  listWebhooks: ["GET /v1/webhooks", read],
  getWebhook: ["GET /v1/webhooks/{id}", readOne],
  changeWebhook: ["PATCH /v1/webhooks/{id}", [200, ...changeOne, 409]],
  deleteWebhook: ["DELETE /v1/webhooks/{id}", [204, ...changeOne]],
  rotateWebhookSecret: ["POST /v1/webhooks/{id}/rotate-secret", [200, ...changeOne]],
  testWebhook: ["POST /v1/webhooks/{id}/test", [202, ...changeOne, 409]],
  listDeliveries: ["GET /v1/deliveries", read],
  getDeliveryStats: ["GET /v1/deliveries/stats", read],
  getDelivery: ["GET /v1/deliveries/{id}", readOne],
  retryDelivery: ["POST /v1/deliveries/{id}/retry", [200, ...changeOne, 402, 409]],
  createReplayJob: ["POST /v1/replay", [202, ...changeOne, 402, 409]],
  listReplayJobs: ["GET /v1/replay", read],
  getReplayJob: ["GET /v1/replay/{job_id}", readOne],
  cancelReplayJob: ["DELETE /v1/replay/{job_id}", [200, ...changeOne, 409]],
  listEvents: ["GET /v1/events", read],
  getEvent: ["GET /v1/events/{event_id}", readOne],
  getLedgerCoverage: ["GET /v1/ledgers/coverage", read],
  createApiKey: ["POST /v1/api-keys", [...create, 409]],
  listApiKeys: ["GET /v1/api-keys", read],
  revokeApiKey: ["DELETE /v1/api-keys/{id}", [204, ...changeOne]],
  getAccount: ["GET /v1/account", read],
  getHealth: ["GET /healthz", [200, 400, 405, 500]],
  getReadiness: ["GET /readyz", [200, 400, 405, 500, 503]]
}

const ascending = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

/** Every schema that describes a value, by its place. */
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
  it("has every operation by a stable name, with each of its answers", () => {
    assert.deepStrictEqual(
      Object.fromEntries(
        operations.map(({ operationId, method, path, responses }) => [
          operationId,
          [`${method} ${path}`, Object.keys(responses).map(Number)]
        ])
      ),
      Object.fromEntries(
        Object.entries(promised).map(([name, [at, answers]]) => [name, [at, ascending(answers)]])
      )
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

  it("asks for the key where it is needed, and names the scope", () => {
    assert.deepInclude(document.components.securitySchemes.apiKey, {
      type: "apiKey",
      name: "X-Service-Key",
      in: "header"
    })
    for (const { path, security, description, operationId } of operations) {
      if (!path.startsWith("/v1/")) {
        assert.deepStrictEqual(security, [], path)
        continue
      }
      const [scope] = security[0]!.apiKey
      assert.deepStrictEqual(security, [{ apiKey: scope === undefined ? [] : [scope] }])
      if (scope === undefined) assert.strictEqual(operationId, "getAccount")
      else assert.isTrue(scopes.some((one) => one === scope) && description.includes(`\`${scope}\``), path)
    }
  })

  it("says of every operation, parameter, answer, schema and field what it is", () => {
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

  it("shows every parameter and body by an example that its schema accepts", () => {
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

  it("has each code of failure with the status it comes with, and no other", () => {
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

  it("has numbers and booleans in queries, bounds in bodies, and tells which body may be left out", () => {
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
      ["rotateWebhookSecret"]
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
})
