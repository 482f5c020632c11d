/** `Authorization: Bearer` is `X-Service-Key` by another name: the same keys, limits and refusals. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { operations } from "../support/http/openApi.ts"

const keyed = operations.filter(({ security }) => security.length > 0)
const idsIn = (path: string): string => path.replaceAll(/\{\w+\}/g, "none")

layer(apiLayer(), { excludeTestServices: true })("Authorization: Bearer", (it) => {
  for (const { method, path } of keyed) {
    it.effect(`${method} ${path} accepts a valid key and no other`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account()
        const call = (authorization: string) =>
          api.call(method, idsIn(path), {
            headers: { authorization },
            ...(method === "GET" ? {} : { body: {} })
          })
        assert.notInclude([401, 403], (yield* call(`Bearer ${key}`)).status)
        for (const wrong of [`Bearer ${key}x`, `Basic ${key}`, "Bearer", key]) {
          const { body, headers, status } = yield* call(wrong)
          assert.deepStrictEqual([status, body.error.code], [401, "UNAUTHORIZED"])
          assert.strictEqual(headers.get("www-authenticate"), 'Bearer realm="ledgerhook"')
        }
      })
    )
  }

  it.effect("counts against the same limits, whatever the spelling of the scheme", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account("live", "developer")
      const left = (headers: Readonly<Record<string, string>>) =>
        Effect.map(api.call("GET", "/v1/account", { headers }), ({ headers, status }) => [
          status,
          Number(headers.get("x-ratelimit-remaining"))
        ])
      assert.deepStrictEqual(yield* left({ "x-service-key": key }), [200, 59])
      assert.deepStrictEqual(yield* left({ authorization: `bearer ${key}` }), [200, 58])
      assert.deepStrictEqual(
        yield* left({ authorization: `BEARER  ${key}`, "x-service-key": key }),
        [200, 57]
      )
      assert.deepStrictEqual(yield* left({ authorization: `Bearer ${key}`, "x-service-key": "" }), [200, 56])
      // Credentials for a proxy in front of the service.
      assert.deepStrictEqual(yield* left({ authorization: "Basic eDp5", "x-service-key": key }), [200, 55])
    })
  )

  it.effect("must not name another key than X-Service-Key", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const headers = { authorization: `Bearer ${yield* api.keyFor(accountId, "live")}` }
      const { body, status } = yield* api.call("GET", "/v1/account", { key, headers })
      assert.deepStrictEqual([status, body.error.code], [401, "UNAUTHORIZED"])
      assert.include(body.error.message, "X-Service-Key and Authorization")
    })
  )
})
