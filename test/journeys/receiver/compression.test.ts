/** Compressed deliveries of a running service: a receiver gets the body that the detail shows, with its signature. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeReceiver, signatureHolds } from "../../support/deliver/receiver.ts"
import { serviceLayer, startWithWebhook } from "../../support/http/service.ts"

describe("compression", () => {
  it.live("is the one that the webhook asks for, at each time", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* startWithWebhook(receiver.url, { compression: "gzip" })
      const steps = ["gzip", "zstd", null]
      for (const compression of steps) {
        assert.strictEqual((yield* webhook.change({ compression })).compression, compression)
        yield* webhook.until(yield* webhook.test(), "delivered")
      }
      assert.deepStrictEqual(
        receiver.received.map(({ headers }) => headers["content-encoding"] ?? null),
        steps
      )
      for (const one of receiver.received) {
        assert.isTrue(signatureHolds(webhook.secret, one))
        assert.strictEqual((yield* webhook.deliveryOf(one.deliveryId)).request_body, one.body)
      }
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )
})
