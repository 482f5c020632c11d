/** `Idempotency-Key` over HTTP: a repeated request runs once, whatever happens between the two requests. */

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { IdempotencyStore } from "../../src/http/IdempotencyStore.ts"
import { httpLimits } from "../../src/http/Limits.ts"
import { ApiUnderTest, anotherServer, apiLayer } from "../support/http/api.ts"

const WEBHOOK = { url: "https://example.com/hook", event_types: ["*"] }

const errorOf = (body: { readonly error: { readonly code: string; readonly message: string } }) => body.error

layer(apiLayer(), { excludeTestServices: true })("Idempotency-Key", (it) => {
  const prepare = Effect.gen(function* () {
    const api = yield* ApiUnderTest
    const { key, accountId } = yield* api.account()
    const post = (path: string, body: unknown, idempotencyKey: string, as = key) =>
      api.call("POST", path, { key: as, body, headers: { "idempotency-key": idempotencyKey } })
    const webhooks = Effect.map(api.call("GET", "/v1/webhooks", { key }), ({ body }) => body.data.length)
    return { api, key, accountId, post, webhooks }
  })

  it.effect("returns the same response to a repeated request, secret included, and runs it once", () =>
    Effect.gen(function* () {
      const { post, webhooks } = yield* prepare
      const first = yield* post("/v1/webhooks", WEBHOOK, "a")
      const again = yield* post("/v1/webhooks", WEBHOOK, "a")
      assert.strictEqual(first.status, 201)
      assert.strictEqual(again.status, 201)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
      assert.isNull(first.headers.get("idempotency-replayed"))
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.strictEqual(yield* webhooks, 1)
    })
  )

  it.effect("is refused for another body or path", () =>
    Effect.gen(function* () {
      const { post, webhooks } = yield* prepare
      const { body } = yield* post("/v1/webhooks", WEBHOOK, "b")
      const others = [
        yield* post("/v1/webhooks", { ...WEBHOOK, description: "another" }, "b"),
        yield* post(`/v1/webhooks/${body.id}/test`, { event_type: "payment.xrp" }, "b")
      ]
      for (const answer of others) {
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(errorOf(answer.body).code, "IDEMPOTENCY_KEY_REUSED")
      }
      assert.strictEqual(yield* webhooks, 1)
    })
  )

  it.effect("gives no stored response to another API key, so no key gets a secret that it did not make", () =>
    Effect.gen(function* () {
      const { accountId, api, post } = yield* prepare
      const weak = yield* api.keyFor(accountId, "live", ["api_keys:write", "webhooks:write"])
      const strong = { name: "root", scopes: ["admin"] }
      const { body: webhook } = yield* post("/v1/webhooks", WEBHOOK, "k")
      const requests = [
        ["/v1/api-keys", strong, "l"],
        ["/v1/webhooks", WEBHOOK, "k"],
        [`/v1/webhooks/${webhook.id}/rotate-secret`, {}, "m"]
      ] as const
      for (const [path, body, name] of requests) {
        const { status, text } = yield* post(path, body, name)
        assert.include([200, 201], status)
        assert.match(text, /svc_live_|secret/)
        const answer = yield* post(path, body, name, weak)
        assert.strictEqual(answer.status, 422, path)
        assert.strictEqual(errorOf(answer.body).code, "IDEMPOTENCY_KEY_REUSED")
      }
      const alone = yield* post("/v1/api-keys", strong, "n", weak)
      assert.strictEqual(alone.status, 403)
    })
  )

  it.effect("gives a revoked key nothing, not even its own response", () =>
    Effect.gen(function* () {
      const { api, key, post } = yield* prepare
      const other = { name: "other", scopes: ["webhooks:write"], environment: "live" }
      const { body: made } = yield* post("/v1/api-keys", other, "k")
      assert.strictEqual((yield* post("/v1/webhooks", WEBHOOK, "o", made.key)).status, 201)
      yield* api.call("DELETE", `/v1/api-keys/${made.id}`, { key })
      assert.strictEqual((yield* post("/v1/webhooks", WEBHOOK, "o", made.key)).status, 401)
    })
  )

  it.effect("is not recorded for a request that changes nothing: a preview or a dry run", () =>
    Effect.gen(function* () {
      const { accountId, post } = yield* prepare
      const sql = yield* SqlClient.SqlClient
      const { body: webhook } = yield* post("/v1/webhooks", WEBHOOK, "p")
      const webhook_id = webhook.id
      for (const [path, body] of [
        [`/v1/webhooks/${webhook_id}/preview`, {}],
        ["/v1/deliveries/retry", { webhook_id, dry_run: true }],
        ["/v1/replay", { webhook_id, filters: {}, dry_run: true }]
      ] as const) {
        for (const _ of [1, 2]) {
          const answer = yield* post(path, body, path.slice(0, 5))
          assert.strictEqual(answer.status, 200, answer.text)
          assert.isNull(answer.headers.get("idempotency-replayed"))
        }
      }
      const rows = yield* sql`SELECT key FROM idempotency_answers WHERE account_id = ${accountId}`
      assert.deepStrictEqual(rows, [{ key: "p" }])
    })
  )

  it.effect("belongs to an account and an environment", () =>
    Effect.gen(function* () {
      const { api, accountId, post } = yield* prepare
      const other = yield* api.account()
      const testKey = yield* api.keyFor(accountId, "test")
      const answers = [
        yield* post("/v1/webhooks", WEBHOOK, "c"),
        yield* post("/v1/webhooks", WEBHOOK, "c", other.key),
        yield* post("/v1/webhooks", WEBHOOK, "c", testKey)
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [201, 201, 201]
      )
      assert.strictEqual(new Set(answers.map(({ body }) => body.id)).size, 3)
    })
  )

  it.effect("does not store the response of a refused request, so the corrected request runs", () =>
    Effect.gen(function* () {
      const { post } = yield* prepare
      const refused = yield* post("/v1/webhooks", { ...WEBHOOK, url: "http://example.com" }, "d")
      assert.strictEqual(refused.status, 400)
      assert.strictEqual((yield* post("/v1/webhooks", WEBHOOK, "d")).status, 201)
    })
  )

  for (const [what, key] of [
    ["an empty key", ""],
    ["a key with a space", "with space"],
    ["a key that is not ASCII", "\u00fc"],
    ["a key that is too long", "x".repeat(256)]
  ] as const) {
    it.effect(`refuses ${what} with a sentence`, () =>
      Effect.gen(function* () {
        const { post } = yield* prepare
        const answer = yield* post("/v1/webhooks", WEBHOOK, key)
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(
          errorOf(answer.body).message,
          "Idempotency-Key must be 1 to 255 visible ASCII characters."
        )
      })
    )
  }

  it.effect("answers 409 while the first request is running, in every process", () =>
    Effect.gen(function* () {
      const { key, post, webhooks } = yield* prepare
      const { body } = yield* post("/v1/webhooks", WEBHOOK, "e")
      const sql = yield* SqlClient.SqlClient
      const second = yield* anotherServer
      const path = `/v1/webhooks/${body.id}/test`
      const payload = { event_type: "payment.xrp" }
      const call = { key, body: payload, headers: { "idempotency-key": "f" } }
      // This transaction locks the webhook's row, so the first request waits for it.
      const { running, refused } = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT 1 FROM webhooks WHERE id = ${body.id} FOR UPDATE`
          const running = yield* Effect.forkChild(post(path, payload, "f"))
          const waiting = sql<{ readonly waiting: number }>`
            SELECT count(*)::int AS waiting FROM pg_locks
            WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`
          yield* Effect.repeat(waiting, { until: (rows) => rows[0]!.waiting > 0 })
          return { running, refused: yield* second.call("POST", path, call) }
        })
      )
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(errorOf(refused.body).code, "IDEMPOTENCY_IN_PROGRESS")
      const first = yield* Fiber.join(running)
      const again = yield* second.call("POST", path, call)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(yield* webhooks, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("changes nothing if its process dies before the commit, and runs when repeated", () =>
    Effect.gen(function* () {
      const { accountId } = yield* prepare
      const store = yield* IdempotencyStore
      const sql = yield* SqlClient.SqlClient
      const asked = { accountId, environment: "live", key: "g", fingerprint: "x" } as const
      const suspend = sql`UPDATE accounts SET name = 'changed' WHERE id = ${accountId}`
      const died = yield* Effect.exit(
        store.once(asked, Date.now(), Effect.andThen(suspend, Effect.die(new Error("killed"))))
      )
      assert.strictEqual(died._tag, "Failure")
      const nameOf = sql<{ readonly name: string }>`SELECT name FROM accounts WHERE id = ${accountId}`
      assert.strictEqual((yield* nameOf)[0]!.name, "test")
      const answer = { status: 201, body: "done" }
      const first = yield* store.once(asked, Date.now(), Effect.as(suspend, { answer }))
      assert.strictEqual(first.is, "first")
      const again = yield* store.once(asked, Date.now(), Effect.die(new Error("it runs again")))
      assert.deepStrictEqual(again, { is: "again", answer })
    })
  )

  it.effect("deletes responses after 24 hours, and stores them encrypted", () =>
    Effect.gen(function* () {
      const { accountId } = yield* prepare
      const store = yield* IdempotencyStore
      const sql = yield* SqlClient.SqlClient
      const asked = { accountId, environment: "live", key: "h", fingerprint: "x" } as const
      const run = (nowMs: number, body: string) =>
        store.once(asked, nowMs, Effect.succeed({ answer: { status: 201, body } }))
      const now = Date.now()
      yield* run(now, "whsec_first")
      const [row] = yield* sql<{ readonly sealed_body: string }>`
        SELECT sealed_body FROM idempotency_answers WHERE account_id = ${accountId}`
      assert.notInclude(row!.sealed_body, "whsec_first")
      assert.strictEqual((yield* run(now + httpLimits.idempotencyKeptMs - 1, "")).is, "again")
      assert.strictEqual((yield* run(now + httpLimits.idempotencyKeptMs, "second")).is, "first")
      assert.isAtLeast(yield* store.drop(now + 2 * httpLimits.idempotencyKeptMs), 1)
      assert.strictEqual((yield* run(now, "third")).is, "first")
    })
  )

  it.effect("returns the same secret for a repeated rotation", () =>
    Effect.gen(function* () {
      const { post } = yield* prepare
      const { body } = yield* post("/v1/webhooks", WEBHOOK, "i")
      const first = yield* post(`/v1/webhooks/${body.id}/rotate-secret`, {}, "j")
      const again = yield* post(`/v1/webhooks/${body.id}/rotate-secret`, {}, "j")
      assert.strictEqual(first.status, 200)
      assert.strictEqual(again.text, first.text)
    })
  )
})
