/** Notices from a real database to a real HTTP server, verified with the library of Standard Webhooks. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { healthLimits } from "../../../../src/features/health/Limits.ts"
import { sendNextNotice } from "../../../../src/features/health/notify/MailSender.ts"
import {
  type NewNotice,
  NoticeStore,
  queueNotices
} from "../../../../src/features/health/notify/NoticeStore.ts"
import { noticeId, noticeTypes, testNotice } from "../../../../src/features/health/notify/Notices.ts"
import { UrlSender } from "../../../../src/features/health/notify/UrlSender.ts"
import type { Environment } from "../../../../src/spine/config/Config.ts"
import { SecretBox } from "../../../../src/spine/store/secrets/SecretBox.ts"
import { makeReceiver, type Received } from "../../../support/deliver/receiver.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { insertAccount } from "../../../support/store/rows.ts"

const SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`

const live = (environment: Environment = {}) =>
  UrlSender.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(NoticeStore.layer, SecretBox.layer)),
    Layer.provideMerge(Layer.merge(TestDatabase, settingsLayer(environment)))
  )

const setUrl = Effect.fnUntraced(function* (
  accountId: string,
  url: string,
  format: "standard" | "slack" = "standard"
) {
  const notices = yield* NoticeStore
  yield* insertAccount(accountId)
  const sealedSecret = format === "slack" ? null : (yield* SecretBox).seal(SECRET)
  yield* notices.set(accountId, { url, format, types: noticeTypes, sealedSecret }, Date.now())
})

const notice = (accountId: string, cause: string): NewNotice => ({
  accountId,
  cause,
  type: "webhook.failing",
  text: "Webhook to <a> & b is failing.\n• wh_1",
  data: { webhooks: 1 }
})

const queue = (...given: ReadonlyArray<NewNotice>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(given, (one) => queueNotices(sql, [one], Date.now()))
  )

/** Lets waiting notices be due now. */
const wait = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`
      WITH due AS (UPDATE notice_urls SET due_at = now() - interval '1 second')
      UPDATE notices SET next_attempt_at = now() - interval '1 second' WHERE next_attempt_at IS NOT NULL`
)

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`SELECT sent_at IS NOT NULL AS sent, next_attempt_at IS NOT NULL AS waits, attempts, last_error FROM notices ORDER BY id`
)

const verified = ({ body, headers }: Received) =>
  new StandardWebhook(SECRET).verify(
    body,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  )

describe("a notice", () => {
  it.live("is a signed request of Standard Webhooks, and has its id again when it is retried", () =>
    Effect.gen(function* () {
      let status = 503
      const receiver = yield* makeReceiver(() => status)
      yield* setUrl("acct_1", receiver.url)
      yield* queue(notice("acct_1", "cause/1"), notice("acct_1", "cause/1"))
      assert.isTrue(yield* sendNextNotice)
      assert.isFalse(yield* sendNextNotice)
      assert.deepStrictEqual(yield* rows, [{ sent: false, waits: true, attempts: 1, last_error: "HTTP 503" }])
      status = 204
      yield* wait
      assert.isTrue(yield* sendNextNotice)
      assert.deepStrictEqual(yield* rows, [{ sent: true, waits: false, attempts: 2, last_error: null }])

      for (const one of receiver.received) {
        assert.deepStrictEqual(verified(one), one.event)
        assert.strictEqual(one.headers["webhook-id"], noticeId("cause/1"))
        assert.match(one.headers["user-agent"] ?? "", /^Ledgerhook\//)
        assert.strictEqual(one.headers["accept-encoding"], "identity")
      }
      const { data, timestamp, type } = receiver.received[1]!.event
      assert.deepStrictEqual([type, data], ["webhook.failing", { webhooks: 1 }])
      assert.isBelow(Math.abs(Date.parse(String(timestamp)) - Date.now()), 60_000)
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.live("for Slack is a text without signature, in which nothing is markup", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      yield* setUrl("acct_1", receiver.url, "slack")
      yield* queue(notice("acct_1", "cause/1"))
      yield* sendNextNotice
      const [one] = receiver.received
      assert.deepStrictEqual<unknown>(JSON.parse(one!.body), {
        text: "Webhook to &lt;a&gt; &amp; b is failing.\n• wh_1"
      })
      assert.notProperty(one!.headers, "webhook-signature")
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.live("goes to no private address, and follows no redirect", () =>
    Effect.gen(function* () {
      const secret = yield* makeReceiver()
      yield* setUrl("acct_1", secret.url)
      yield* queue(notice("acct_1", "cause/1"))
      yield* sendNextNotice
      assert.strictEqual((yield* rows)[0]?.["last_error"], "address not allowed")

      const open = yield* Effect.gen(function* () {
        const redirecting = yield* makeReceiver((_, response) => {
          response.writeHead(307, { location: secret.url }).end()
          return "handled"
        })
        yield* setUrl("acct_1", redirecting.url)
        yield* queue(notice("acct_1", "cause/1"))
        yield* sendNextNotice
        return yield* rows
      }).pipe(Effect.provide(Layer.fresh(live())))
      assert.strictEqual(open[0]?.["last_error"], "redirect not followed (HTTP 307)")
      assert.strictEqual(secret.received.length, 0)
    }).pipe(Effect.scoped, Effect.provide(live({ DELIVERY_ALLOW_PRIVATE_ADDRESSES: "false" })))
  )

  it.live("of an account with many is not sent before one of an account with few", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      for (const account of ["acct_1", "acct_2"]) yield* setUrl(account, `${receiver.url}/${account}`)
      yield* queue(...[1, 2, 3, 4].map((n) => notice("acct_1", `cause/${n}`)), notice("acct_2", "cause/5"))
      yield* Effect.repeat(sendNextNotice, { while: (more) => more })
      assert.deepStrictEqual(
        receiver.received.map(({ path }) => path.slice("/hook/".length)),
        ["acct_1", "acct_2", "acct_1", "acct_1", "acct_1"]
      )
    }).pipe(Effect.scoped, Effect.provide(live()))
  )

  it.live("is given up if the account has no URL any more, or if it only tries the URL", () =>
    Effect.gen(function* () {
      const notices = yield* NoticeStore
      const receiver = yield* makeReceiver(() => 500)
      yield* setUrl("acct_1", receiver.url)
      yield* setUrl("acct_2", receiver.url)
      yield* queue(notice("acct_1", "cause/1"), {
        ...testNotice("acct_2"),
        accountId: "acct_2",
        cause: "cause/2"
      })
      yield* notices.remove("acct_1")
      yield* Effect.repeat(sendNextNotice, { while: (more) => more })
      assert.deepStrictEqual(yield* rows, [
        { sent: false, waits: false, attempts: 0, last_error: "the account has no URL any more" },
        { sent: false, waits: false, attempts: 1, last_error: "HTTP 500" }
      ])
      assert.deepInclude(receiver.received[0]!.event, {
        type: "notice.test",
        data: { account_id: "acct_2" }
      })
      assert.strictEqual(yield* notices.drop(Date.now() - healthLimits.noticesKeptMs), 0)
      assert.strictEqual(yield* notices.drop(Date.now() + 1_000), 2)
    }).pipe(Effect.scoped, Effect.provide(live()))
  )
})
