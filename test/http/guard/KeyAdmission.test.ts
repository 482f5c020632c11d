/** One statement authenticates callers and counts their requests exactly, in both windows, even under concurrency. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { KeyAdmission } from "../../../src/http/guard/KeyAdmission.ts"
import { type LimitOverrides, limitsOf, type Plan, plans } from "../../../src/spine/domain/Plans.ts"
import { admit, credentialOf } from "../../support/http/admission.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const Live = Layer.mergeAll(AccountStore.layer, KeyAdmission.layer).pipe(
  Layer.provideMerge(ApiKeyStore.layer),
  Layer.provideMerge(TestDatabase)
)

const plansOwn: LimitOverrides = {
  requestsPerMinute: null,
  requestsPerDay: null,
  monthlyDeliveries: null,
  concurrentReplays: null,
  webhooks: null,
  accountFilters: null
}

/** A key of a new account; `own`: the account's own limits. */
const makeKey = Effect.fnUntraced(function* (plan: Plan, own: Partial<LimitOverrides> = {}) {
  const accounts = yield* AccountStore
  const keys = yield* ApiKeyStore
  const sql = yield* SqlClient.SqlClient
  const accountId = yield* accounts.create({ name: "test", email: null, plan }, NOW)
  yield* sql`
    UPDATE accounts SET requests_per_minute = ${own.requestsPerMinute ?? null},
           requests_per_day = ${own.requestsPerDay ?? null},
           monthly_deliveries = ${own.monthlyDeliveries?.toString() ?? null}::bigint,
           concurrent_replays = ${own.concurrentReplays ?? null},
           webhooks = ${own.webhooks ?? null}, account_filters = ${own.accountFilters ?? null}
    WHERE id = ${accountId}`
  const created = yield* keys.create(
    { accountId, name: "k", scopes: ["events:read"], environment: "test" },
    NOW
  )
  return { accountId, ...created! }
})

const passed = (value: string, nowMs: number, requests = 1) =>
  Effect.map(admit(value, nowMs, requests), (admission) => admission?.admitted)

