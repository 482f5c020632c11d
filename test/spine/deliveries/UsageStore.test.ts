/** Usage counts each recorded attempt once. The SQL for plans, overrides and months agrees with the rules in domain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { AttemptRecord } from "../../../src/spine/deliveries/Transitions.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import { limitsOf, type Plan, plans } from "../../../src/spine/domain/Plans.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { UsedDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook, setUsage } from "../../support/store/rows.ts"

const NOVEMBER = Date.parse("2026-11-21T09:30:00.000Z")
const DECEMBER = Date.parse("2026-12-01T00:00:00.000Z")
const DAY_MS = 86_400_000
const DISABLE_AFTER = 1_000_000

let position = 0
const makeDeliveries = Effect.fnUntraced(function* (
  accountId: string,
  count: number,
  kind: "charged" | "test" | "testnet" = "charged"
) {
  const store = yield* DeliveryStore
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOVEMBER, NOVEMBER))
  yield* insertAccount(accountId)
  const webhookId = yield* insertWebhook(accountId)
  const rows = Array.from({ length: count }, () => ({
    id: deliveryId(NOVEMBER, position++, webhookId, "event"),
    webhookId,
    accountId,
    network: kind === "testnet" ? ("testnet" as const) : ("mainnet" as const),
    eventId: "event",
    eventType: "payment.xrp",
    eventOffset: 7
  }))
  yield* store.insertPending(rows, NOVEMBER)
  if (kind === "test") {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE deliveries SET event_offset = NULL, test_event = '{}' WHERE webhook_id = ${webhookId}`
  }
  return rows.map(({ id }) => id)
})

const attempt = (deliveryId: string, number = 1, attemptedAt = NOVEMBER): AttemptRecord => ({
  deliveryId,
  attempt: number,
  status: "retrying",
  responseStatus: 503,
  responseTimeMs: 5,
  responseBody: null,
  error: "HTTP 503",
  attemptedAt,
  endedAt: attemptedAt + 5,
  nextDelayMs: 1_000
})

const Live = Layer.mergeAll(DeliveryStore.layer, Partitions.layer, UsageStore.layer).pipe(
  Layer.provideMerge(UsedDatabase)
)

layer(Live)("usage", (it) => {
  const setPlan = Effect.fnUntraced(function* (accountId: string, plan: Plan, own: number | null = null) {
    const sql = yield* SqlClient.SqlClient
    yield* insertAccount(accountId)
    yield* sql`UPDATE accounts SET plan = ${plan}, monthly_deliveries = ${own}::bigint WHERE id = ${accountId}`
  })

  it.effect("counts every recorded attempt once, retries included, in the month of the attempt", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const usage = yield* UsageStore
      const ids = yield* makeDeliveries("acct_counted", 3)
      const first = ids.map((id) => attempt(id))
      yield* store.record(first, DISABLE_AFTER)
      // The statement's result was lost, so it runs again.
      yield* store.record(first, DISABLE_AFTER)
      yield* store.record([attempt(ids[0]!, 2, DECEMBER - 1), attempt(ids[1]!, 2, DECEMBER)], DISABLE_AFTER)
      assert.strictEqual((yield* usage.usageOf("acct_counted", NOVEMBER)).deliveries, 4)
      assert.strictEqual((yield* usage.usageOf("acct_counted", DECEMBER)).deliveries, 1)
      assert.strictEqual((yield* usage.usageOf("acct_nobody", NOVEMBER)).deliveries, 0)
    })
  )

  it.effect("shows each day of the month so far, and forgets the same day of earlier months", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const usage = yield* UsageStore
      const ids = yield* makeDeliveries("acct_days", 3)
      const record = (...attempts: ReadonlyArray<AttemptRecord>) => store.record(attempts, DISABLE_AFTER)
      const days = (nowMs: number) => Effect.map(usage.usageOf("acct_days", nowMs), ({ days }) => days)
      const counted = (nowMs: number) =>
        Effect.map(days(nowMs), (all) => all.filter(({ deliveries }) => deliveries > 0))
      const dayBefore = NOVEMBER - DAY_MS
      yield* record(attempt(ids[0]!, 1, dayBefore), attempt(ids[1]!), attempt(ids[2]!))
      yield* record(attempt(ids[0]!, 2))
      // Not shown on the 21st, but counted in the month.
      yield* record(attempt(ids[1]!, 2, DECEMBER - 1))
      const november = yield* days(NOVEMBER)
      assert.deepStrictEqual(
        [november.length, november[0], november.at(-2), november.at(-1)],
        [
          21,
          { date: "2026-11-01", deliveries: 0 },
          { date: "2026-11-20", deliveries: 1 },
          { date: "2026-11-21", deliveries: 3 }
        ]
      )
      assert.strictEqual((yield* usage.usageOf("acct_days", NOVEMBER)).deliveries, 5)
      const later = NOVEMBER + 30 * DAY_MS
      // The same day of two months in one statement.
      yield* record(attempt(ids[2]!, 2, later), attempt(ids[1]!, 3, NOVEMBER))
      // An attempt of November that is recorded late, on a day that December has not reached, and on one that it has.
      yield* record(attempt(ids[0]!, 3, DECEMBER - DAY_MS), attempt(ids[1]!, 4, NOVEMBER))
      assert.deepStrictEqual(yield* counted(later), [{ date: "2026-12-21", deliveries: 1 }])
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`SELECT day::text AS day FROM delivery_usage_days WHERE account_id = 'acct_days' ORDER BY day`
      assert.deepStrictEqual(rows, [{ day: "2026-11-20" }, { day: "2026-11-30" }, { day: "2026-12-21" }])
    })
  )

  it.effect("does not count test deliveries or deliveries of the test networks", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const free = [
        ...(yield* makeDeliveries("acct_free", 2, "test")),
        ...(yield* makeDeliveries("acct_free", 2, "testnet"))
      ]
      yield* store.record(
        free.map((id) => attempt(id)),
        DISABLE_AFTER
      )
      assert.strictEqual(
        (yield* Effect.flatMap(UsageStore, (usage) => usage.usageOf("acct_free", NOVEMBER))).deliveries,
        0
      )
    })
  )

  it.effect("counts exactly while recorders of many accounts run concurrently, without deadlocks", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const usage = yield* UsageStore
      const accounts = ["acct_r1", "acct_r2", "acct_r3"]
      const batches = yield* Effect.forEach(Array.from({ length: 12 }), (_, batch) =>
        Effect.map(
          Effect.forEach(batch % 2 === 0 ? accounts : accounts.toReversed(), (id) => makeDeliveries(id, 10)),
          (ids) => ids.flat().map((id) => attempt(id))
        )
      )
      yield* Effect.forEach(batches, (batch) => store.record(batch, DISABLE_AFTER), {
        concurrency: "unbounded"
      })
      for (const id of accounts) {
        const { days, deliveries } = yield* usage.usageOf(id, NOVEMBER)
        assert.deepStrictEqual([deliveries, days.at(-1)?.deliveries], [120, 120])
      }
    })
  )

  it.effect("puts an account on hold at exactly the number of deliveries that `limitsOf` returns", () =>
    Effect.gen(function* () {
      const usage = yield* UsageStore
      const accounts = plans.flatMap((plan) =>
        [null, 0, 500].flatMap((own) => {
          const { monthlyDeliveries } = limitsOf(plan, {
            requestsPerMinute: null,
            requestsPerDay: null,
            concurrentReplays: null,
            webhooks: null,
            accountFilters: null,
            monthlyDeliveries: own
          })
          return [-1, 0].flatMap((beyond) => {
            const deliveries = (monthlyDeliveries ?? 1_000_000_000) + beyond
            const id = `acct_${plan}_${own}_${beyond}`
            return deliveries < 0
              ? []
              : [{ id, plan, own, deliveries, held: monthlyDeliveries !== null && beyond === 0 }]
          })
        })
      )
      for (const { id, plan, own, deliveries } of accounts) {
        yield* setPlan(id, plan, own)
        yield* setUsage(id, "2026-11", deliveries)
      }
      const holds = yield* usage.holds(NOVEMBER)
      for (const { id, held } of accounts) assert.strictEqual(holds.get(id), held ? "quota" : undefined, id)
    })
  )

  it.effect(
    "ends a hold when a new month begins, the plan grows or the limit is raised, and not before",
    () =>
      Effect.gen(function* () {
        const { holds } = yield* UsageStore
        yield* setPlan("acct_month", "developer")
        yield* setUsage("acct_month", "2026-11", 10_000)
        assert.strictEqual((yield* holds(DECEMBER - 1)).get("acct_month"), "quota")
        assert.isUndefined((yield* holds(DECEMBER)).get("acct_month"))
        yield* setPlan("acct_month", "builder")
        assert.isUndefined((yield* holds(NOVEMBER)).get("acct_month"))
        yield* setPlan("acct_month", "enterprise", 9_999)
        assert.strictEqual((yield* holds(NOVEMBER)).get("acct_month"), "quota")
        yield* setPlan("acct_month", "enterprise", 10_001)
        assert.isUndefined((yield* holds(NOVEMBER)).get("acct_month"))
      })
  )

  it.effect("puts suspended accounts on hold, whatever they have used", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { holds } = yield* UsageStore
      yield* setPlan("acct_suspended", "developer")
      yield* setUsage("acct_suspended", "2026-11", 10_000)
      yield* sql`UPDATE accounts SET suspended_at = now() WHERE id = 'acct_suspended'`
      assert.strictEqual((yield* holds(NOVEMBER)).get("acct_suspended"), "suspended")
      assert.strictEqual((yield* holds(DECEMBER)).get("acct_suspended"), "suspended")
      yield* sql`UPDATE accounts SET suspended_at = NULL WHERE id = 'acct_suspended'`
      assert.strictEqual((yield* holds(NOVEMBER)).get("acct_suspended"), "quota")
    })
  )
})
