/**
 * Rate limits over real HTTP: every response shows them, and exactly as many requests pass as they allow, over all
 * servers. The clock is virtual, so that no minute ends unexpectedly.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RETRY_SECONDS } from "../../../src/http/Gate.ts"
import { ANSWER_MS } from "../../../src/http/guard/AdmissionQueue.ts"
import { rateStandingOf } from "../../../src/http/guard/RateLimits.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import type { Identity } from "../../../src/spine/domain/ApiKey.ts"
import { planLimits } from "../../../src/spine/domain/Plans.ts"
import { type Answer, ApiUnderTest, anotherServer, apiLayer, type Call } from "../../support/http/api.ts"

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const WEBHOOK = "/v1/webhooks/wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"

const standing = ({ headers }: Answer) =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`))

/** A quarter past the next minute; when the minute and the day then end. */
const nextMinute = Effect.gen(function* () {
  const minuteEnd = MINUTE_MS * (Math.floor((yield* Clock.currentTimeMillis) / MINUTE_MS) + 2)
  yield* TestClock.setTime(minuteEnd - 44_750)
  return { minuteEnd, dayEnd: DAY_MS * Math.ceil(minuteEnd / DAY_MS) }
})

/** A key of an account with these limits. */
const limited = Effect.fnUntraced(function* (perMinute: number, perDay: number) {
  const api = yield* ApiUnderTest
  const sql = yield* SqlClient.SqlClient
  const { accountId, key } = yield* api.account()
  yield* sql`
    UPDATE accounts SET requests_per_minute = ${perMinute}, requests_per_day = ${perDay} WHERE id = ${accountId}`
  return { accountId, key }
})

const assertLimited = (answer: Answer, seconds: number) => {
  assert.strictEqual(answer.status, 429)
  assert.deepStrictEqual(answer.body, {
    error: {
      code: "RATE_LIMITED",
      message: `Rate limit exceeded. Retry after ${seconds} seconds.`,
      doc_url: "/docs/errors#rate_limited"
    }
  })
  assert.strictEqual(answer.headers.get("retry-after"), String(seconds))
}

/** Waits, in real time, until some session of the database waits for a lock. */
const someoneWaits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    // Within a transaction pg_stat_activity shows its first snapshot until it is cleared.
    yield* sql`SELECT pg_stat_clear_snapshot()`
    const waiting = yield* sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    if (waiting.length > 0) return
  }
})

describe("the window in the headers", () => {
  const identity: Identity = {
    keyId: "key_1",
    admittedBy: "key 00",
    accountId: "acct_1",
    plan: "builder",
    limits: planLimits.builder,
    environment: "live",
    scopes: []
  }
  /** Uses so far of 10 a minute and 100 a day. */
  const told = (minuteUsed: number, dayUsed: number, admitted: number, index: number, accountUsed = 0) =>
    rateStandingOf(
      {
        identity,
        suspended: false,
        admitted,
        minute: { limit: 10, usedBefore: minuteUsed, endsMs: MINUTE_MS },
        day: { limit: 100, usedBefore: dayUsed, endsMs: DAY_MS },
        account: {
          minute: { limit: 50, usedBefore: accountUsed, endsMs: MINUTE_MS },
          day: { limit: 500, usedBefore: accountUsed, endsMs: DAY_MS }
        }
      },
      index
    )

  const cases: ReadonlyArray<readonly [string, ReturnType<typeof told>, boolean, number, number]> = [
    ["the minute's, when it has fewer left", told(4, 50, 1, 0), true, 10, 5],
    ["the day's, when it has fewer left", told(0, 97, 1, 0), true, 100, 2],
    ["the day's, of equals", told(5, 95, 1, 0), true, 100, 4],
    ["the day's, when both are used up", told(10, 100, 0, 0), false, 100, 0],
    ["with the place of the request in its batch", told(0, 0, 3, 2), true, 10, 7],
    ["with nothing left, for those behind the last that passes", told(7, 0, 3, 4), false, 10, 0],
    ["with nothing less than nothing, when the limit was lowered", told(30, 0, 0, 0), false, 10, 0],
    ["the account's, when it has fewer left", told(0, 0, 1, 0, 47), true, 50, 2],
    ["the key's, if the account has as many left", told(0, 0, 1, 0, 40), true, 10, 9]
  ]
  for (const [name, standing, admitted, limit, remaining] of cases) {
    it(name, () =>
      assert.deepStrictEqual(standing, {
        admitted,
        of: limit === 50 ? "account" : "key",
        per: limit === 100 ? "day" : "minute",
        limit,
        remaining,
        resetMs: limit === 100 ? DAY_MS : MINUTE_MS
      })
    )
  }
})

