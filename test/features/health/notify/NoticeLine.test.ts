/** No account takes the senders of notices for itself, however many of its notices wait. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NoticeStore, queueNotices } from "../../../../src/features/health/notify/NoticeStore.ts"
import { noticeTypes, testNotice } from "../../../../src/features/health/notify/Notices.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { insertAccount } from "../../../support/store/rows.ts"

const NOW = Date.parse("2026-11-28T09:30:00.000Z")
const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const WAITING = 200_000

const setUrl = Effect.fnUntraced(function* (account: string) {
  yield* insertAccount(account)
  const url = {
    url: "https://ops.example/",
    format: "slack",
    types: noticeTypes,
    sealedSecret: null
  } as const
  yield* (yield* NoticeStore).set(account, url, NOW)
})

const queue = (account: string, cause: string, nowMs = NOW) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    queueNotices(
      sql,
      [{ accountId: account, cause, type: "webhook.failing", text: "a", data: { webhooks: 1 } }],
      nowMs
    )
  )

const lease = (nowMs: number) => Effect.flatMap(NoticeStore, (notices) => notices.lease(nowMs, LEASE_MS))

/** The accounts that a sender at this time would send for. Each lease is left as it is. */
const leased = (nowMs: number) => Effect.map(lease(nowMs), (notice) => notice?.accountId)

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`TRUNCATE accounts CASCADE`)

layer(NoticeStore.layer.pipe(Layer.provideMerge(TestDatabase)))("the line of accounts with notices", (it) => {
  it.effect("one sender sends for an account at a time, and each goes to the end after its notice", () =>
    Effect.gen(function* () {
      yield* emptied
      const notices = yield* NoticeStore
      yield* Effect.forEach(["acct_1", "acct_2"], setUrl)
      yield* Effect.forEach([1, 2, 3], (n) => queue("acct_1", `cause/${n}`))
      yield* queue("acct_2", "cause/4", NOW + 1)
      const first = yield* lease(NOW + 2)
      assert.strictEqual(first?.cause, "cause/1")
      assert.strictEqual(yield* leased(NOW + 2), "acct_2")
      assert.isUndefined(yield* leased(NOW + 2))
      // Notices that are queued meanwhile wait for their sender too.
      yield* queue("acct_1", "cause/5", NOW + 2)
      assert.isUndefined(yield* leased(NOW + 3))
      yield* notices.sent(first!, NOW + 4)
      assert.strictEqual(yield* leased(NOW + 4), "acct_1")
    })
  )

  it.effect("a failed notice waits for its retry, and the next one of its account is sent before", () =>
    Effect.gen(function* () {
      yield* emptied
      const notices = yield* NoticeStore
      yield* setUrl("acct_1")
      yield* Effect.forEach([1, 2], (n) => queue("acct_1", `cause/${n}`))
      const first = yield* lease(NOW)
      yield* notices.failed(first!, "HTTP 500", NOW + MINUTE_MS)
      const second = yield* lease(NOW + 1)
      assert.strictEqual(second?.cause, "cause/2")
      yield* notices.sent(second!, NOW + 2)
      assert.isUndefined(yield* lease(NOW + MINUTE_MS - 1))
      assert.strictEqual((yield* lease(NOW + MINUTE_MS))?.cause, "cause/1")
    })
  )

  it.effect("an account is free again when its sender has died, and if the clock was set back", () =>
    Effect.gen(function* () {
      yield* emptied
      yield* setUrl("acct_1")
      yield* queue("acct_1", "cause/1")
      yield* lease(NOW)
      assert.isUndefined(yield* lease(NOW + LEASE_MS - 1))
      assert.strictEqual((yield* lease(NOW + LEASE_MS))?.attempt, 2)
      const monthMs = 30 * 24 * 60 * MINUTE_MS
      assert.strictEqual((yield* lease(NOW - monthMs))?.attempt, 3)
      assert.isUndefined(yield* lease(NOW - monthMs))
    })
  )

  it.effect("a sent notice of a process of version 0.3 does not hold up the line", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(["acct_1", "acct_2"], setUrl)
      yield* queue("acct_1", "cause/1")
      yield* queue("acct_2", "cause/2", NOW + 1)
      yield* sql`UPDATE notices SET next_attempt_at = NULL, sent_at = now() WHERE cause = 'cause/1'`
      assert.strictEqual(yield* leased(NOW + 1), "acct_2")
    })
  )

  it.effect("an account has one test notice that waits, also if several are asked for at once", () =>
    Effect.gen(function* () {
      yield* emptied
      const notices = yield* NoticeStore
      yield* setUrl("acct_1")
      const test = (cause: string) =>
        notices.queueTest({ ...testNotice("acct_1"), accountId: "acct_1", cause }, NOW)
      const queued = yield* Effect.all(["test/1", "test/2", "test/3"].map(test), { concurrency: "unbounded" })
      assert.strictEqual(queued.filter((one) => one).length, 1)
      const sent = yield* lease(NOW)
      assert.isFalse(yield* test("test/4"))
      yield* notices.failed(sent!, "no answer within 10 s", null)
      assert.isTrue(yield* test("test/5"))
    })
  )

  it.effect(`the next account is found by an index, with ${WAITING} notices waiting`, () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(["acct_1", "acct_2", "acct_3"], setUrl)
      // One has many that are due, the other as many that wait for a retry.
      for (const [account, dueMs] of [
        ["acct_1", NOW],
        ["acct_2", NOW + MINUTE_MS]
      ] as const)
        yield* sql`
          INSERT INTO notices (cause, account_id, type, text, data, created_at, next_attempt_at)
          SELECT ${account} || n, ${account}, 'webhook.failing', 'a', '{}', now(), ${new Date(dueMs).toISOString()}::timestamptz
          FROM generate_series(1, ${WAITING / 2}::int) AS n`
      yield* queue("acct_3", "cause/last", NOW + 1)
      yield* sql`ANALYZE notices`
      yield* sql`ANALYZE notice_urls`
      const rowsRead = Effect.map(
        sql<{ readonly rows: number }>`
          SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 AS rows FROM pg_stat_xact_user_tables
          WHERE relname IN ('notices', 'notice_urls')`,
        ([row]) => row!.rows
      )
      const asked = Effect.gen(function* () {
        const before = yield* rowsRead
        const found = [yield* leased(NOW + 1), yield* leased(NOW + 1), yield* leased(NOW + 1)]
        return { found, rows: (yield* rowsRead) - before }
      })
      const { found, rows } = yield* sql.withTransaction(asked)
      assert.deepStrictEqual(found, ["acct_1", "acct_3", undefined])
      assert.isBelow(rows, 60)
    })
  )
})
