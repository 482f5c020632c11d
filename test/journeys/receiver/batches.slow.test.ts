/** Batches of a running service, handled by the package for receivers: what it could not handle is sent again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createReceiver } from "../../../packages/receiver-js/src/receiver.ts"
import { deliveryIdsOf, makeReceiver } from "../../support/deliver/receiver.ts"
import { serviceLayer, startWithWebhook } from "../../support/http/service.ts"

describe("batches", () => {
  it.live("are handled by the package for receivers, and what fails in one is sent again", () =>
    Effect.gen(function* () {
      const failing = new Set<string>()
      const handled: Array<string | undefined> = []
      let secret = ""
      const receiver = yield* makeReceiver(({ body, headers }, response) => {
        const { receive } = createReceiver({
          secrets: [secret],
          onError: () => undefined,
          onEvent: (_, deliveryId) => {
            if (failing.delete(deliveryId ?? "")) throw new Error("not now")
            handled.push(deliveryId)
          }
        })
        void receive({ headers, body: Buffer.from(body) }).then((answer) =>
          response.writeHead(answer.status).end(answer.body)
        )
        return "handled"
      })
      const webhook = yield* startWithWebhook(receiver.url, {
        signing: ["service", "standard"],
        batch: { max_events: 3, max_wait_ms: 5_000 }
      })
      secret = webhook.secret
      assert.deepStrictEqual((yield* webhook.shown).batch, { max_events: 3, max_wait_ms: 5_000 })
      const [first = "", second = ""] = yield* webhook.test(2)
      failing.add(second)
      const [third = ""] = yield* webhook.test()
      yield* webhook.until([first, third], "delivered")
      assert.strictEqual(
        (yield* webhook.change({ batch: { max_events: 2, max_wait_ms: 0 } })).batch.max_events,
        2
      )
      yield* webhook.until([second], "delivered")

      assert.deepStrictEqual(receiver.received.map(deliveryIdsOf), [[first, second, third], [second]])
      assert.deepStrictEqual(handled, [first, third, second])
      const [whole, again] = receiver.received
      const shown = yield* webhook.deliveryOf(second)
      const [, item] = JSON.parse(whole!.body)
      assert.deepStrictEqual(JSON.parse(shown.request_body), item)
      assert.strictEqual(shown.request_headers["X-Service-Batch-Id"], again!.headers["x-service-batch-id"])
      assert.deepStrictEqual(
        shown.attempt_history.map(({ batch_id, error = null }: Record<string, unknown>) => [batch_id, error]),
        [
          [whole!.headers["x-service-batch-id"], "listed as failed (HTTP 207)"],
          [again!.headers["x-service-batch-id"], null]
        ]
      )

      yield* webhook.change({ batch: null })
      yield* webhook.until(yield* webhook.test(), "delivered")
      assert.isUndefined(receiver.received[2]!.headers["x-service-batch-id"])
    }).pipe(Effect.scoped, Effect.provide(serviceLayer()))
  )
})
