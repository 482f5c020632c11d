/** If a store is unavailable, responses are 503 with Retry-After. The first request after it is back is served. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../../src/api/Failures.ts"
import { EventLogError } from "../../src/log/EventLog.ts"
import { ApiUnderTest, apiLayer } from "../support/api.ts"
import { mismatches, operations } from "../support/openApi.ts"

describe("unavailable", () => {
  it.live("answers 503 while the database is unavailable", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account()
      const refuse = sql`
        UPDATE pg_database SET datallowconn = false WHERE datname = current_database()`
      const cutAll = sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() ORDER BY pid = pg_backend_pid()`
      yield* refuse
      yield* Effect.exit(cutAll)
      for (const path of ["/v1/webhooks", "/v1/nothing"]) {
        const answer = yield* api.call("GET", path, { key })
        assert.strictEqual(answer.status, 503, answer.text)
        assert.deepStrictEqual(Object.keys(answer.body), ["error"])
        assert.strictEqual(answer.body.error.code, "UNAVAILABLE")
        assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
      }
      for (const operation of operations.filter(({ security }) => security.length > 0)) {
        const { method, path } = operation
        const answer = yield* api.call(method, path, { key })
        assert.strictEqual(answer.status, 503, answer.text)
        assert.deepStrictEqual(mismatches(operation, answer), [], `${method} ${path}`)
      }
      const ready = yield* api.call("GET", "/readyz")
      assert.strictEqual(ready.status, 503)
      assert.strictEqual(ready.body.parts.database.status, "failed")
      assert.strictEqual((yield* api.call("GET", "/healthz")).status, 200)
    }).pipe(Effect.provide(apiLayer()))
  )

  it.effect("answers 503 while the log is unavailable", () =>
    Effect.gen(function* () {
      const away = new EventLogError({ operation: "read", topic: "test", cause: "away" })
      const error = yield* Effect.flip(orUnavailable(Effect.fail(away)))
      assert.strictEqual(error.error.code, "UNAVAILABLE")
    }).pipe(Effect.provide(Layer.empty))
  )
})
