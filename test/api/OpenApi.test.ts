/** The OpenAPI document says what is really there: paths, the key, bodies, and how each thing fails. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer } from "../support/api.ts"

const operations = {
  "get /v1/webhooks": [200, 400, 401, 403, 429, 500, 503],
  "post /v1/webhooks": [201, 400, 401, 403, 413, 415, 429, 500, 503],
  "get /v1/webhooks/{id}": [200, 400, 401, 403, 404, 429, 500, 503],
  "patch /v1/webhooks/{id}": [200, 400, 401, 403, 404, 413, 415, 429, 500, 503],
  "delete /v1/webhooks/{id}": [204, 400, 401, 403, 404, 429, 500, 503],
  "post /v1/webhooks/{id}/rotate-secret": [200, 400, 401, 403, 404, 413, 415, 429, 500, 503],
  "post /v1/webhooks/{id}/test": [202, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
  "get /v1/deliveries": [200, 400, 401, 403, 429, 500, 503],
  "get /v1/deliveries/stats": [200, 400, 401, 403, 429, 500, 503],
  "get /v1/deliveries/{id}": [200, 400, 401, 403, 404, 429, 500, 503],
  "post /v1/deliveries/{id}/retry": [200, 400, 401, 403, 404, 409, 429, 500, 503],
  "get /v1/events": [200, 400, 401, 403, 429, 500, 503],
  "get /v1/events/{event_id}": [200, 400, 401, 403, 404, 429, 500, 503],
  "get /v1/ledgers/coverage": [200, 400, 401, 403, 429, 500, 503],
  "post /v1/api-keys": [201, 400, 401, 403, 413, 415, 429, 500, 503],
  "get /v1/api-keys": [200, 400, 401, 403, 429, 500, 503],
  "delete /v1/api-keys/{id}": [204, 400, 401, 403, 404, 429, 500, 503],
  "get /v1/account": [200, 400, 401, 403, 429, 500, 503],
  "get /healthz": [200, 400, 500, 503],
  "get /readyz": [200, 400, 500, 503]
}

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema: unknown }> }>
  readonly security: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<{ name: string; schema: unknown }>
  readonly requestBody?: unknown
}

layer(apiLayer(), { excludeTestServices: true })("openapi", (it) => {
  const document = Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const answer = yield* api.call("GET", "/openapi.json")
    assert.strictEqual(answer.status, 200)
    const paths = answer.body.paths as Record<string, Record<string, Operation>>
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const)
    )
    return { document: answer.body, found: new Map(found) }
  })

  it.effect("has every operation with each of its answers", () =>
    Effect.gen(function* () {
      const { found } = yield* document
      assert.deepStrictEqual(
        Object.fromEntries(
          [...found].map(([name, { responses }]) => [name, Object.keys(responses).map(Number)])
        ),
        operations
      )
    })
  )

  it.effect("asks for the key where it is needed, and nowhere else", () =>
    Effect.gen(function* () {
      const { document: doc, found } = yield* document
      assert.deepStrictEqual(doc.components.securitySchemes, {
        apiKey: { type: "apiKey", name: "X-Service-Key", in: "header" }
      })
      for (const [name, { security }] of found) {
        assert.deepStrictEqual(security, name.includes("/v1/") ? [{ apiKey: [] }] : [], name)
      }
    })
  )

  it.effect("shows the error body with its codes, and a number where a number is meant", () =>
    Effect.gen(function* () {
      const { document: doc, found } = yield* document
      const retry = found.get("post /v1/deliveries/{id}/retry")!
      assert.deepStrictEqual(retry.responses["409"]?.content?.["application/json"]?.schema, {
        $ref: "#/components/schemas/Conflict"
      })
      const { error } = doc.components.schemas.Conflict.properties
      assert.deepStrictEqual(error.properties.code.enum, ["DELIVERY_NOT_FAILED", "WEBHOOK_DISABLED"])
      assert.deepStrictEqual(doc.components.schemas.Conflict.required, ["error"])
      const limit = found.get("get /v1/deliveries")!.parameters.find(({ name }) => name === "limit")
      assert.deepStrictEqual(limit?.schema, { type: "integer", minimum: 1, maximum: 100, default: 20 })
      assert.isFalse(doc.components.schemas.NewWebhook.additionalProperties)
      assert.deepStrictEqual(found.get("post /v1/webhooks/{id}/rotate-secret")!.requestBody, {
        required: false,
        content: { "application/json": { schema: { $ref: "#/components/schemas/SecretRotation" } } }
      })
      assert.containsAllKeys(doc.components.schemas.SecretRotation.properties, ["grace_seconds"])
    })
  )
})
