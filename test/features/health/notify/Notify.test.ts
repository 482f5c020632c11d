/** Which accounts are notified by mail, from the cause to the mail server: one mail for each cause. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Mailer } from "../../../../src/features/health/notify/Mailer.ts"
import { MailStore } from "../../../../src/features/health/notify/MailStore.ts"
import { NoticeStore } from "../../../../src/features/health/notify/NoticeStore.ts"
import { noticeTypes } from "../../../../src/features/health/notify/Notices.ts"
import { noticeQuotas, notify } from "../../../../src/features/health/notify/Notify.ts"
import { UrlSender } from "../../../../src/features/health/notify/UrlSender.ts"
import { WorkNotices } from "../../../../src/spine/store/outbox/WorkNotices.ts"
import {
  deliveringLayer,
  makeWebhook,
  queueEvents,
  startDelivering
} from "../../../support/deliver/delivering.ts"
import { makeReceiver } from "../../../support/deliver/receiver.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { type MailServer, makeMailServer } from "../../../support/servers/mailServer.ts"
import { insertAccount, setUsage } from "../../../support/store/rows.ts"

const notifying = (server: MailServer) =>
  Layer.mergeAll(
    MailStore.layer,
    NoticeStore.layer,
    WorkNotices.layer,
    Layer.provide(UrlSender.layer, NoticeStore.layer),
    Layer.provide(Mailer.layer, settingsLayer({ SMTP_URL: server.url, MAIL_FROM: "hooks@service.example" }))
  )

/** The account gets notices for Slack at that URL. */
const setUrl = (accountId: string, url: string) =>
  Effect.flatMap(NoticeStore, (notices) =>
    notices.set(accountId, { url, format: "slack", types: noticeTypes, sealedSecret: null }, Date.now())
  ).pipe(Effect.provide(NoticeStore.layer))

/** Runs `notify` in two processes until `holds` is true. */
const notified = (server: MailServer, count: number, andThen: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const processes = yield* Effect.forEach([1, 2], () =>
      Effect.forkScoped(notify.pipe(Effect.provide(Layer.fresh(notifying(server)))))
    )
    yield* server.until((taken) => taken.length >= count)
    yield* andThen
    yield* Fiber.interruptAll(processes)
  })

const month = () => new Date().toISOString().slice(0, 7)

describe("notify", () => {
  it.live("notifies an account once at 80% and once at 100% of its quota, and no other account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* makeMailServer()
      for (const [id, used] of [
        ["acct_few", 79],
        ["acct_many", 80],
        ["acct_all", 101]
      ] as const) {
        yield* insertAccount(id)
        yield* sql`UPDATE accounts SET monthly_deliveries = 100, email = ${`${id}@b.example`} WHERE id = ${id}`
        yield* setUsage(id, month(), used)
      }
      const receiver = yield* makeReceiver()
      yield* setUrl("acct_many", receiver.url)
      // A URL that does not work does not stop the mails.
      yield* setUrl("acct_all", "http://127.0.0.1:1/")
      yield* notified(server, 3)
      const subjects = server.taken.map(
        ({ to, headers }) => `${to[0]} ${headers.get("subject")?.slice(0, 14)}`
      )
      assert.deepStrictEqual(subjects.toSorted(), [
        "acct_all@b.example 80% of the del",
        "acct_all@b.example Delivery quota",
        "acct_many@b.example 80% of the del"
      ])
      yield* noticeQuotas.pipe(Effect.provide(MailStore.layer))
      const unsent = yield* sql`SELECT 1 FROM mails WHERE sent_at IS NULL`
      assert.deepStrictEqual(unsent, [])
      const notices = yield* sql`SELECT account_id, type FROM notices ORDER BY cause`
      assert.deepStrictEqual(
        notices.map((notice) => Object.values(notice)),
        [
          ["acct_all", "quota.reached"],
          ["acct_all", "quota.warning"],
          ["acct_many", "quota.warning"]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("notifies the account of a webhook that was disabled after too many failures", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      const receiver = yield* makeReceiver(() => 500)
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const ops = yield* makeReceiver()
      yield* setUrl("acct_1", ops.url)
      yield* queueEvents(webhook, 3)
      yield* notified(
        server,
        1,
        ops.until((received) => received.length > 0)
      )
      const [mail] = server.taken
      assert.deepStrictEqual(mail?.to, ["test@example.com"])
      assert.include(mail?.headers.get("subject"), `Webhook to ${new URL(receiver.url).host} was disabled`)
      assert.include(mail?.body, webhook)
      assert.include(mail?.body, "3 consecutive failed deliveries")
      assert.strictEqual(server.taken.length, 1)
      assert.strictEqual(ops.received.length, 1)
      assert.include(ops.received[0]?.body, `Webhook to ${new URL(receiver.url).host} was disabled`)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer({ DISABLE_AFTER_FAILURES: "3", DELIVERY_RETRY_DELAYS: "1ms" }))
    )
  )
})
