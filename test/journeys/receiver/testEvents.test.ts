/** A test event from the request to the receiver: sent, retried and recorded like any other, and counted nowhere. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../../support/deliver/delivering.ts"
import { makeReceiver, signatureHolds } from "../../support/deliver/receiver.ts"
import { serviceLayer, startWithWebhook } from "../../support/http/service.ts"

const counters = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly failures: number; readonly used: number }>`
    SELECT consecutive_failures AS failures,
           (SELECT count(*) FROM delivery_usage u WHERE u.account_id = w.account_id)::int AS used
    FROM webhooks w WHERE id = ${webhookId}`
  return row!
})

describe("a test event", () => {
  it.live("arrives signed, in the envelope of a test network, and is in the record as it was sent", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      // The webhook wants payments, but a test event may have any type.
      const webhook = yield* startWithWebhook(receiver.url, { event_types: ["check.cashed"] })
      const [id] = yield* webhook.test()
      yield* webhook.until([id!], "delivered")
      const [got] = receiver.received
      assert.isTrue(signatureHolds(webhook.secret, got!))
      assert.strictEqual(got!.deliveryId, id)
      assert.deepInclude(got!.event, {
        event_type: "payment.xrp",
        network: "testnet",
        webhook_id: webhook.id
      })
      const detail = yield* webhook.deliveryOf(id!)
      assert.deepInclude(detail, {
        webhook_id: webhook.id,
        event_id: got!.event.event_id,
        request_body: got!.body,
        response_status: 200,
        attempts: 1
      })
      assert.deepStrictEqual(yield* counters(webhook.id), { failures: 0, used: 0 })
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("is retried, fails, and is sent again by hand, and the webhook's count does not move", () =>
    Effect.gen(function* () {
      let broken = true
      const receiver = yield* makeReceiver(() => (broken ? 500 : 200))
      const webhook = yield* startWithWebhook(receiver.url)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhooks SET consecutive_failures = 1 WHERE id = ${webhook.id}`
      const ids = yield* webhook.test(2)
      yield* webhook.until(ids, "failed")
      assert.strictEqual(receiver.received.length, 4)
      assert.deepStrictEqual(yield* counters(webhook.id), { failures: 1, used: 0 })
      assert.strictEqual((yield* webhook.shown).status, "active")
      broken = false
      const retried = yield* webhook.as("POST", `/v1/deliveries/${ids[0]}/retry`)
      assert.deepStrictEqual(retried.body, { delivery_id: ids[0], status: "pending" })
      yield* webhook.until([ids[0]!], "delivered")
      const { attempts, attempt_history, request_body } = yield* webhook.deliveryOf(ids[0]!)
      assert.deepStrictEqual([attempts, attempt_history.length], [3, 3])
      const bodies = receiver.received
        .filter(({ deliveryId }) => deliveryId === ids[0])
        .map(({ body }) => body)
      assert.deepStrictEqual(bodies, [request_body, request_body, request_body])
      assert.deepStrictEqual(yield* counters(webhook.id), { failures: 1, used: 0 })
    }).pipe(
      Effect.scoped,
      Effect.provide(serviceLayer({ DISABLE_AFTER_FAILURES: "2", DELIVERY_RETRY_DELAYS: "1ms" }))
    )
  )

  it.live("is answered with its first attempt if the request waits, and not later than that", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      let answer = 200
      const receiver = yield* makeReceiver((_, response) => {
        if (answer !== 0) return answer
        held.push(() => void response.end())
        return "handled"
      })
      const webhook = yield* startWithWebhook(receiver.url)
      const send = (wait: string, headers: Readonly<Record<string, string>> = {}) =>
        webhook.as(
          "POST",
          `/v1/webhooks/${webhook.id}/test?wait=${wait}`,
          { event_type: "payment.xrp" },
          headers
        )
      const firstAttempt = (id: string) =>
        Effect.map(webhook.deliveryOf(id), ({ attempt_history }) => attempt_history[0])

      for (const [status, shown] of [
        [200, { status: "delivered", response_status: 200 }],
        [503, { status: "failed", response_status: 503, error: "HTTP 503" }]
      ] as const) {
        answer = status
        const { body, status: answered } = yield* send("10s")
        assert.strictEqual(answered, 200)
        assert.deepInclude(body.attempt, { attempt: 1, ...shown })
        assert.deepStrictEqual(body.attempt, yield* firstAttempt(body.delivery_id))
      }

      // The receiver has not answered yet.
      answer = 0
      const late = yield* send("200ms")
      assert.deepStrictEqual([late.status, late.body.attempt], [202, null])
      assert.deepStrictEqual((yield* send("0s")).body.attempt, null)
      answer = 200
      for (const end of held) end()
      yield* webhook.until([late.body.delivery_id], "delivered")

      // The response is stored in the transaction that queues the event.
      const kept = yield* send("10s", { "idempotency-key": "test-1" })
      assert.deepStrictEqual([kept.status, kept.body.attempt], [202, null])
      assert.deepStrictEqual((yield* send("10s", { "idempotency-key": "test-1" })).body, kept.body)

      for (const wait of ["11s", "10", "-1s", "10001ms", "1m", ""]) {
        const refused = yield* send(wait)
        assert.deepStrictEqual(
          [refused.status, refused.body.error.message],
          [400, "wait must be a time from 0s to 10s, such as 10s or 500ms."]
        )
      }
    }).pipe(Effect.scoped, Effect.provide(serviceLayer({ DELIVERY_RETRY_DELAYS: "1h" })))
  )

  it.live("waits in its row while the webhook is disabled, and is sent when it is activated", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const receiver = yield* makeReceiver((_, response) => {
        if (held.length > 0) return 200
        held.push(() => void response.end())
        return "handled"
      })
      const webhook = yield* startWithWebhook(receiver.url, { max_in_flight: 1 })
      const ids = yield* webhook.test(4)
      yield* receiver.until((received) => received.length === 1)
      yield* webhook.change({ status: "disabled" })
      const sql = yield* SqlClient.SqlClient
      yield* eventually(
        Effect.map(sql`SELECT 1 FROM deliveries WHERE parked`, (parked) =>
          assert.strictEqual(parked.length, 3)
        )
      )
      held[0]!()
      yield* webhook.until([ids[0]!], "delivered")
      yield* webhook.change({ status: "active" })
      yield* webhook.until(ids, "delivered")
      assert.deepStrictEqual(
        receiver.received.map(({ deliveryId }) => deliveryId),
        ids
      )
      assert.strictEqual(new Set(receiver.received.map(({ event }) => event.event_id)).size, 4)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )
})
