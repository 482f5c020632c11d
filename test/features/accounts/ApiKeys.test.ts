/**
 * API keys over HTTP: created, shown once, listed in pages, revoked at once. A key cannot create a key with more
 * rights.
 */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { accountBounds } from "../../../src/features/accounts/Limits.ts"
import type { Scope } from "../../../src/spine/domain/ApiKey.ts"
import { newKeysPerDay, planLimits } from "../../../src/spine/domain/Plans.ts"
import { ApiUnderTest, anotherServer, apiLayer } from "../../support/http/api.ts"

const PATH = "/v1/api-keys"
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const valid = { name: "ci", scopes: ["events:read"] }

/** Bodies, and the message that refuses each. */
const refused: ReadonlyArray<readonly [unknown, RegExp]> = [
  [{ scopes: ["admin"] }, /^name is required/],
  [{ ...valid, name: "" }, /^name must have 1 to 100 characters/],
  [{ ...valid, name: "ü".repeat(accountBounds.nameLength + 1) }, /^name must have 1 to 100 characters/],
  [{ ...valid, name: "a\0b" }, /^name must not contain NUL/],
  [{ name: "ci" }, /^scopes is required/],
  [{ ...valid, scopes: [] }, /^scopes must contain at least one scope/],
  [{ ...valid, scopes: ["events:write"] }, /^scopes\[0\] must be "webhooks:read".*"admin"/],
  [{ ...valid, scopes: "admin" }, /^scopes must be an array/],
  [{ ...valid, environment: "prod" }, /^environment must be "live" or "test"/],
  [{ ...valid, expires_at: "2026-11-21" }, /^expires_at must be an ISO 8601/],
  [{ ...valid, expires_at: "2020-01-01T00:00:00Z" }, /^expires_at must be in the future/],
  [{ ...valid, key: "svc_live_mine" }, /^key is unknown/]
]

