/** Mails from a real database to a real SMTP server: one for each cause, even if a step fails in between. */

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { healthLimits } from "../../../../src/features/health/Limits.ts"
import { Mailer } from "../../../../src/features/health/notify/Mailer.ts"
import { retryDelayMs, sendNext } from "../../../../src/features/health/notify/MailSender.ts"
import { MailStore } from "../../../../src/features/health/notify/MailStore.ts"
import type { Environment } from "../../../../src/spine/config/Config.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { makeMailServer } from "../../../support/servers/mailServer.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { insertAccount } from "../../../support/store/rows.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const MINUTE_MS = 60_000

const stores = MailStore.layer.pipe(Layer.provideMerge(TestDatabase))
const mailerOf = (environment: Environment) => Mailer.layer.pipe(Layer.provide(settingsLayer(environment)))
/** A sender for the server at `url`. */
const sender = (url: string) => mailerOf({ SMTP_URL: url, MAIL_FROM: "Ledgerhook <hooks@service.example>" })

const queue = Effect.fnUntraced(function* (
  causes: ReadonlyArray<string>,
  recipient: string | null = "a@b.example"
) {
  yield* insertAccount("acct_1")
  const mails = yield* MailStore
  const mail = { accountId: "acct_1", recipient, subject: "Delivery quota", body: "It is used up.\n" }
  yield* mails.queue(
    causes.map((cause) => ({ cause, ...mail })),
    NOW
  )
})

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    readonly sent: boolean
    readonly attempts: number
    readonly waits_ms: number | null
    readonly last_error: string | null
  }>`
    SELECT sent_at IS NOT NULL AS sent, attempts, last_error,
           (extract(epoch FROM next_attempt_at) * 1000)::float8 - ${String(NOW)}::float8 AS waits_ms
    FROM mails ORDER BY cause`
})

/** Sets the clock before the database's pool opens, because the pool has its own timers. */
const underNow = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(NOW), test.pipe(Effect.scoped, Effect.provide(stores)))

const sendAll = Effect.repeat(sendNext, { while: (more) => more })
const causes = (count: number) => Array.from({ length: count }, (_, i) => `cause/${i}`)

