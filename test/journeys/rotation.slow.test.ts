/**
 * "Every attempt sent after the response is signed with the new secret": retries, work that is in memory, and a deliver
 * process that learns of the rotation late. Signatures are checked by code of the test's own.
 */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { CONFIG_TOPIC } from "../../src/spine/domain/Webhook.ts"
import { Log } from "../../src/spine/log/Log.ts"
import { makeReceiver, type Received } from "../support/deliver/receiver.ts"
import { waitUntil } from "../support/http/apiClient.ts"
import { serviceLayer, startWithWebhook } from "../support/http/service.ts"

const signature = (secret: string, { body }: Received): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

const headerOf = ({ headers }: Received) => headers["x-service-signature"]

describe("after a rotation's answer", () => {
  it.live("retries are signed with the new secret, and with no other", () =>
    Effect.gen(function* () {
      let rotated = false
      const receiver = yield* makeReceiver(() => (rotated ? 200 : 503))
      const webhook = yield* startWithWebhook(receiver.url)
      const ids = yield* webhook.test(5)
      yield* receiver.until((received) => received.length >= 5)
      assert.strictEqual(headerOf(receiver.received[0]!), signature(webhook.secret, receiver.received[0]!))
      const { secret } = yield* webhook.rotate()
      rotated = true
      const sent = receiver.received.length
      yield* webhook.until(ids, "delivered")
      const after = receiver.received.slice(sent)
      assert.isAtLeast(after.length, 5)
      for (const one of after) assert.strictEqual(headerOf(one), signature(secret, one))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("work that waited in memory is signed with the new secret", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const receiver = yield* makeReceiver((_, response) => {
        if (held.length > 0) return 200
        held.push(() => void response.end())
        return "handled"
      })
      const webhook = yield* startWithWebhook(receiver.url, { max_in_flight: 1 })
      const ids = yield* webhook.test(5)
      yield* receiver.until((received) => received.length === 1)
      const { secret } = yield* webhook.rotate()
      assert.strictEqual(receiver.received.length, 1)
      held[0]!()
      yield* webhook.until(ids, "delivered")
      assert.strictEqual(receiver.received.length, 5)
      for (const one of receiver.received.slice(1)) assert.strictEqual(headerOf(one), signature(secret, one))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )

  it.live("a process that does not know of it yet sends nothing until it does", () => {
    /** While closed, deliver's view of webhooks does not change. The API and its outbox continue. */
    const gate = Latch.makeUnsafe(true)
    let asked = 0
    const lateLog = Layer.effect(
      Log,
      Effect.map(Log, (log) =>
        Log.of({
          ...log,
          read: (from, max) =>
            from.topic === CONFIG_TOPIC
              ? Effect.andThen(Latch.await(gate), log.read(from, max))
              : log.read(from, max),
          offsets: (partition) =>
            Effect.suspend(() => {
              if (partition.topic === CONFIG_TOPIC) asked++
              return log.offsets(partition)
            })
        })
      )
    )
    return Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* startWithWebhook(receiver.url)
      yield* webhook.until(yield* webhook.test(), "delivered")
      gate.closeUnsafe()
      const { secret } = yield* webhook.rotate()
      const before = asked
      const ids = yield* webhook.test(3)
      // Deliver has the work and checks for missed changes, because its old view would make a stale signature.
      yield* waitUntil(
        Effect.sync(() => asked > before || receiver.received.length > 1),
        "20 seconds"
      )
      assert.strictEqual(receiver.received.length, 1)
      gate.openUnsafe()
      yield* webhook.until(ids, "delivered")
      for (const one of receiver.received.slice(1)) assert.strictEqual(headerOf(one), signature(secret, one))
    }).pipe(Effect.scoped, Effect.provide(serviceLayer({}, lateLog)))
  })

  it.live("the grace has both signatures, the new one first, and ends", () =>
    Effect.gen(function* () {
      let rotated = false
      // The receiver accepts only a request with one signature, which is sent once the grace period is over.
      const receiver = yield* makeReceiver((one) =>
        rotated && !String(headerOf(one)).includes(",") ? 200 : 503
      )
      const webhook = yield* startWithWebhook(receiver.url)
      const ids = yield* webhook.test(2)
      const { secret } = yield* webhook.rotate({ grace_seconds: 1 })
      const sent = receiver.received.length
      rotated = true
      yield* webhook.until(ids, "delivered")
      const both = receiver.received.filter((one) => String(headerOf(one)).includes(","))
      assert.isAtLeast(both.length, 2)
      for (const one of both) {
        assert.strictEqual(headerOf(one), `${signature(secret, one)},${signature(webhook.secret, one)}`)
      }
      for (const one of receiver.received.slice(sent)) {
        if (!both.includes(one)) assert.strictEqual(headerOf(one), signature(secret, one))
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(serviceLayer({ DELIVERY_RETRY_DELAYS: new Array(9).fill("500ms").join(",") }))
    )
  )
})
