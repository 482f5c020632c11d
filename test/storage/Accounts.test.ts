/** The first account and its key are made once, whoever starts first; keys are known by their hash alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../src/storage/AccountStore.ts"
import { ApiKeyStore } from "../../src/storage/ApiKeyStore.ts"
import { TestDatabase } from "../support/postgres.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const ADMIN_KEY = `svc_live_${"a".repeat(32)}`

const Live = AccountStore.layer.pipe(Layer.provideMerge(ApiKeyStore.layer), Layer.provideMerge(TestDatabase))

describe("accounts", () => {
  it.effect("two first starts at once make one account and print one key", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const starts = yield* Effect.all(
        Array.from({ length: 4 }, () => accounts.ensureFirstAccount(undefined, NOW)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(starts.map(({ accountId }) => accountId)).size, 1)
      const printed = starts.flatMap(({ keyToPrint }) => keyToPrint ?? [])
      assert.strictEqual(printed.length, 1)
      assert.match(printed[0]!, /^svc_live_[0-9A-Za-z]{43}$/)
      const identity = Option.getOrThrow(yield* keys.authenticate(printed[0]!, NOW))
      assert.deepInclude(identity, {
        accountId: starts[0]!.accountId,
        plan: "enterprise",
        environment: "live",
        scopes: ["admin"]
      })
      assert.isUndefined((yield* accounts.ensureFirstAccount(undefined, NOW)).keyToPrint)
    }).pipe(Effect.provide(Live))
  )

  it.effect("ADMIN_KEY is a key of the first account from the start that names it, until it is revoked", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const first = yield* accounts.ensureFirstAccount(ADMIN_KEY, NOW)
      assert.isUndefined(first.keyToPrint)
      const identity = Option.getOrThrow(yield* keys.authenticate(ADMIN_KEY, NOW))
      assert.strictEqual(identity.accountId, first.accountId)
      yield* accounts.ensureFirstAccount(`${ADMIN_KEY}b`, NOW)
      assert.isTrue(Option.isSome(yield* keys.authenticate(ADMIN_KEY, NOW)))
      assert.isTrue(Option.isSome(yield* keys.authenticate(`${ADMIN_KEY}b`, NOW)))
      assert.isTrue(yield* keys.revoke(first.accountId, identity.keyId, NOW))
      yield* accounts.ensureFirstAccount(ADMIN_KEY, NOW)
      assert.isTrue(Option.isNone(yield* keys.authenticate(ADMIN_KEY, NOW)))
    }).pipe(Effect.provide(Live))
  )

  it.effect("stores no key, keeps the last use to a minute, and ends a key at its time", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const sql = yield* SqlClient.SqlClient
      const accountId = yield* accounts.create({ name: "test", email: null, plan: "builder" }, NOW)
      const created = yield* keys.create(
        { accountId, name: "k", scopes: ["events:read"], environment: "test", expiresAt: NOW + 90_000 },
        NOW
      )
      const value = created!.value
      const row = sql<Record<string, unknown>>`
        SELECT *, (extract(epoch FROM last_used_at) * 1000)::float8 AS used FROM api_keys WHERE id = ${created!.id}`
      const [stored] = yield* row
      assert.notInclude(JSON.stringify(stored), value.slice("svc_test_".length))
      assert.strictEqual(stored!["key_hint"], `svc_test_…${value.slice(-4)}`)
      const usedAfter = (at: number) =>
        Effect.gen(function* () {
          const found = yield* keys.authenticate(value, at)
          return [Option.isSome(found), (yield* row)[0]!["used"]]
        })
      assert.deepStrictEqual(yield* usedAfter(NOW + 1), [true, NOW + 1])
      assert.deepStrictEqual(yield* usedAfter(NOW + 59_000), [true, NOW + 1])
      assert.deepStrictEqual(yield* usedAfter(NOW + 61_000), [true, NOW + 61_000])
      assert.deepStrictEqual(yield* usedAfter(NOW + 90_000), [false, NOW + 61_000])
    }).pipe(Effect.provide(Live))
  )
})