describe("mail", () => {
  it.effect("is plain text with the settings' sender, and needs no STARTTLS on this machine", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      yield* queue(["cause/0"])
      assert.isTrue(yield* Effect.provide(sendNext, sender(server.url)))
      const [mail] = server.taken
      assert.deepStrictEqual([mail?.from, mail?.to], ["hooks@service.example", ["a@b.example"]])
      assert.strictEqual(mail?.body.trimEnd(), "It is used up.")
      const header = (name: string) => mail?.headers.get(name)
      assert.strictEqual(header("subject"), "Delivery quota")
      assert.strictEqual(header("from"), "Ledgerhook <hooks@service.example>")
      assert.strictEqual(header("date"), "Sat, 21 Nov 2026 09:30:00 +0000")
      assert.match(header("message-id") ?? "", /^<[0-9a-f]{32}@service\.example>$/)
      assert.match(header("content-type") ?? "", /^text\/plain/)
      assert.deepStrictEqual(yield* rows, [{ sent: true, attempts: 1, waits_ms: null, last_error: null }])
      assert.isFalse(yield* Effect.provide(sendNext, sender(server.url)))
    }).pipe(underNow)
  )

  it.effect("waits for its next try whatever characters the server's refusal has", () =>
    Effect.gen(function* () {
      yield* queue(["cause/0"])
      const mails = yield* MailStore
      const mail = yield* mails.lease(NOW, MINUTE_MS)
      yield* mails.failed(mail!, "no\0 way", NOW + MINUTE_MS)
      const [row] = yield* rows
      assert.deepInclude(row, { last_error: "no\\u0000 way", waits_ms: MINUTE_MS })
    }).pipe(underNow)
  )

  it.effect("waits no longer than for its delay if the clock was set back", () =>
    Effect.gen(function* () {
      const mails = yield* MailStore
      const back = NOW - 30 * 24 * 60 * MINUTE_MS
      yield* queue(["cause/0"])
      const first = yield* mails.lease(back, MINUTE_MS)
      assert.strictEqual(first?.attempt, 1)
      assert.isUndefined(yield* mails.lease(back, MINUTE_MS))
      yield* mails.failed(first!, "no", NOW + retryDelayMs(1)!)
      const second = yield* mails.lease(back, MINUTE_MS)
      assert.strictEqual(second?.attempt, 2)
      yield* mails.failed(second!, "no", back + retryDelayMs(2)!)
      assert.isUndefined(yield* mails.lease(back, MINUTE_MS))
    }).pipe(underNow)
  )

  it.effect("is one for each cause, however often it is queued and however many senders race", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      yield* queue(causes(20))
      yield* queue(causes(20))
      const racing = Array.from({ length: 3 }, () => Effect.provide(sendAll, Layer.fresh(sender(server.url))))
      yield* Effect.all(racing, { concurrency: "unbounded" })
      assert.strictEqual(new Set(server.taken.map(({ headers }) => headers.get("message-id"))).size, 20)
      assert.strictEqual(server.taken.length, 20)
      assert.isTrue((yield* rows).every(({ sent }) => sent))
    }).pipe(underNow)
  )

  it.effect("is not sent by another sender while it is leased", () =>
    Effect.gen(function* () {
      const goOn = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const server = yield* makeMailServer({
        beforeTaking: Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn))
      })
      yield* queue(["cause/0"])
      const first = yield* Effect.forkChild(Effect.provide(sendNext, sender(server.url)))
      yield* Deferred.await(begun)
      assert.isFalse(yield* Effect.provide(sendNext, sender(server.url)))
      yield* Deferred.succeed(goOn, undefined)
      assert.isTrue(yield* Fiber.join(first))
      assert.strictEqual(server.taken.length, 1)
    }).pipe(underNow)
  )

  it.effect("is finished and marked by a process that is stopped while it sends", () =>
    Effect.gen(function* () {
      const goOn = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const server = yield* makeMailServer({
        beforeTaking: Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn))
      })
      yield* queue(["cause/0"])
      const sending = yield* Effect.forkChild(Effect.provide(sendNext, sender(server.url)))
      yield* Deferred.await(begun)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(sending))
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(stopping)
      assert.strictEqual(server.taken.length, 1)
      assert.deepInclude((yield* rows)[0], { sent: true, attempts: 1 })
    }).pipe(underNow)
  )

  it.effect("is retried with growing waits while the server is unavailable, and sent when it is back", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(makeMailServer())
      yield* queue(["cause/0"])
      const toServer = sender(`smtp://127.0.0.1:${port}`)
      assert.isTrue(yield* Effect.provide(sendNext, toServer))
      const [row] = yield* rows
      assert.deepInclude(row, { sent: false, attempts: 1, waits_ms: MINUTE_MS })
      assert.match(row?.last_error ?? "", /ECONNREFUSED/)
      assert.isFalse(yield* Effect.provide(sendNext, toServer))
      yield* TestClock.adjust(MINUTE_MS)
      yield* Effect.provide(sendNext, toServer)
      assert.deepInclude((yield* rows)[0], { attempts: 2, waits_ms: 6 * MINUTE_MS })
      const server = yield* makeMailServer({ port })
      yield* TestClock.adjust(5 * MINUTE_MS)
      yield* Effect.provide(sendNext, toServer)
      assert.deepStrictEqual(yield* rows, [{ sent: true, attempts: 3, waits_ms: null, last_error: null }])
      assert.strictEqual(server.taken.length, 1)
    }).pipe(underNow)
  )

  it("is retried for days with growing waits, then given up", () => {
    const waits = healthLimits.mailRetryDelaysMs.map((_, i) => retryDelayMs(i + 1) ?? 0)
    assert.deepStrictEqual(
      waits,
      waits.toSorted((a, b) => a - b)
    )
    const days = waits.reduce((sum, wait) => sum + wait, 0) / (24 * 60 * MINUTE_MS)
    assert.isAbove(days, 2)
    assert.isBelow(days, 5)
    assert.isUndefined(retryDelayMs(waits.length + 1))
  })

  it.effect("is given up when the server refuses its recipient, and after the last try; others go out", () =>
    Effect.gen(function* () {
      const replies = new Map([
        ["gone@b.example", 550],
        ["full@b.example", 452]
      ])
      const server = yield* makeMailServer({ refuse: (recipient) => replies.get(recipient) })
      yield* queue(["cause/a"], "gone@b.example")
      yield* queue(["cause/b"], "full@b.example")
      yield* queue(["cause/c", "cause/d"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE mails SET attempts = ${healthLimits.mailRetryDelaysMs.length} WHERE cause = 'cause/d'`
      yield* sql`UPDATE mails SET recipient = 'full@b.example' WHERE cause = 'cause/d'`
      yield* Effect.provide(sendAll, sender(server.url))
      const [gone, full, taken, last] = yield* rows
      assert.deepInclude(gone, { sent: false, attempts: 1, waits_ms: null })
      assert.match(gone?.last_error ?? "", /550 no such mailbox/)
      assert.deepInclude(full, { sent: false, attempts: 1, waits_ms: MINUTE_MS })
      assert.deepInclude(taken, { sent: true })
      assert.deepInclude(last, { sent: false, waits_ms: null })
      assert.strictEqual(server.taken.length, 1)
    }).pipe(underNow)
  )

  it.effect("is sent again unchanged when its lease ends, if the sender was killed before marking it", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      yield* queue(["cause/0"])
      const killed = Layer.effect(
        MailStore,
        Effect.map(MailStore, (store) =>
          MailStore.of({ ...store, sent: () => Effect.die(new Error("killed before the mark")) })
        )
      )
      const exit = yield* Effect.exit(Effect.provide(sendNext, Layer.merge(killed, sender(server.url))))
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(server.taken.length, 1)
      assert.isFalse(yield* Effect.provide(sendNext, sender(server.url)))
      yield* TestClock.adjust(healthLimits.mailLeaseMs)
      assert.isTrue(yield* Effect.provide(sendNext, sender(server.url)))
      assert.strictEqual(server.taken.length, 2)
      assert.strictEqual(server.taken[1]?.raw, server.taken[0]?.raw)
      assert.deepInclude((yield* rows)[0], { sent: true, attempts: 2 })
      assert.isFalse(yield* Effect.provide(sendNext, sender(server.url)))
    }).pipe(underNow)
  )

  it.effect("is counted as sent only when a mail server has accepted it", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      yield* queue(["cause/0"])
      yield* Effect.provide(sendAll, mailerOf({}))
      yield* queue(["cause/1", "cause/2"])
      yield* Effect.provide(sendAll, sender(server.url))
      const counts = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
        id === "ledgerhook_mails_total" ? [[attributes?.["outcome"], state] as const] : []
      )
      assert.deepStrictEqual(
        counts.map(([outcome, state]) => [outcome, "count" in state ? state.count : undefined]).toSorted(),
        [
          ["logged", 1],
          ["sent", 2]
        ]
      )
    }).pipe(underNow, Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("goes to the log, and needs no second try, without a mail server or without an address", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      const said: Array<string> = []
      const logged = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      yield* queue(["cause/0"])
      yield* Effect.provide(sendAll, Layer.merge(mailerOf({}), logged))
      yield* queue(["cause/1"], null)
      yield* Effect.provide(sendAll, Layer.merge(sender(server.url), logged))
      assert.isTrue((yield* rows).every(({ sent }) => sent))
      assert.strictEqual(server.taken.length, 0)
      assert.deepStrictEqual(said, [
        "mail to account acct_1 (SMTP_URL is not set): Delivery quota",
        "mail to account acct_1 (the account has no mail address): Delivery quota"
      ])
    }).pipe(underNow)
  )

  it.effect("is deleted when it is old and settled, and not before", () =>
    Effect.gen(function* () {
      const server = yield* makeMailServer()
      const mails = yield* MailStore
      yield* queue(causes(3))
      yield* Effect.provide(sendNext, sender(server.url))
      yield* Effect.provide(sendNext, sender(server.url))
      assert.strictEqual(yield* mails.drop(NOW), 0)
      assert.strictEqual(yield* mails.drop(NOW + 1), 2)
      assert.strictEqual((yield* rows).length, 1)
    }).pipe(underNow)
  )
})
