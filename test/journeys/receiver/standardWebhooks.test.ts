/** A receiver verifies a running service's deliveries with the libraries `standardwebhooks` and `svix`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { makeReceiver, type Received, signatureHolds } from "../../support/deliver/receiver.ts"
import { serviceLayer, startWithWebhook } from "../../support/http/service.ts"

const OWN_SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`

const headersOf = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** Verifies the request with both libraries, which throw if they refuse it. */
const verifies = (secret: string, received: Received): boolean => {
  const headers = headersOf(received)
  assert.deepStrictEqual(new StandardWebhook(secret).verify(received.body, headers), received.event)
  new SvixWebhook(secret).verify(received.body, headers)
  return true
}

const accepts = (secret: string, received: Received): boolean => {
  try {
    return verifies(secret, received)
  } catch {
    return false
  }
}

describe("Standard Webhooks", () => {
  it.live(
    "every attempt verifies; a retry keeps its id, is signed anew, and the rotation's grace has both",
    () =>
      Effect.gen(function* () {
        let rotated = false
        const receiver = yield* makeReceiver(() => (rotated ? 200 : 503))
        const webhook = yield* startWithWebhook(receiver.url, { signing: ["standard"] })
        const ids = yield* webhook.test(3)
        yield* receiver.until((received) => received.length >= 6)
        for (const one of receiver.received) {
          assert.isTrue(verifies(webhook.secret, one))
          assert.strictEqual(one.headers["webhook-id"], one.deliveryId)
          assert.notProperty(one.headers, "x-service-signature")
        }
        const { secret } = yield* webhook.rotate({ grace_seconds: 600 })
        const sent = receiver.received.length
        rotated = true
        yield* webhook.until(ids, "delivered")
        const after = receiver.received.slice(sent)
        assert.isAtLeast(after.length, 3)
        for (const one of after) {
          assert.isTrue(verifies(secret, one))
          assert.isTrue(verifies(webhook.secret, one))
        }
        assert.sameMembers([...new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))], ids)
      }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live(
    "a customer's secret signs both schemes, and a change of `signing` applies from the next request on",
    () =>
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        const webhook = yield* startWithWebhook(receiver.url, { secret: OWN_SECRET })
        yield* webhook.until(yield* webhook.test(), "delivered")
        assert.deepStrictEqual((yield* webhook.change({ signing: ["service", "standard"] })).signing, [
          "service",
          "standard"
        ])
        yield* webhook.until(yield* webhook.test(), "delivered")
        yield* webhook.change({ signing: ["service"] })
        yield* webhook.until(yield* webhook.test(), "delivered")
        assert.deepStrictEqual(
          receiver.received.map((one) => [signatureHolds(OWN_SECRET, one), accepts(OWN_SECRET, one)]),
          [
            [true, false],
            [true, true],
            [true, false]
          ]
        )
      }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )
})
