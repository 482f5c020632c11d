/** When scopes are checked, and keys with several scopes. Matrix.test.ts tries every operation with every scope. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../src/spine/config/Limits.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"

layer(apiLayer(), { excludeTestServices: true })("scopes", (it) => {
  it.effect("a missing scope is reported after a wrong path or method, and before the body is read", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId } = yield* api.account()
      const key = yield* api.keyFor(accountId, "live", ["events:read"])
      const status = (method: string, path: string, call: object = {}) =>
        Effect.map(api.call(method, path, { key, ...call }), (answer) => answer.status)
      assert.strictEqual(yield* status("GET", "/v1/nothing"), 404)
      assert.strictEqual(yield* status("PUT", "/v1/webhooks"), 405)
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
