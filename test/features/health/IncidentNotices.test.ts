/**
 * Messages about incidents: one for an account and host, once, wherever a process dies. The tests record attempts as the
 * recorder does.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { reportIncidents } from "../../../src/features/health/IncidentNotices.ts"
import type { NewNotice } from "../../../src/features/health/notify/NoticeStore.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { attemptsOf, type Request } from "../../support/deliver/requests.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

const MINUTE = 60_000

/** So many webhooks, at these hosts in turns, of an account with a URL for notices. */
const begin = Effect.fnUntraced(function* (count: number, hosts: ReadonlyArray<string> = ["dead.example"]) {
  yield* TestClock.setTime(NOW)
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE webhooks, incidents, mails, notices, notice_urls CASCADE`
  const ids = yield* prepare(count)
  yield* Effect.forEach(
    ids,
    (id, i) =>
      sql`UPDATE webhooks SET url = ${`https://${hosts[i % hosts.length]}/hook/${i}`} WHERE id = ${id}`
  )
  yield* sql`
    INSERT INTO notice_urls (account_id, url, format, types, created_at, updated_at)
    VALUES (${OWNER.accountId}, 'https://ops.example/', 'standard', ARRAY['webhook.failing', 'webhook.recovered'], now(), now())`
  return ids
})

/** So many requests with one new delivery each, at that minute, which are recorded together. */
const request = Effect.fnUntraced(function* (
  webhook: string,
  minute: number,
  result: "delivered" | "retrying",
  more: Partial<Request> = {},
  count = 1
) {
  const store = yield* DeliveryStore
  const endedAt = NOW + minute * MINUTE
  const attempts = Array.from({ length: count }, () => {
    const row = newDelivery(webhook, endedAt, "payment.xrp")
    return attemptsOf({ deliveries: [{ row, result }], endedAt, ...more })
  })
  yield* store.recordFirst(attempts.flat(), 1_000)
})

const fail = (webhook: string, minute: number) => request(webhook, minute, "retrying", {}, 5)

const sweep = (minute: number) =>
  Effect.andThen(
    TestClock.setTime(NOW + minute * MINUTE),
    reportIncidents(NOW + minute * MINUTE, NOW - 30 * 24 * 60 * MINUTE)
  )

const subjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly subject: string }>`SELECT subject FROM mails ORDER BY id`
  return rows.map(({ subject }) => subject)
})

const notices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<NewNotice>`SELECT type, text, data FROM notices ORDER BY id`
})

const killOn = (change: string, table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE OR REPLACE FUNCTION kill_itself() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`
    yield* sql`
      CREATE TRIGGER kill AFTER ${sql.literal(change)} ON ${sql(table)} FOR EACH STATEMENT EXECUTE FUNCTION kill_itself()`
    return sql`DROP TRIGGER kill ON ${sql(table)}`
  })