layer(apiLayer(), { excludeTestServices: true })("/v1/api-keys", (it) => {
  it.effect("a new key is shown once, with all its fields, and works", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key } = yield* api.account()
      const made = yield* api.call("POST", PATH, {
        key,
        body: { name: "ci", scopes: ["events:read", "api_keys:read", "events:read"] }
      })
      assert.strictEqual(made.status, 201)
      const { id, key: value, created_at, ...rest } = made.body
      assert.match(id, /^key_[0-9A-HJKMNP-TV-Z]{26}$/)
      assert.match(value, /^svc_live_[0-9A-Za-z]{43}$/)
      assert.match(created_at, TIME)
      assert.deepStrictEqual(rest, {
        name: "ci",
        scopes: ["events:read", "api_keys:read"],
        environment: "live",
        expires_at: null,
        last_used_at: null,
        revoked_at: null
      })
      const list = yield* api.call("GET", PATH, { key: value })
      assert.strictEqual(list.status, 200)
      assert.notInclude(list.text, value)
      const [listed] = list.body.data
      const { key: _, ...shown } = made.body
      assert.match(listed.last_used_at, TIME)
      assert.deepStrictEqual(listed, {
        ...shown,
        last_used_at: listed.last_used_at,
        key_hint: `svc_live_…${value.slice(-4)}`
      })
    })
  )

  for (const [body, message] of refused) {
    it.effect(`refuses ${JSON.stringify(body).slice(0, 80)}`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { key } = yield* api.account()
        const answer = yield* api.call("POST", PATH, { key, body })
        assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "VALIDATION_ERROR"])
        assert.match(answer.body.error.message, message)
      })
    )
  }

  it.effect("a key grants no scope that it lacks; admin grants every one", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key: admin } = yield* api.account()
      const maker = yield* api.keyFor(accountId, "live", ["api_keys:write", "events:read"])
      const asked = (key: string, ...scopes: ReadonlyArray<string>) =>
        api.call("POST", PATH, { key, body: { name: "x", scopes } })
      assert.strictEqual((yield* asked(maker, "events:read", "api_keys:write")).status, 201)
      for (const scope of ["admin", "webhooks:read", "api_keys:read"]) {
        const answer = yield* asked(maker, "events:read", scope)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "FORBIDDEN"])
        assert.include(answer.body.error.message, scope)
      }
      assert.strictEqual((yield* asked(admin, "admin", "webhooks:write")).status, 201)
    })
  )

  it.effect("a test key makes, sees and revokes test keys only; a live key all of its account", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key: live } = yield* api.account("live")
      const test = yield* api.keyFor(accountId, "test")
      const make = (key: string, environment?: string) =>
        api.call("POST", PATH, { key, body: { ...valid, ...(environment && { environment }) } })
      const refusal = yield* make(test, "live")
      assert.deepStrictEqual([refusal.status, refusal.body.error.code], [403, "FORBIDDEN"])
      const byDefault = yield* make(test)
      assert.match(byDefault.body.key, /^svc_test_/)
      assert.strictEqual(byDefault.body.environment, "test")
      const liveMade = yield* make(live)
      const testMade = yield* make(live, "test")
      assert.match(testMade.body.key, /^svc_test_/)

      const environments = (key: string) =>
        Effect.map(api.call("GET", PATH, { key }), ({ body }) =>
          body.data.map(({ environment }: { environment: string }) => environment)
        )
      assert.deepStrictEqual(new Set(yield* environments(test)), new Set(["test"]))
      assert.deepStrictEqual(new Set(yield* environments(live)), new Set(["live", "test"]))

      assert.strictEqual(
        (yield* api.call("DELETE", `${PATH}/${liveMade.body.id}`, { key: test })).status,
        404
      )
      assert.strictEqual(
        (yield* api.call("DELETE", `${PATH}/${testMade.body.id}`, { key: test })).status,
        204
      )
      assert.strictEqual(
        (yield* api.call("DELETE", `${PATH}/${liveMade.body.id}`, { key: live })).status,
        204
      )
    })
  )

  it.effect("a revoked key is rejected at once by every server, and stays in the list", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const other = yield* anotherServer
      const { key } = yield* api.account()
      const made = yield* api.call("POST", PATH, { key, body: { name: "x", scopes: ["admin"] } })
      const use = other.call("GET", "/v1/webhooks", { key: made.body.key })
      assert.strictEqual((yield* use).status, 200)
      const revoke = api.call("DELETE", `${PATH}/${made.body.id}`, { key })
      const answer = yield* revoke
      assert.deepStrictEqual([answer.status, answer.text], [204, ""])
      assert.strictEqual((yield* use).status, 401)
      const revokedAt = Effect.map(api.call("GET", PATH, { key }), ({ body }) => body.data[0].revoked_at)
      const first = yield* revokedAt
      assert.match(first, TIME)
      // Revoking a key again is allowed and changes nothing.
      assert.strictEqual((yield* revoke).status, 204)
      assert.strictEqual(yield* revokedAt, first)
    })
  )

  it.effect("an expired key is rejected", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account()
      const expires_at = new Date(Date.now() + 3_600_000).toISOString()
      const made = yield* api.call("POST", PATH, {
        key,
        body: { ...valid, expires_at: expires_at.replace("Z", "+00:00") }
      })
      assert.strictEqual(made.body.expires_at, expires_at)
      const use = api.call("GET", "/v1/events", { key: made.body.key })
      assert.notStrictEqual((yield* use).status, 401)
      yield* sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${made.body.id}`
      assert.strictEqual((yield* use).status, 401)
    })
  )

  it.effect("a key revokes only keys whose scopes it has, and itself only with self=true", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const keys = yield* ApiKeyStore
      const { accountId, key: admin } = yield* api.account()
      const make = (scopes: ReadonlyArray<Scope>) =>
        Effect.map(
          keys.create({ accountId, name: "x", scopes, environment: "live" }, Date.now()),
          (created) => created!
        )
      const keeper = yield* make(["api_keys:write", "events:read"])
      const revoke = ({ id }: { readonly id: string }, key = keeper.value, query = "") =>
        api.call("DELETE", `${PATH}/${id}${query}`, { key })
      for (const scopes of [["admin"], ["events:read", "webhooks:write"]] as const) {
        const other = yield* make(scopes)
        const answer = yield* revoke(other)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "FORBIDDEN"])
        assert.include(answer.body.error.message, ` ${scopes.at(-1)},`)
        assert.strictEqual((yield* api.call("GET", "/v1/account", { key: other.value })).status, 200)
        assert.strictEqual((yield* revoke(other, admin)).status, 204)
      }
      assert.strictEqual((yield* revoke(yield* make(["events:read"]))).status, 204)
      for (const query of ["", "?self=false"]) {
        const answer = yield* revoke(keeper, keeper.value, query)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "VALIDATION_ERROR"])
        assert.include(answer.body.error.message, "?self=true")
      }
      assert.strictEqual((yield* revoke(keeper, keeper.value, "?self=true")).status, 204)
      assert.strictEqual((yield* revoke(keeper, keeper.value, "?self=true")).status, 401)
    })
  )

  it.effect("pages are exact while keys are being made", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      for (let i = 0; i < 6; i++) yield* api.keyFor(accountId, "live")
      const seen: Array<string> = []
      let query = ""
      for (;;) {
        const { body } = yield* api.call("GET", `${PATH}?limit=2${query}`, { key })
        seen.push(...body.data.map(({ id }: { id: string }) => id))
        yield* api.keyFor(accountId, "live")
        if (!body.has_more) break
        query = `&cursor=${body.next_cursor}`
      }
      assert.strictEqual(seen.length, 7)
      assert.deepStrictEqual(seen, [...new Set(seen)].toSorted().toReversed())
      const test = yield* api.keyFor(accountId, "test")
      assert.strictEqual((yield* api.call("GET", `${PATH}?limit=2${query}`, { key: test })).status, 400)
    })
  )

  for (const plan of ["developer", "builder", "enterprise"] as const)
    it.effect(`an account has as many keys as ${plan} allows, even under concurrent requests`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const keys = yield* ApiKeyStore
        const { accountId, key } = yield* api.account("live", plan)
        const most = planLimits[plan].apiKeys
        const admin = { accountId, name: "x", scopes: ["admin"], environment: "live" } as const
        for (let i = 0; i < most - 3; i++) yield* keys.create(admin, Date.now())
        // Neither key counts: one has expired, the other is revoked.
        yield* keys.create({ ...admin, expiresAt: Date.now() - 1 }, Date.now())
        const gone = yield* keys.create(admin, Date.now())
        yield* keys.revoke({ accountId, environments: ["live"] }, gone!.id, Date.now())
        const made = yield* Effect.all(
          Array.from({ length: 6 }, () => api.call("POST", PATH, { key, body: valid })),
          { concurrency: "unbounded" }
        )
        const statuses = made.map(({ status }) => status).toSorted()
        assert.deepStrictEqual(statuses, [201, 201, 409, 409, 409, 409])
        const refusal = made.find(({ status }) => status === 409)
        assert.strictEqual(refusal?.body.error.code, "KEY_LIMIT_REACHED")
        assert.include(refusal?.body.error.message, ` ${most} valid API keys`)
        const created = made.find(({ status }) => status === 201)
        yield* api.call("DELETE", `${PATH}/${created?.body.id}`, { key })
        assert.strictEqual((yield* api.call("POST", PATH, { key, body: valid })).status, 201)
      })
    )

  it.effect(
    "an account creates a bounded number of keys within 24 hours, whether it revokes them or not",
    () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const keys = yield* ApiKeyStore
        const { accountId, key } = yield* api.account("live", "developer")
        const most = newKeysPerDay(planLimits.developer)
        const admin = { accountId, name: "x", scopes: ["admin"], environment: "live" } as const
        const make = (createdMs: number) =>
          Effect.gen(function* () {
            const made = yield* keys.create(admin, createdMs)
            yield* keys.revoke({ accountId, environments: ["live"] }, made!.id, createdMs)
          })
        // Created before, so it does not count.
        yield* make(Date.now() - 25 * 3_600_000)
        for (let i = 0; i < most - 2; i++) yield* make(Date.now())
        const answers = [
          yield* api.call("POST", PATH, { key, body: valid }),
          yield* api.call("POST", PATH, { key, body: valid })
        ]
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [201, 409]
        )
        assert.strictEqual(answers[1]!.body.error.code, "KEY_LIMIT_REACHED")
        assert.include(answers[1]!.body.error.message, `may create ${most} API keys within 24 hours`)
      })
  )
})