const get = (key: string, path = "/v1/webhooks") =>
  Effect.flatMap(ApiUnderTest, (api) => api.call("GET", path, { key }))

layer(apiLayer())("rate limits", (it) => {
  const text = { "content-type": "text/plain" }
  const answers: ReadonlyArray<readonly [number, string, string, Call?]> = [
    [200, "GET", "/v1/webhooks"],
    [200, "HEAD", "/v1/webhooks"],
    [400, "GET", "/v1/webhooks?limit=0"],
    [404, "GET", "/v1/nothing"],
    [404, "GET", WEBHOOK],
    [405, "PUT", "/v1/webhooks"],
    [413, "POST", "/v1/webhooks", { body: "x".repeat(Limits.requestBodyBytes + 1) }],
    [415, "POST", "/v1/webhooks", { body: "{}", headers: text }]
  ]

  for (const [status, method, path, call] of answers) {
    it.effect(`${status}: ${method} ${path} counts, and shows the requests left`, () =>
      Effect.gen(function* () {
        const { minuteEnd } = yield* nextMinute
        const api = yield* ApiUnderTest
        const { key } = yield* limited(10, 1_000)
        yield* get(key)
        const answer = yield* api.call(method, path, { key, ...call })
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(standing(answer), ["10", "8", String(minuteEnd / 1_000)])
      })
    )
  }

  it.effect("403, 500 and 503 have the headers too; responses without a valid key do not", () =>
    Effect.gen(function* () {
      const { minuteEnd } = yield* nextMinute
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { accountId } = yield* limited(10, 1_000)
      const expected = ["10", "9", String(minuteEnd / 1_000)]
      const reader = yield* api.keyFor(accountId, "live", ["events:read"])
      const forbidden = yield* get(reader)
      assert.deepStrictEqual([forbidden.status, standing(forbidden)], [403, expected])

      const failing = yield* api.keyFor(accountId, "live")
      yield* sql`ALTER TABLE webhooks RENAME TO webhooks_elsewhere`
      const failed = yield* get(failing)
      yield* sql`ALTER TABLE webhooks_elsewhere RENAME TO webhooks`
      assert.deepStrictEqual([failed.status, standing(failed)], [500, expected])

      const maker = yield* api.keyFor(accountId, "live")
      yield* sql`
        CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''57P03''; END'`
      yield* sql`CREATE TRIGGER stop BEFORE INSERT ON api_keys EXECUTE FUNCTION stop()`
      const away = yield* api.call("POST", "/v1/api-keys", {
        key: maker,
        body: { name: "x", scopes: ["admin"] }
      })
      yield* sql`DROP FUNCTION stop CASCADE`
      assert.deepStrictEqual([away.status, standing(away)], [503, expected])
      assert.strictEqual(away.headers.get("retry-after"), String(RETRY_SECONDS))

      for (const answer of [yield* api.call("GET", "/healthz"), yield* get("svc_live_unknown")]) {
        assert.deepStrictEqual(standing(answer), [null, null, null])
      }
    })
  )

  it.effect("counts down to a 429 with Retry-After, and does not count refused requests", () =>
    Effect.gen(function* () {
      const { minuteEnd } = yield* nextMinute
      const { key } = yield* limited(3, 1_000)
      for (const left of ["2", "1", "0"]) {
        const answer = yield* get(key)
        assert.deepStrictEqual([answer.status, standing(answer)[1]], [200, left])
      }
      for (const path of ["/v1/webhooks", "/v1/nothing", "/v1/webhooks"]) {
        const answer = yield* get(key, path)
        // 44.75 s are left of the minute.
        assertLimited(answer, 45)
        assert.deepStrictEqual(standing(answer), ["3", "0", String(minuteEnd / 1_000)])
      }
      yield* TestClock.setTime(minuteEnd - 1)
      assertLimited(yield* get(key), 1)
      yield* TestClock.setTime(minuteEnd)
      const answer = yield* get(key)
      assert.deepStrictEqual(
        [answer.status, ...standing(answer)],
        [200, "3", "2", String(minuteEnd / 1_000 + 60)]
      )
    })
  )

  it.effect("keys that are made, used and revoked do not get an account beyond its own windows", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const api = yield* ApiUnderTest
      const { key } = yield* api.account("live", "developer")
      const statuses: Array<number> = []
      const refusals: Array<Answer> = []
      for (let i = 0; i < 8; i++) {
        const made = yield* api.call("POST", "/v1/api-keys", { key, body: { name: "x", scopes: ["admin"] } })
        if (made.status !== 201) break
        const answers = yield* Effect.all(
          Array.from({ length: 60 }, () => get(made.body.key, "/v1/nothing")),
          { concurrency: 10 }
        )
        statuses.push(...answers.map(({ status }) => status))
        refusals.push(...answers.filter(({ status }) => status === 429))
        yield* api.call("DELETE", `/v1/api-keys/${made.body.id}`, { key })
      }
      // The plan allows 5 keys with 60 requests each. The first key makes and revokes the others.
      assert.isAtMost(statuses.filter((status) => status === 404).length, 300)
      const [refused] = refusals
      assert.strictEqual(
        refused?.body.error.message,
        "Rate limit exceeded. Retry after 45 seconds. All keys of this account together may make 300 requests a minute."
      )
      assert.deepStrictEqual(standing(refused!).slice(0, 2), ["300", "0"])
    })
  )

  it.effect("each key has windows of its own", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* limited(1, 1)
      const other = yield* api.keyFor(accountId, "live")
      assert.strictEqual((yield* get(key)).status, 200)
      assert.strictEqual((yield* get(other)).status, 200)
      assert.strictEqual((yield* get(key)).status, 429)
    })
  )

  it.effect("admits exactly as many concurrent requests to two servers as the limit allows", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const LIMIT = 100
      const one = yield* ApiUnderTest
      const two = yield* anotherServer
      const { key } = yield* limited(LIMIT, 1_000)
      const all = yield* Effect.all(
        Array.from({ length: 150 }, (_, i) =>
          (i % 2 === 0 ? one : two).call("GET", i % 3 === 0 ? "/v1/nothing" : "/v1/account", { key })
        ),
        { concurrency: "unbounded" }
      )
      const passed = all.filter(({ status }) => status !== 429)
      assert.strictEqual(passed.length, LIMIT)
      assert.deepStrictEqual(
        passed.map((answer) => Number(standing(answer)[1])).toSorted((a, b) => a - b),
        Array.from({ length: LIMIT }, (_, i) => i)
      )
      for (const answer of all.filter(({ status }) => status === 429)) {
        assertLimited(answer, 45)
        assert.strictEqual(standing(answer)[1], "0")
      }
    })
  )

  it.effect("answers 503 if the database hangs, and serves the next request", () =>
    Effect.gen(function* () {
      yield* nextMinute
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* limited(10, 10)
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT 1 FROM key_usage FOR UPDATE`
          const asked = yield* Effect.forkChild(
            Effect.all([get(key), get(key), get(key)], { concurrency: "unbounded" })
          )
          // Requests that came too late for the first statement wait for the next.
          const timePasses = Effect.andThen(someoneWaits, TestClock.adjust(ANSWER_MS))
          return yield* Effect.raceFirst(Fiber.join(asked), Effect.forever(timePasses))
        })
      )
      for (const { status } of waiting) assert.strictEqual(status, 503)
      const answer = yield* get(key)
      assert.deepStrictEqual([answer.status, standing(answer)[1]], [200, "9"])
    })
  )
})

/** A service of its own that begins just before a day's end: what it does each second costs most of the time until then. */
const lateInTheDay = Layer.effectDiscard(TestClock.setTime(DAY_MS - 3 * MINUTE_MS))

it.effect("shows the window with fewer requests left: the day's when its limit is nearly reached", () =>
  Effect.gen(function* () {
    const { minuteEnd, dayEnd } = yield* nextMinute
    const { key } = yield* limited(3, 4)
    const seen = [yield* get(key), yield* get(key), yield* get(key)].map(standing)
    assert.deepStrictEqual(
      seen.map(([limit]) => limit),
      ["3", "3", "3"]
    )
    yield* TestClock.setTime(minuteEnd)
    assert.deepStrictEqual(standing(yield* get(key)), ["4", "0", String(dayEnd / 1_000)])
    assertLimited(yield* get(key), (dayEnd - minuteEnd) / 1_000)
    yield* TestClock.setTime(dayEnd)
    assert.strictEqual((yield* get(key)).status, 200)
  }).pipe(Effect.provide(Layer.provide(apiLayer(), lateInTheDay)))
)
