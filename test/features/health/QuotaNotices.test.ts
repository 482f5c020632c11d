/** Which accounts are due for a mail about their quota: the spine's query, with the mails that this feature queues. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { queueMails } from "../../../src/features/health/notify/MailStore.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import { UsedDatabase } from "../../support/store/postgres.ts"
import { insertAccount, setUsage } from "../../support/store/rows.ts"

const NOVEMBER = Date.parse("2026-11-21T09:30:00.000Z")
const DECEMBER = Date.parse("2026-12-01T00:00:00.000Z")

layer(Layer.provideMerge(UsageStore.layer, UsedDatabase))("notices of quotas", (it) => {
  const setQuota = Effect.fnUntraced(function* (accountId: string, quota: number) {
    const sql = yield* SqlClient.SqlClient
    yield* insertAccount(accountId)
    yield* sql`UPDATE accounts SET monthly_deliveries = ${quota}::bigint WHERE id = ${accountId}`
  })

  it.effect(
    "are due to accounts at 80% and 100% until they have a mail about it, separately for each quota",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { dueNotices } = yield* UsageStore
        const reached = (nowMs: number) =>
          Effect.map(dueNotices(nowMs, 1_000), (all) =>
            all.filter(({ accountId }) => accountId === "acct_notified")
          )
        const percents = (nowMs: number) =>
          Effect.map(reached(nowMs), (all) => all.map(({ percent }) => percent))
        const tell = Effect.flatMap(reached(NOVEMBER), (all) =>
          queueMails(
            sql,
            all.map(({ cause }) => ({
              cause,
              accountId: "acct_notified",
              recipient: null,
              subject: "",
              body: ""
            })),
            NOVEMBER
          )
        )
        yield* setQuota("acct_notified", 1_000)
        yield* setUsage("acct_notified", "2026-11", 799)
        assert.deepStrictEqual(yield* percents(NOVEMBER), [])
        yield* setUsage("acct_notified", "2026-11", 800)
        assert.deepStrictEqual(yield* reached(NOVEMBER), [
          {
            accountId: "acct_notified",
            name: "Test",
            email: "test@example.com",
            plan: "enterprise",
            month: "2026-11",
            percent: 80,
            deliveries: 800,
            quota: 1_000,
            cause: "quota/acct_notified/2026-11/1000/80"
          }
        ])
        yield* tell
        assert.deepStrictEqual(yield* percents(NOVEMBER), [])
        yield* setUsage("acct_notified", "2026-11", 1_000)
        assert.deepStrictEqual(yield* percents(NOVEMBER), [100])
        yield* tell
        assert.deepStrictEqual(yield* percents(NOVEMBER), [])
        yield* setQuota("acct_notified", 1_250)
        assert.deepStrictEqual(yield* percents(NOVEMBER), [80])
        yield* setUsage("acct_notified", "2026-12", 1_250)
        assert.deepStrictEqual((yield* percents(DECEMBER)).toSorted(), [100, 80])
      })
  )
})
