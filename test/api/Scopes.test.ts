/** A key does what its scopes say and nothing else; the message names the scope that is missing. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../../src/api/Contract.ts"
import { RequiredScope } from "../../src/api/contract/Common.ts"
import { Limits } from "../../src/config/Limits.ts"
import { type Scope, scopes } from "../../src/domain/ApiKey.ts"
import { ApiUnderTest, apiLayer } from "../support/api.ts"

/** What the specification grants to whom; null: any key. */
const table: Readonly<Record<string, Scope | null>> = {
  "GET /v1/webhooks": "webhooks:read",
  "GET /v1/webhooks/:id": "webhooks:read",
  "POST /v1/webhooks": "webhooks:write",
  "PATCH /v1/webhooks/:id": "webhooks:write",
  "DELETE /v1/webhooks/:id": "webhooks:write",
  "POST /v1/webhooks/:id/rotate-secret": "webhooks:write",
  "POST /v1/webhooks/:id/test": "webhooks:write",
  "GET /v1/deliveries": "deliveries:read",
  "GET /v1/deliveries/stats": "deliveries:read",
  "GET /v1/deliveries/:id": "deliveries:read",
  "POST /v1/deliveries/:id/retry": "deliveries:write",
  "POST /v1/replay": "deliveries:write",
  "GET /v1/replay": "deliveries:read",
  "GET /v1/replay/:job_id": "deliveries:read",
  "DELETE /v1/replay/:job_id": "deliveries:write",
  "GET /v1/events": "events:read",
  "GET /v1/events/:event_id": "events:read",
  "GET /v1/ledgers/coverage": "events:read",
  "POST /v1/api-keys": "api_keys:write",
  "GET /v1/api-keys": "api_keys:read",
  "DELETE /v1/api-keys/:id": "api_keys:write",
  "GET /v1/account": null
}

const annotated: Record<string, Scope | null> = {}
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, mergedAnnotations }) => {
    if (!endpoint.path.startsWith("/v1/")) return
    const name = `${endpoint.method} ${endpoint.path}`
    annotated[name] = mergedAnnotations.mapUnsafe.has(RequiredScope.key)
      ? mergedAnnotations.mapUnsafe.get(RequiredScope.key)
      : null
  }
})

const pathOf = (template: string) => template.replace(/:\w+/, "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE")

describe("contract", () => {
  it("names the scope of every endpoint as the specification does", () => {
    assert.deepStrictEqual(annotated, table)
  })
})

layer(apiLayer(), { excludeTestServices: true })("scopes", (it) => {
  for (const [name, needed] of Object.entries(annotated)) {
    it.effect(`${name} takes ${needed ?? "any key"}`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { accountId } = yield* api.account()
        const [method = "", template = ""] = name.split(" ")
        for (const scope of scopes) {
          const key = yield* api.keyFor(accountId, "live", [scope])
          const { status, body } = yield* api.call(method, pathOf(template), { key })
          if (needed === null || scope === needed || scope === "admin") {
            assert.notInclude([401, 403, 404, 405], status === 404 && template.includes(":") ? 0 : status)
          } else {
            assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
            assert.include(body.error.message, needed)
          }
        }
      })
    )
  }

  it.effect("a scope is missed after the path and the method, and before the body is looked at", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId } = yield* api.account()
      const key = yield* api.keyFor(accountId, "live", ["events:read"])
      const status = (method: string, path: string, call: object = {}) =>
        Effect.map(api.call(method, path, { key, ...call }), (answer) => answer.status)
      assert.strictEqual(yield* status("GET", "/v1/nothing"), 404)
      assert.strictEqual(yield* status("PUT", "/v1/webhooks"), 405)
      assert.strictEqual(yield* status("OPTIONS", "/v1/webhooks"), 204)
      assert.strictEqual(yield* status("HEAD", "/v1/webhooks"), 403)
      const large = {
        body: "x".repeat(Limits.requestBodyBytes + 1),
        headers: { "content-type": "text/plain" }
      }
      assert.strictEqual(yield* status("POST", "/v1/webhooks", large), 403)
      assert.strictEqual(yield* status("GET", "/v1/webhooks?x=1"), 403)
      assert.strictEqual(yield* status("GET", "/v1/webhooks/wrong"), 403)
    })
  )

  it.effect("a key with several scopes has each of them", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId } = yield* api.account()
      const key = yield* api.keyFor(accountId, "test", ["webhooks:read", "deliveries:read"])
      for (const path of ["/v1/webhooks", "/v1/deliveries"]) {
        assert.strictEqual((yield* api.call("GET", path, { key })).status, 200)
      }
    })
  )

  it.effect("a suspended account's keys may do nothing until it is no longer suspended", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { accountId, key } = yield* api.account()
      yield* sql`UPDATE accounts SET suspended_at = now() WHERE id = ${accountId}`
      for (const path of ["/v1/webhooks", "/v1/account"]) {
        const { status, body } = yield* api.call("GET", path, { key })
        assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
        assert.match(body.error.message, /^This account is suspended; /)
      }
      yield* sql`UPDATE accounts SET suspended_at = NULL WHERE id = ${accountId}`
      assert.strictEqual((yield* api.call("GET", "/v1/webhooks", { key })).status, 200)
    })
  )
})
