/**
 * `GET /v1/webhooks?stats=…` adds counts of deliveries. test/features/statistics/DeliveryStats.test.ts checks the
 * counts.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

layer(apiLayer(), { excludeTestServices: true })("the statistics of a list of webhooks", (it) => {
  it.effect("are there for each webhook of the page, if they are asked for", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account()
      const webhook = { url: "https://example.com/hook", event_types: ["*"] }
      const [quiet, busy] = yield* Effect.replicateEffect(
        Effect.map(api.call("POST", "/v1/webhooks", { key, body: webhook }), ({ body }) => body.id),
        2
      )
      const sendTest = Effect.map(
        api.call("POST", `/v1/webhooks/${busy}/test`, { key, body: { event_type: "payment.xrp" } }),
        ({ body }) => body.delivery_id
      )
      const [delivered, also, failed] = yield* Effect.replicateEffect(sendTest, 4)
      yield* sql`UPDATE deliveries SET status = 'delivered', attempts = 1 WHERE id IN (${delivered}, ${also})`
      yield* sql`
        UPDATE deliveries SET status = 'failed', attempts = 10, response_status = 503, last_error = 'HTTP 503',
               updated_at = updated_at + interval '1 minute' WHERE id = ${failed}`
      const { body } = yield* api.call("GET", "/v1/webhooks?stats=24h", { key })
      const statsOf = (id: string) => body.data.find((one: { id: string }) => one.id === id).stats
      const { attempts, last_answer, p50_ms, p99_ms, ...counts } = statsOf(busy)
      // Test events are no attempts of the webhook, and do not make it wait.
      assert.deepStrictEqual(counts, {
        delivered: 2,
        failed: 1,
        pending: 1,
        success_rate: 66.67,
        first_attempt_success_rate: null,
        waiting: 0
      })
      assert.strictEqual(attempts.length, 48)
      const { at, ...answer } = last_answer
      assert.match(at, /^\d{4}-/)
      assert.deepStrictEqual(answer, { response_status: 503, error: "HTTP 503" })
      assert.deepStrictEqual(statsOf(quiet), {
        delivered: 0,
        failed: 0,
        pending: 0,
        success_rate: 0,
        first_attempt_success_rate: null,
        p50_ms: null,
        p99_ms: null,
        waiting: 0,
        attempts: [],
        last_answer: null
      })
      const plain = yield* api.call("GET", "/v1/webhooks", { key })
      assert.notProperty(plain.body.data[0], "stats")
    })
  )

  it.effect("are counts by health for all webhooks of the key", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const none = { failing: 0, waiting: 0, disabled: 0, paused: 0, new: 0, healthy: 0 }
      const counted = () =>
        Effect.map(api.call("GET", "/v1/webhooks/health", { key }), ({ body }) => body.states)
      assert.deepStrictEqual(yield* counted(), none)
      const webhook = { url: "https://example.com/hook", event_types: ["*"] }
      const { body } = yield* api.call("POST", "/v1/webhooks", { key, body: webhook })
      yield* api.call("POST", "/v1/webhooks", { key, body: webhook })
      yield* api.call("PATCH", `/v1/webhooks/${body.id}`, { key, body: { status: "disabled" } })
      // A webhook of the test networks, and one of another account.
      const test = yield* api.keyFor(accountId, "test")
      yield* api.call("POST", "/v1/webhooks", { key: test, body: webhook })
      yield* api.call("POST", "/v1/webhooks", { key: (yield* api.account()).key, body: webhook })
      assert.deepStrictEqual(yield* counted(), { ...none, disabled: 1, new: 1 })
    })
  )

  it.effect("need the scope deliveries:read and a known period", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      const narrow = yield* api.keyFor(accountId, "live", ["webhooks:read"])
      const refused = yield* api.call("GET", "/v1/webhooks?stats=24h", { key: narrow })
      assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "FORBIDDEN"])
      assert.include(refused.body.error.message, "deliveries:read")
      assert.strictEqual((yield* api.call("GET", "/v1/webhooks", { key: narrow })).status, 200)
      const wrong = yield* api.call("GET", "/v1/webhooks?stats=2h", { key })
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.body.error.message, "stats must be")
    })
  )
})
