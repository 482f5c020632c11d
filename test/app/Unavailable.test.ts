/** If a store is unavailable, responses are 503 with Retry-After. The first request after it is back is served. */

import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operateLimits } from "../../src/features/operate/Limits.ts"
import { READY_CHECK_EVERY_MS } from "../../src/features/operate/SystemHandlers.ts"
import { orUnavailable } from "../../src/http/StoreFailures.ts"
import { Limits } from "../../src/spine/config/Limits.ts"
import { LogError } from "../../src/spine/log/Log.ts"
import { Health, STEADY_MS } from "../../src/spine/observe/Health.ts"
import { ApiUnderTest, apiLayer } from "../support/http/api.ts"
import { mismatches, operations } from "../support/http/openApi.ts"

const cutDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE pg_database SET datallowconn = false WHERE datname = current_database()`
  yield* Effect.exit(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() ORDER BY pid = pg_backend_pid()`)
})

/** A monotonic clock that the test sets forward. */
const settableClock = Effect.map(Clock.Clock, (real) => {
  let aheadMs = 0
  const clock: Clock.Clock = Object.assign(Object.create(real), {
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe() + BigInt(aheadMs) * 1_000_000n
  })
  const forward = (ms: number) =>
    Effect.sync(() => {
      aheadMs += ms
    })
  return { clock, forward }
})

describe("unavailable", () => {
  it.live("answers 503 while the database is unavailable", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      yield* cutDatabase
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
      const away = new LogError({ operation: "read", topic: "test", cause: "away" })
      const error = yield* Effect.flip(orUnavailable(Effect.fail(away)))
      assert.strictEqual(error.error.code, "UNAVAILABLE")
    }).pipe(Effect.provide(Layer.empty))
  )

  it.live("takes the API out of a load balancer for its own faults, and for a database that stays away", () =>
    Effect.gen(function* () {
      const { clock, forward } = yield* settableClock
      yield* Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { set } = yield* Health
        const traffic = Effect.map(api.call("GET", "/readyz/traffic"), ({ body, status }) => [
          status,
          body.parts.traffic.detail
        ])
        const takes = [200, "takes requests"]

        yield* set("start", { status: "starting", detail: "is being started" })
        assert.deepStrictEqual(yield* traffic, [503, "is being started"])
        yield* set("start", { status: "ok", detail: "every part has been started" })
        assert.deepStrictEqual(yield* traffic, takes)

        for (const part of ["log", "mail", "ledger.mainnet", "deliver"])
          yield* set(part, { status: "failed", detail: "failed" })
        yield* forward(Limits.troubleMs)
        assert.deepStrictEqual(yield* traffic, takes, "deliver may fail because of the log")
        yield* set("log", { status: "ok", detail: "answers" })
        yield* forward(Limits.troubleMs)
        const [status, detail] = yield* traffic
        assert.strictEqual(status, 503)
        assert.match(detail, /^the role deliver has failed for 12\d s/)
        const ready = yield* api.call("GET", "/readyz")
        assert.notProperty(ready.body.parts, "traffic")
        yield* set("deliver", { status: "ok", detail: "running" })
        yield* forward(STEADY_MS)
        assert.deepStrictEqual(yield* traffic, takes)

        yield* cutDatabase
        yield* forward(READY_CHECK_EVERY_MS)
        assert.deepStrictEqual(yield* traffic, takes)
        yield* forward(operateLimits.databaseFailedMs)
        assert.deepStrictEqual(yield* traffic, [503, "the database has not answered for 10 s"])
      }).pipe(Effect.provide(apiLayer()), Effect.provideService(Clock.Clock, clock))
    })
  )
})
