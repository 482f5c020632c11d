/** The mail half-way to disabling: one for a webhook, never a flood. The tests record attempts as the recorder does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { reportHalfWay } from "../../../src/features/health/HalfWayMails.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { recordAttempts } from "../../../src/spine/deliveries/RecordAttempts.ts"
import { type AttemptRecord, insertPending } from "../../../src/spine/deliveries/Transitions.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { UsedDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const HOUR = 3_600_000
const ACCOUNT = "acct_1"
const DISABLE_AFTER = 10

const Live = Layer.merge(Partitions.layer, WebhookStore.layer).pipe(
  Layer.provideMerge(Outbox.layer),
  Layer.provideMerge(UsedDatabase)
)

const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* Partitions
  yield* partitions.ensure(NOW, NOW)
  yield* insertAccount(ACCOUNT)
  const webhookId = yield* insertWebhook(ACCOUNT)
  let position = 0
  /** Attempts of new deliveries, one each, that end at `endedAt`. */
  const record = Effect.fnUntraced(function* (
    count: number,
    status: AttemptRecord["status"],
    endedAt: number,
    answered = false
  ) {
    const ids = Array.from({ length: count }, () => deliveryId(NOW, position++, webhookId, "event"))
    yield* insertPending(
      sql,
      ids.map((id) => ({
        id,
        webhookId,
        accountId: ACCOUNT,
        network: "mainnet",
        eventId: "event",
        eventType: "payment.xrp",
        eventOffset: 7
      })),
      NOW
    )
    const delivered = status === "delivered"
    const attempts = ids.map(
      (id): AttemptRecord => ({
        deliveryId: id,
        attempt: 1,
        status,
        responseStatus: delivered ? 200 : 503,
        responseTimeMs: 5,
        responseBody: null,
        error: delivered ? null : "HTTP 503",
        attemptedAt: endedAt,
        endedAt,
        nextDelayMs: status === "retrying" ? 1_000 : null,
        answered
      })
    )
    yield* recordAttempts(sql, attempts, DISABLE_AFTER)
  })
  const subjects = Effect.map(
    sql<{ readonly subject: string }>`SELECT subject FROM mails ORDER BY id`,
    (rows) => rows.map(({ subject }) => subject.replace("Webhook to receiver.example ", ""))
  )
  const report = (nowMs: number) => reportHalfWay(DISABLE_AFTER, nowMs)
  return { sql, webhookId, record, subjects, report }
})

describe("mails about webhooks half-way to being disabled", () => {
  it.effect("are sent once", () =>
    Effect.gen(function* () {
      const { record, report, subjects } = yield* prepare
      yield* record(DISABLE_AFTER / 2 - 1, "failed", NOW)
      yield* report(NOW + 1)
      assert.deepStrictEqual(yield* subjects, [])
      yield* record(1, "failed", NOW + 2)
      yield* Effect.all([report(NOW + 3), report(NOW + 3)], { concurrency: 2 })
      yield* report(NOW + 30 * HOUR)
      assert.deepStrictEqual(yield* subjects, ["will be disabled soon"])
    }).pipe(Effect.provide(Live))
  )

  it.effect("are sent also if the webhook answers, and lists deliveries as failed", () =>
    Effect.gen(function* () {
      const { record, report, sql, subjects } = yield* prepare
      yield* record(DISABLE_AFTER / 2, "failed", NOW, true)
      yield* report(NOW + 3)
      yield* report(NOW + 4)
      assert.deepStrictEqual(yield* subjects, ["will be disabled soon"])
      const [mail] = yield* sql<{ readonly body: string }>`SELECT body FROM mails`
      assert.include(mail?.body, "answers, and lists deliveries as failed. 5 deliveries in a row")
    }).pipe(Effect.provide(Live))
  )

  it.effect("are not about disabled or deleted webhooks", () =>
    Effect.gen(function* () {
      const { record, report, subjects, sql, webhookId } = yield* prepare
      yield* record(DISABLE_AFTER, "failed", NOW)
      yield* sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${webhookId}`
      yield* report(NOW + HOUR)
      yield* sql`UPDATE webhooks SET status = 'active', deleted_at = now() WHERE id = ${webhookId}`
      yield* report(NOW + HOUR)
      assert.deepStrictEqual(yield* subjects, [])
    }).pipe(Effect.provide(Live))
  )
})
