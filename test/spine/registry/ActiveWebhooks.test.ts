/** Whether a network has an active webhook follows every change of any of them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { CONFIG_TOPIC, type WebhookStatus } from "../../../src/spine/domain/Webhook.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { activeWebhooks } from "../../../src/spine/registry/ActiveWebhooks.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { viewLayer } from "../../support/deliver/views.ts"

const publish = Effect.fnUntraced(function* (
  id: string,
  network: Network,
  status: WebhookStatus | "deleted"
) {
  const log = yield* Log
  const secrets = yield* SecretBox
  const config = {
    id,
    account_id: "acct_1",
    network,
    status,
    url: "https://receiver.example/",
    event_types: ["payment.xrp"],
    account_filters: [],
    headers: {},
    max_in_flight: 16,
    max_per_second: null,
    sealed_secret: secrets.seal("secret")
  }
  const value = status === "deleted" ? null : JSON.stringify(config)
  yield* log.transaction({ append: [{ topic: CONFIG_TOPIC, key: id, value }] })
  yield* (yield* WebhookRegistry).upToDate
})

layer(WebhookRegistry.layer.pipe(Layer.provideMerge(viewLayer)))("active webhooks of a network", (it) => {
  it.effect("exist from the first active one until the last one is disabled or deleted", () =>
    Effect.gen(function* () {
      yield* publish("wh_before", "devnet", "active")
      const onTestnet = yield* activeWebhooks("testnet")
      const onDevnet = yield* activeWebhooks("devnet")
      assert.isFalse(onTestnet.any())
      assert.isTrue(onDevnet.any())

      const waiting = yield* Effect.forkChild(onTestnet.awaitAny)
      yield* publish("wh_1", "testnet", "disabled")
      assert.isUndefined(waiting.pollUnsafe())
      yield* publish("wh_1", "testnet", "active")
      yield* Fiber.join(waiting)
      yield* publish("wh_2", "testnet", "active")
      yield* publish("wh_1", "testnet", "disabled")
      assert.isTrue(onTestnet.any())
      yield* publish("wh_2", "testnet", "deleted")
      assert.isFalse(onTestnet.any())
      assert.isTrue(onDevnet.any())
      yield* publish("wh_1", "testnet", "active")
      yield* onTestnet.awaitAny
    }).pipe(Effect.scoped)
  )
})
