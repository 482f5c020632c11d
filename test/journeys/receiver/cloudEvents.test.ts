/** Deliveries of a running service as CloudEvents, read by a receiver with the library `cloudevents`. */
import { assert, describe, it } from "@effect/vitest"
import { CloudEvent, HTTP } from "cloudevents"
import { Effect } from "effect"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { complaints, payloadPath } from "../../schemas/support.ts"
import { makeReceiver, type Received } from "../../support/deliver/receiver.ts"
import { serviceLayer, startWithWebhook } from "../../support/http/service.ts"

/** Throws if the request is not a valid CloudEvent. */
const cloudEventOf = ({ headers, body }: Received): CloudEvent<unknown> => {
  const event = HTTP.toEvent({ headers, body })
  assert.isTrue(event instanceof CloudEvent && event.validate())
  return event as CloudEvent<unknown>
}

describe("CloudEvents", () => {
  it.live(
    "carry each event type, with a payload of its schema as data; the detail shows the body as sent",
    () =>
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        const webhook = yield* startWithWebhook(receiver.url, { format: "cloudevents" })
        const ids: Array<string> = []
        for (const event_type of eventTypes) {
          const queued = yield* webhook.as("POST", `/v1/webhooks/${webhook.id}/test`, { event_type })
          ids.push(queued.body.delivery_id)
        }
        yield* webhook.until(ids, "delivered")
        const events = receiver.received.map((received) => ({ received, event: cloudEventOf(received) }))
        assert.sameMembers(
          events.map(({ event }) => event.type),
          [...eventTypes]
        )
        for (const { received, event } of events) {
          assert.deepStrictEqual(complaints(payloadPath(event.type), event.data), [])
          assert.strictEqual(event.id, received.headers["x-service-event-id"])
          assert.strictEqual(event["webhookid"], webhook.id)
          assert.strictEqual((yield* webhook.deliveryOf(received.deliveryId)).request_body, received.body)
        }
      }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("start with a change of format, also for retries, and stop with the next", () =>
    Effect.gen(function* () {
      let isReady = false
      const receiver = yield* makeReceiver(() => (isReady ? 200 : 503))
      const webhook = yield* startWithWebhook(receiver.url)
      const ids = yield* webhook.test()
      yield* receiver.until((received) => received.length > 0)
      assert.strictEqual((yield* webhook.change({ format: "cloudevents" })).format, "cloudevents")
      const sent = receiver.received.length
      // One more attempt may have begun before the change.
      yield* receiver.until((received) => received.length > sent + 1)
      isReady = true
      yield* webhook.until(ids, "delivered")
      const [first, last] = [receiver.received[0]!, receiver.received.at(-1)!]
      assert.strictEqual(first.event.webhook_id, webhook.id)
      assert.strictEqual(first.headers["ce-id"], undefined)
      assert.deepStrictEqual(cloudEventOf(last).data, first.event["payload"])
      yield* webhook.change({ format: "ledgerhook" })
      yield* webhook.until(yield* webhook.test(), "delivered")
      assert.strictEqual(receiver.received.at(-1)!.event.webhook_id, webhook.id)
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )
})