layer(Live)("key admission", (it) => {
  it.effect("identifies a key's account, and stores nothing from which the key could be recovered", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, id, value } = yield* makeKey("builder")
      const admission = yield* admit(value, NOW)
      assert.deepStrictEqual(admission?.identity, {
        keyId: id,
        admittedBy: credentialOf(value),
        accountId,
        plan: "builder",
        limits: limitsOf("builder", plansOwn),
        environment: "test",
        scopes: ["events:read"]
      })
      const [stored] = yield* sql<{ readonly key_hint: string }>`
        SELECT * FROM api_keys JOIN key_usage ON key_id = id WHERE id = ${id}`
      assert.notInclude(JSON.stringify(stored), value.slice("svc_test_".length))
      assert.strictEqual(stored?.key_hint, `svc_test_…${value.slice(-4)}`)
      assert.isUndefined(yield* admit(`${value}x`, NOW))
    })
  )

  it.effect("rejects a key once it expires, and at once when it is revoked", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const { accountId, id, value } = yield* makeKey("builder")
      const expiring = yield* keys.create(
        { accountId, name: "k", scopes: [], environment: "live", expiresAt: NOW + 1_000 },
        NOW
      )
      assert.isDefined(yield* admit(expiring!.value, NOW + 999))
      assert.isUndefined(yield* admit(expiring!.value, NOW + 1_000))
      assert.isTrue(yield* keys.revoke({ accountId, environments: ["test"] }, id, NOW))
      assert.isUndefined(yield* admit(value, NOW))
    })
  )

  for (const plan of plans) {
    it.effect(
      `${plan} uses the plan's limits, and an account's own limits only if the plan allows them`,
      () =>
        Effect.gen(function* () {
          const own = {
            requestsPerMinute: 7,
            requestsPerDay: 9,
            monthlyDeliveries: 2 ** 40,
            concurrentReplays: 3,
            webhooks: 4,
            accountFilters: 5
          }
          for (const overrides of [plansOwn, own]) {
            const { value } = yield* makeKey(plan, overrides)
            const limits = limitsOf(plan, overrides)
            const most = Math.min(limits.requestsPerMinute, limits.requestsPerDay)
            const admission = yield* admit(value, NOW, most + 1)
            assert.deepStrictEqual(admission?.identity.limits, limits)
            assert.deepInclude(admission, {
              admitted: most,
              minute: { limit: limits.requestsPerMinute, usedBefore: 0, endsMs: NOW + MINUTE_MS },
              day: {
                limit: limits.requestsPerDay,
                usedBefore: 0,
                endsMs: Date.parse("2026-11-22T00:00:00.000Z")
              }
            })
          }
        })
    )
  }

  it.effect("counts admitted requests in both windows, which restart with the minute and the UTC day", () =>
    Effect.gen(function* () {
      const { value } = yield* makeKey("enterprise", { requestsPerMinute: 3, requestsPerDay: 5 })
      assert.strictEqual(yield* passed(value, NOW + 59_999, 4), 3)
      assert.strictEqual(yield* passed(value, NOW + 59_999), 0)
      assert.strictEqual(yield* passed(value, NOW + MINUTE_MS, 4), 2)
      assert.strictEqual(yield* passed(value, NOW + 2 * MINUTE_MS), 0)
      assert.deepInclude(yield* admit(value, NOW + 2 * MINUTE_MS), {
        minute: { limit: 3, usedBefore: 0, endsMs: NOW + 3 * MINUTE_MS },
        day: { limit: 5, usedBefore: 5, endsMs: Date.parse("2026-11-22T00:00:00.000Z") }
      })
      const midnight = Date.parse("2026-11-22T00:00:00.000Z")
      assert.strictEqual(yield* passed(value, midnight - 1), 0)
      assert.strictEqual(yield* passed(value, midnight, 5), 3)
    })
  )

  it.effect("refuses once a limit is lowered below the count, and admits again once it is raised", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, value } = yield* makeKey("enterprise", { requestsPerMinute: 5 })
      const setLimit = (limit: number) =>
        sql`UPDATE accounts SET requests_per_minute = ${limit} WHERE id = ${accountId}`
      assert.strictEqual(yield* passed(value, NOW, 4), 4)
      yield* setLimit(2)
      assert.strictEqual(yield* passed(value, NOW), 0)
      yield* setLimit(6)
      assert.strictEqual(yield* passed(value, NOW, 4), 2)
    })
  )

  it.effect("counts in the window that another server began, if this server's clock is slightly behind", () =>
    Effect.gen(function* () {
      const { value } = yield* makeKey("enterprise", { requestsPerMinute: 3 })
      assert.strictEqual(yield* passed(value, NOW + MINUTE_MS, 2), 2)
      assert.strictEqual(yield* passed(value, NOW + MINUTE_MS - 10, 2), 1)
      assert.strictEqual(yield* passed(value, NOW + MINUTE_MS), 0)
    })
  )

  it.effect("does not lock a key out after a clock was once far ahead", () =>
    Effect.gen(function* () {
      const { value } = yield* makeKey("enterprise", { requestsPerMinute: 1, requestsPerDay: 1 })
      assert.strictEqual(yield* passed(value, NOW + 400 * DAY_MS), 1)
      assert.strictEqual(yield* passed(value, NOW), 1)
    })
  )

  it.effect("admits exactly as many concurrent requests as the limit allows", () =>
    Effect.gen(function* () {
      const LIMIT = 100
      const keys = yield* Effect.all(
        Array.from({ length: 4 }, () => makeKey("enterprise", { requestsPerMinute: LIMIT }))
      )
      const admission = yield* KeyAdmission
      // All keys in each, in two orders.
      const results = yield* Effect.all(
        Array.from({ length: 60 }, (_, i) => {
          const order = i % 2 === 0 ? keys : keys.toReversed()
          return admission.admit(new Map(order.map(({ value }) => [credentialOf(value), 3])), NOW)
        }),
        { concurrency: "unbounded" }
      )
      for (const { value } of keys) {
        const admissions = results.flatMap((result) => result.get(credentialOf(value)) ?? [])
        const total = admissions.reduce((sum, { admitted }) => sum + admitted, 0)
        assert.strictEqual(total, LIMIT)
        // Each request has its own place in the window.
        const places = admissions.flatMap(({ admitted, minute }) =>
          Array.from({ length: admitted }, (_, i) => minute.usedBefore + i)
        )
        assert.deepStrictEqual(
          places.toSorted((a, b) => a - b),
          Array.from({ length: LIMIT }, (_, i) => i)
        )
      }
    })
  )

  it.effect("counts the requests of all keys of an account together, also of keys that were revoked", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const admission = yield* KeyAdmission
      const { accountId } = yield* makeKey("developer")
      const make = (name: string) =>
        Effect.map(keys.create({ accountId, name, scopes: [], environment: "live" }, NOW), (made) => made!)
      for (const [used, admitted] of [
        [0, 60],
        [60, 60],
        [120, 60],
        [180, 60],
        [240, 60],
        [300, 0]
      ] as const) {
        const { id, value } = yield* make("x")
        const found = yield* admit(value, NOW, 1_000)
        assert.strictEqual(found?.admitted, admitted)
        assert.deepStrictEqual(found?.account.minute, {
          limit: 300,
          usedBefore: used,
          endsMs: NOW + MINUTE_MS
        })
        yield* keys.revoke({ accountId, environments: ["live"] }, id, NOW)
      }
      // Several keys of one account in one statement share what is left.
      const some = yield* Effect.all(Array.from({ length: 7 }, () => make("y")))
      const together = yield* admission.admit(
        new Map(some.map(({ value }) => [credentialOf(value), 50])),
        NOW + MINUTE_MS
      )
      const admitted = [...together.values()].map((one) => one.admitted)
      assert.deepStrictEqual(
        admitted.toSorted((a, b) => b - a),
        [50, 50, 50, 50, 50, 50, 0]
      )
      // 600 of 5,000 a day are used.
      const { account } = (yield* admit((yield* make("z")).value, NOW + 2 * MINUTE_MS))!
      assert.deepInclude(account.day, { limit: 5_000, usedBefore: 600 })
    })
  )

  it.effect("admits exactly as many requests of different keys at once as their account may make", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      const admission = yield* KeyAdmission
      const { accountId } = yield* makeKey("developer")
      const made = yield* Effect.all(
        Array.from({ length: 12 }, () =>
          keys.create({ accountId, name: "x", scopes: [], environment: "live" }, NOW)
        )
      )
      const hashes = made.map((key) => credentialOf(key!.value))
      // Makes the account's row. Until there is one, concurrent statements may admit more.
      yield* admit(made[0]!.value, NOW)
      const results = yield* Effect.all(
        Array.from({ length: 60 }, (_, i) => {
          const some = hashes.filter((_hash, place) => (place + i) % 3 !== 0)
          const order = i % 2 === 0 ? some : some.toReversed()
          return admission.admit(new Map(order.map((hash) => [hash, 3])), NOW)
        }),
        { concurrency: "unbounded" }
      )
      const admitted = results.flatMap((result) => [...result.values()].map((one) => one.admitted))
      const sum = admitted.reduce((sum, n) => sum + n, 0)
      assert.strictEqual(sum, 299)
    })
  )

  it.effect("records the last use to the minute, also for refused requests", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, value } = yield* makeKey("enterprise", { requestsPerDay: 1 })
      const usedAfter = (at: number) =>
        Effect.gen(function* () {
          yield* admit(value, at)
          const [row] = yield* sql<{ readonly used: number }>`
            SELECT (extract(epoch FROM last_used_at) * 1000)::float8 AS used FROM key_usage WHERE key_id = ${id}`
          return row?.used
        })
      assert.strictEqual(yield* usedAfter(NOW + 1), NOW + 1)
      assert.strictEqual(yield* usedAfter(NOW + 59_000), NOW + 1)
      assert.strictEqual(yield* usedAfter(NOW + 61_000), NOW + 61_000)
    })
  )

  it.effect("reports that a key's account is suspended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, value } = yield* makeKey("builder")
      assert.isFalse((yield* admit(value, NOW))?.suspended)
      yield* sql`UPDATE accounts SET suspended_at = now() WHERE id = ${accountId}`
      assert.isTrue((yield* admit(value, NOW))?.suspended)
    })
  )
})
