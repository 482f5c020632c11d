/** `/v1/account`: shows any key its account's plan, the limits that apply, and the rest of the monthly quota. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { planLimits, plans } from "../../../src/spine/domain/Plans.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

/** The days of this month up to today, without deliveries. */
const daysSoFar = () => {
  const today = new Date().toISOString()
  return Array.from({ length: Number(today.slice(8, 10)) }, (_, i) => ({
    date: `${today.slice(0, 8)}${String(i + 1).padStart(2, "0")}`,
    deliveries: 0
  }))
}

const get = (key: string) => Effect.flatMap(ApiUnderTest, (api) => api.call("GET", "/v1/account", { key }))

layer(apiLayer(), { excludeTestServices: true })("/v1/account", (it) => {
  for (const plan of plans) {
    it.effect(`shows the limits of ${plan} to a key of any scope`, () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { accountId } = yield* api.account("live", plan)
        const limits = planLimits[plan]
        const answer = yield* get(yield* api.keyFor(accountId, "test", ["webhooks:read"]))
        assert.strictEqual(answer.status, 200)
        const { key, ...account } = answer.body as { readonly key: Readonly<Record<string, unknown>> }
        assert.match(String(key["id"]), /^key_/)
        assert.deepInclude(key, { environment: "test", scopes: ["webhooks:read"] })
        assert.deepStrictEqual<unknown>(account, {
          id: accountId,
          name: "test",
          email: null,
          plan,
          limits: {
            requests_per_minute: limits.requestsPerMinute,
            requests_per_day: limits.requestsPerDay,
            account_requests_per_minute: limits.requestsPerMinute * limits.apiKeys,
            account_requests_per_day: limits.requestsPerDay * limits.apiKeys,
            monthly_deliveries: limits.monthlyDeliveries,
            concurrent_replays: limits.concurrentReplays,
            webhooks: limits.webhooks,
            account_filters: limits.accountFilters,
            api_keys: limits.apiKeys,
            new_api_keys_per_day: 4 * limits.apiKeys
          },
          usage: {
            month: new Date().toISOString().slice(0, 7),
            deliveries: 0,
            quota: limits.monthlyDeliveries,
            days: daysSoFar()
          }
        })
      })
    )
  }

  it.effect("shows an account's own limits, and the deliveries of this month only", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const sql = yield* SqlClient.SqlClient
      const { accountId, key } = yield* api.account("live", "enterprise")
      yield* sql`
        UPDATE accounts SET email = 'owner@example.com', requests_per_day = 7, monthly_deliveries = 5000000000
        WHERE id = ${accountId}`
      yield* sql`
        INSERT INTO delivery_usage (account_id, month, deliveries)
        SELECT ${accountId}, month, 42 FROM unnest(ARRAY[
          date_trunc('month', now() AT TIME ZONE 'UTC'),
          date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month'
        ]) AS month`
      const { body } = yield* get(key)
      assert.strictEqual(body.email, "owner@example.com")
      assert.deepInclude(body.limits, { requests_per_day: 7, monthly_deliveries: 5_000_000_000 })
      assert.deepInclude(body.usage, { deliveries: 42, quota: 5_000_000_000 })
    })
  )
})
