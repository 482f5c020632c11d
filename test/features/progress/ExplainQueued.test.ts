/** `/v1/explain` of a delivery that has no row yet, with the real stages: it waits in the log, and is sent later. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventsTopic } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { eventually, stagesLayer, startDelivering } from "../../support/deliver/delivering.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { isoSecond, writeLedgers } from "../replay/replaying.ts"

const layers = stagesLayer().pipe(
  Layer.provideMerge(apiLayer({ DELIVERY_ALLOW_HTTP: "true", DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true" })),
  Layer.provideMerge(Telemetry.layer(undefined))
)

layer(layers, { excludeTestServices: true })("an explanation", (it) => {
  it.effect("says that a delivery is queued until it is sent, and then shows it", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const log = yield* Log
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* api.account()
      const receiver = yield* makeReceiver()
      const body = { url: receiver.url, event_types: ["payment.*"] }
      const webhookId = (yield* api.call("POST", "/v1/webhooks", { key, body })).body.id
      yield* sql`UPDATE webhooks SET created_at = created_at - interval '1 day'`
      const event = eventOf({ timestamp: isoSecond(Date.now()) })
      const hash = event.event_id.split(":")[2]!
      yield* writeLedgers([{ index: event.ledger_index, closeTime: event.timestamp, events: [event] }])
      const explained = Effect.map(
        api.call("GET", `/v1/explain?transaction=${hash}`, { key }),
        ({ body: { events } }) => events[0].webhooks[0]
      )
      const queued = { webhook_id: webhookId, wanted: true, reason: "queued", delivery: null }
      assert.deepStrictEqual(yield* explained, queued)

      const routing = yield* Effect.forkScoped(route(["mainnet"]))
      const routed = log.committed("route", { topic: eventsTopic("mainnet"), partition: 0 })
      yield* eventually(Effect.map(routed, (offset) => assert.strictEqual(offset, 1)))
      yield* Fiber.interrupt(routing)
      assert.deepStrictEqual(yield* explained, queued)
      assert.deepStrictEqual((yield* api.call("GET", "/v1/deliveries", { key })).body.data, [])

      yield* startDelivering
      yield* eventually(
        Effect.map(explained, ({ delivery, ...rest }) => {
          assert.deepStrictEqual(rest, { webhook_id: webhookId, wanted: true, reason: "matched" })
          assert.strictEqual(delivery?.status, "delivered")
        })
      )
    })
  )
})
