/** A customer changes a webhook while deliveries are under way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { endStoppedBacklog } from "../../../src/spine/deliver/Deliver.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  queueEvents,
  setStatus,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { serviceLayer, startWithWebhook } from "../../support/http/service.ts"

describe("a change", () => {
  it.live("of url and headers applies to retries that wait", () =>
    Effect.gen(function* () {
      const before = yield* makeReceiver(() => 503)
      const after = yield* makeReceiver()
      const webhook = yield* startWithWebhook(before.url, { headers: { "X-Team": "before" } })
      const [id] = yield* webhook.test()
      yield* before.until((received) => received.length > 0)
      yield* webhook.change({ url: after.url, headers: { "X-Team": "after" } })
      yield* webhook.until([id!], "delivered")
      assert.strictEqual(before.received[0]!.headers["x-team"], "before")
      assert.strictEqual(after.received[0]!.headers["x-team"], "after")
      assert.strictEqual(after.received[0]!.body, before.received[0]!.body)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("of max_in_flight applies to what is queued", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const receiver = yield* makeReceiver((_, response) => {
        held.push(() => void response.end())
        return "handled"
      })
      const webhook = yield* startWithWebhook(receiver.url, { max_in_flight: 1 })
      const ids = yield* webhook.test(4)
      yield* receiver.until((received) => received.length === 1)
      yield* webhook.change({ max_in_flight: 4 })
      yield* receiver.until((received) => received.length === 4)
      for (const end of held) end()
      yield* webhook.until(ids, "delivered")
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("that deletes it drops what is queued, finishes what is in flight, and keeps the record", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const receiver = yield* makeReceiver((_, response) => {
        held.push(() => void response.end())
        return "handled"
      })
      const webhook = yield* startWithWebhook(receiver.url, { max_in_flight: 1 })
      const [inFlight, ...queued] = yield* webhook.test(3)
      yield* receiver.until((received) => received.length === 1)
      yield* webhook.remove
      yield* webhook.until(queued, "failed")
      held[0]!()
      yield* webhook.until([inFlight!], "delivered")
      for (const id of queued) {
        const delivery = yield* webhook.deliveryOf(id)
        assert.deepInclude(delivery, { last_error: "webhook deleted", attempts: 0, request_body: null })
      }
      assert.strictEqual(receiver.received.length, 1)
      const listed = yield* webhook.as("GET", `/v1/deliveries?webhook_id=${webhook.id}`)
      assert.strictEqual(listed.body.data.length, 3)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("that disables it lets what is queued wait for seven days, and then ends it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url)
      yield* setStatus(webhook, "disabled")
      const disabledFor = (interval: string) =>
        sql`UPDATE webhooks SET disabled_at = now() - ${interval}::interval WHERE id = ${webhook}`
      yield* disabledFor("6 days 23 hours")
      const ids = yield* queueEvents(webhook, 3)
      const parked = Effect.map(sql`SELECT 1 FROM deliveries WHERE parked`, (rows) =>
        assert.strictEqual(rows.length, 3)
      )
      const stage = yield* startDelivering
      yield* eventually(parked)
      // A process does this every hour.
      yield* endStoppedBacklog
      yield* parked
      yield* stage.stop
      yield* disabledFor("7 days 1 second")
      yield* endStoppedBacklog
      yield* untilAll(ids, "failed")
      const [row] = yield* sql`SELECT last_error, attempts, parked FROM deliveries WHERE id = ${ids[0]!}`
      assert.deepStrictEqual(row, { last_error: "webhook disabled", attempts: 0, parked: false })
      assert.strictEqual(receiver.received.length, 0)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})
