/** What the requests of one account use of a process is bounded, and others do not wait for them. */

import { assert, describe, it, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { change } from "../../../src/http/Change.ts"
import { makeAccountRequests } from "../../../src/http/guard/AccountRequests.ts"
import { makeTurns } from "../../../src/http/guard/Turns.ts"
import { Idempotency } from "../../../src/http/Idempotency.ts"
import { httpLimits } from "../../../src/http/Limits.ts"
import type { Identity } from "../../../src/spine/domain/ApiKey.ts"
import { planLimits } from "../../../src/spine/domain/Plans.ts"
import { ForRequest } from "../../../src/spine/store/ForRequest.ts"
import { ApiUnderTest, apiLayer, storesLayer } from "../../support/http/api.ts"

describe("turns of an account", () => {
  it.effect("let so many run at once, the others in order, and do not delay another account", () =>
    Effect.gen(function* () {
      const turns = makeTurns(2)
      const end = Latch.makeUnsafe()
      const began: Array<string> = []
      const run = (accountId: string, name: string) =>
        Effect.forkChild(
          turns.run(
            accountId,
            Effect.andThen(
              Effect.sync(() => began.push(name)),
              Latch.await(end)
            )
          ),
          { startImmediately: true }
        )
      const fibers = [
        yield* run("a", "a1"),
        yield* run("a", "a2"),
        yield* run("a", "a3"),
        yield* run("a", "a4")
      ]
      fibers.push(yield* run("b", "b1"))
      assert.deepStrictEqual(began, ["a1", "a2", "b1"])
      assert.deepStrictEqual([turns.users("a"), turns.users("b")], [4, 1])
      yield* Fiber.interrupt(fibers[2]!)
      assert.strictEqual(turns.users("a"), 3)
      end.openUnsafe()
      yield* Effect.forEach([fibers[0]!, fibers[1]!, fibers[3]!, fibers[4]!], Fiber.join)
      assert.deepStrictEqual(began, ["a1", "a2", "b1", "a4"])
      assert.deepStrictEqual([turns.users("a"), turns.users("b")], [0, 0])
    })
  )

  it.effect("refuse what is beyond the waiting ones, and mark what runs as a request", () =>
    Effect.gen(function* () {
      const inTurn = makeAccountRequests()
      const refused = Effect.succeed("refused")
      const { atOnce, waiting } = httpLimits.accountRequests
      const fibers = yield* Effect.forEach(Array.from({ length: atOnce + waiting }), () =>
        Effect.forkChild(inTurn("a", Effect.never, refused), { startImmediately: true })
      )
      assert.isTrue(fibers.every((fiber) => fiber.pollUnsafe() === undefined))
      assert.strictEqual(yield* inTurn("a", Effect.succeed("run"), refused), "refused")
      assert.strictEqual(yield* inTurn("b", Effect.succeed("run"), refused), "run")
      assert.isTrue(yield* inTurn("b", ForRequest, Effect.succeed(false)))
      assert.isFalse(yield* ForRequest)
    })
  )
})

layer(
  storesLayer().pipe((stores) => Layer.provideMerge(Idempotency.layer, stores)),
  {
    excludeTestServices: true
  }
)("a request with an Idempotency-Key", (it) => {
  it.effect("waits for other things outside its transaction, which holds no connection meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* Idempotency
      const caller: Identity = {
        keyId: "key_1",
        admittedBy: "key 00",
        accountId: "acct_1",
        plan: "builder",
        limits: planLimits.builder,
        environment: "live",
        scopes: ["admin"]
      }
      yield* sql`INSERT INTO accounts (id, name, plan, created_at) VALUES ('acct_1', 'test', 'builder', now())`
      const ready = Latch.makeUnsafe()
      const handler = Effect.gen(function* () {
        yield* Latch.await(ready)
        yield* Effect.orDie(change(sql`UPDATE accounts SET name = 'changed' WHERE id = 'acct_1'`))
        return HttpServerResponse.jsonUnsafe({ done: true })
      })
      const refuse = () => HttpServerResponse.empty({ status: 409 })
      // More than the database has connections for.
      const running = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, i) => i),
        (i) => {
          const request = HttpServerRequest.fromWeb(
            new Request("http://a/v1/x", { method: "POST", headers: { "idempotency-key": `${i}` } })
          )
          return Effect.forkChild(run(request, caller, handler, refuse), { startImmediately: true })
        }
      )
      const open = sql<{ readonly state: string }>`
        SELECT state FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'`
      for (let i = 0; i < 20; i++) assert.deepStrictEqual(yield* open, [])
      ready.openUnsafe()
      for (const fiber of running) assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
      const [row] = yield* sql<{ readonly kept: number; readonly name: string }>`
        SELECT count(*)::int AS kept, min(name) AS name FROM idempotency_answers JOIN accounts ON accounts.id = account_id`
      assert.deepStrictEqual(row, { kept: 30, name: "changed" })
    })
  )
})

layer(apiLayer(), { excludeTestServices: true })("a key that has used up its requests", (it) => {
  it.effect("gets its 429 a few at a time, after other work", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { accountId, key } = yield* api.account()
      const other = yield* api.account()
      yield* sql`UPDATE accounts SET requests_per_day = 0 WHERE id = ${accountId}`
      const timeOf = Effect.fnUntraced(function* (ofKey: string, status: number) {
        const ask = Effect.map(api.call("GET", "/v1/nothing", { key: ofKey }), (answer) =>
          assert.strictEqual(answer.status, status)
        )
        const all = Effect.all(
          Array.from({ length: 100 }, () => ask),
          { concurrency: 30 }
        )
        return Duration.toMillis((yield* Effect.timed(all))[0])
      })
      yield* timeOf(other.key, 404)
      const [acceptedMs, rejectedMs] = [yield* timeOf(other.key, 404), yield* timeOf(key, 429)]
      assert.isAbove(rejectedMs, 2 * acceptedMs)
    })
  )
})