layer(DeliveriesLive)("messages about incidents", (it) => {
  it.effect("are not sent while the webhook is paused", () =>
    Effect.gen(function* () {
      const [id] = yield* begin(1)
      const webhooks = yield* WebhookStore
      yield* fail(id!, 0)
      yield* webhooks.change(OWNER, id!, { paused: true }, NOW)
      yield* sweep(10)
      assert.deepStrictEqual(yield* subjects, [])
      yield* webhooks.change(OWNER, id!, { paused: false }, NOW + 10 * MINUTE)
      yield* sweep(20)
      assert.lengthOf(yield* subjects, 1)
    })
  )

  it.effect("are one for thirty webhooks on one dead host, and one when they work again", () =>
    Effect.gen(function* () {
      const ids = yield* begin(30)
      for (const [i, id] of ids.entries()) yield* fail(id, i / 10)
      yield* sweep(4.9)
      assert.deepStrictEqual(yield* subjects, [])
      // Three processes, whose clocks differ.
      yield* Effect.all([sweep(5), sweep(5.001), sweep(5.002)], { concurrency: "unbounded" })
      yield* sweep(50)
      assert.deepStrictEqual(yield* subjects, ["30 webhooks to dead.example are failing"])

      for (const id of ids) yield* request(id, 51, "delivered", { manual: true })
      yield* sweep(55.9)
      assert.strictEqual((yield* subjects).length, 1)
      yield* Effect.all([sweep(56), sweep(56.001), sweep(56.002)], { concurrency: "unbounded" })
      yield* sweep(200)
      assert.deepStrictEqual((yield* subjects).slice(1), ["30 webhooks to dead.example work again"])
      const [failing, recovered] = yield* notices
      assert.strictEqual(failing?.type, "webhook.failing")
      assert.deepInclude(failing?.data, { host: "dead.example", webhooks: 30, many_others_fail: false })
      assert.deepInclude((recovered!.data as { incidents: Array<object> }).incidents[0], {
        webhook_id: ids[0],
        began_at: new Date(NOW).toISOString(),
        ended_at: new Date(NOW + 51 * MINUTE).toISOString(),
        ended_by: "retry",
        attempts_failed: 5,
        waited: 5,
        outcome: { delivered: 0, failed: 0, waiting: 5 }
      })
    })
  )

  it.effect("are one for an account and host, whatever other hosts and accounts do", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [a, b, other] = yield* begin(3, ["a.example", "b.example:8443", "a.example"])
      yield* sql`
        INSERT INTO accounts (id, name, email, plan, created_at)
        VALUES ('acct_2', 'Other', 'other@example.com', 'enterprise', now())`
      yield* sql`UPDATE webhooks SET account_id = 'acct_2' WHERE id = ${other!}`
      for (const id of [a!, b!, other!]) yield* fail(id, 0)
      yield* sweep(5)
      const mails = yield* sql`SELECT account_id, recipient, subject FROM mails ORDER BY cause`
      assert.deepStrictEqual(
        mails.map((mail) => Object.values(mail)),
        [
          ["acct_1", "test@example.com", "Webhook to a.example is failing"],
          ["acct_1", "test@example.com", "Webhook to b.example:8443 is failing"],
          ["acct_2", "other@example.com", "Webhook to a.example is failing"]
        ]
      )
      // The other account has no URL.
      assert.strictEqual((yield* notices).length, 2)
    })
  )

  it.effect("are one about a webhook that answers one request in six, and none about one that restarts", () =>
    Effect.gen(function* () {
      const [flapping, restarted] = yield* begin(2, ["flapping.example", "restarted.example"])
      yield* fail(restarted!, 0)
      yield* request(restarted!, 0.1, "delivered")
      for (let minute = 0; minute < 90; minute++) {
        yield* fail(flapping!, minute)
        yield* request(flapping!, minute + 0.5, "delivered")
        yield* request(flapping!, minute + 0.8, "retrying")
        yield* sweep(minute + 0.9)
      }
      assert.deepStrictEqual(yield* subjects, ["Webhook to flapping.example is failing"])
      assert.include((yield* notices)[0]!.text, "some were answered")
    })
  )

  it.effect("are at most one an hour for a host, and list then what failed meanwhile", () =>
    Effect.gen(function* () {
      const [first, second, third] = yield* begin(3)
      yield* fail(first!, 0)
      yield* sweep(5)
      yield* fail(second!, 10)
      yield* fail(third!, 20)
      for (const minute of [15, 25, 64]) yield* sweep(minute)
      assert.deepStrictEqual(yield* subjects, ["Webhook to dead.example is failing"])
      yield* sweep(65)
      assert.deepStrictEqual((yield* subjects).slice(1), ["2 webhooks to dead.example are failing"])
    })
  )

  it.effect("say nothing of recovery where nothing was said of failure, or the webhook was disabled", () =>
    Effect.gen(function* () {
      const webhooks = yield* WebhookStore
      const [short, disabled, deleted] = yield* begin(3, [
        "short.example",
        "disabled.example",
        "deleted.example"
      ])
      for (const id of [short!, disabled!, deleted!]) yield* fail(id, 0)
      yield* request(short!, 4, "delivered")
      yield* sweep(5)
      yield* webhooks.change(OWNER, disabled!, { status: "disabled" }, NOW + 6 * MINUTE)
      yield* webhooks.remove(OWNER, deleted!, NOW + 6 * MINUTE)
      yield* sweep(20)
      assert.deepStrictEqual((yield* subjects).toSorted(), [
        "Webhook to deleted.example is failing",
        "Webhook to disabled.example is failing"
      ])
    })
  )

  it.effect("come again about an incident that goes on after it seemed to be over", () =>
    Effect.gen(function* () {
      const [id] = yield* begin(1)
      yield* fail(id!, 0)
      yield* sweep(5)
      yield* request(id!, 10, "delivered")
      // A failure less than 5 minutes later may become a part of the incident.
      yield* request(id!, 14, "retrying")
      yield* sweep(16)
      assert.strictEqual((yield* subjects).length, 1)
      yield* request(id!, 17, "delivered")
      yield* sweep(17)
      // Recorded too late.
      yield* fail(id!, 14.9)
      for (const minute of [18, 64, 65]) yield* sweep(minute)
      assert.deepStrictEqual(yield* subjects, [
        "Webhook to dead.example is failing",
        "Webhook to dead.example works again",
        "Webhook to dead.example is failing"
      ])
    })
  )

  it.effect("wait while most hosts fail, for an hour, and then say that others fail too", () =>
    Effect.gen(function* () {
      const hosts = Array.from({ length: 10 }, (_, i) => `host${i}.example`)
      const ids = yield* begin(10, hosts)
      // The newest attempt of each was within the last hour.
      for (const id of ids) yield* Effect.andThen(fail(id, 0), request(id, 30, "retrying"))
      for (const minute of [5, 30, 64]) yield* sweep(minute)
      assert.deepStrictEqual(yield* subjects, [])
      yield* sweep(65)
      assert.strictEqual((yield* subjects).length, 10)
      assert.include((yield* notices)[0]!.text, "Many other endpoints fail at the same time")
    })
  )

  it.effect("are sent once most hosts answer again, about those that still fail", () =>
    Effect.gen(function* () {
      const hosts = Array.from({ length: 10 }, (_, i) => `host${i}.example`)
      const ids = yield* begin(10, hosts)
      for (const id of ids) yield* fail(id, 0)
      yield* sweep(10)
      for (const id of ids.slice(1)) yield* request(id, 11, "delivered")
      yield* sweep(12)
      assert.deepStrictEqual(yield* subjects, ["Webhook to host0.example is failing"])
      assert.notInclude((yield* notices)[0]!.text, "other endpoints")
    })
  )

  for (const [change, table] of [
    ["UPDATE", "incidents"],
    ["INSERT", "mails"],
    ["INSERT", "notices"]
  ] as const)
    it.effect(`are queued once if the process dies after its ${change} of ${table}`, () =>
      Effect.gen(function* () {
        const [id] = yield* begin(1)
        yield* fail(id!, 0)
        const revive = yield* killOn(change, table)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sweep(5))))
        yield* Effect.retry(revive, { times: 10 })
        assert.deepStrictEqual(yield* subjects, [])
        yield* sweep(6)
        yield* sweep(7)
        assert.deepStrictEqual(yield* subjects, ["Webhook to dead.example is failing"])
        assert.strictEqual((yield* notices).length, 1)
      })
    )
})
