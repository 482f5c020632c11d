/** What deliver knows of a webhook: the secrets that it signs with, and no filters. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CONFIG_TOPIC, type WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { describeUnusable } from "../../../src/spine/registry/UnusableWebhooks.ts"
import { secretsAt, WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { viewLayer } from "../../support/deliver/views.ts"

const UNTIL = Date.parse("2026-11-21T09:30:00.000Z")

const config: Omit<WebhookConfig, "sealed_secret"> = {
  id: "wh_1",
  account_id: "acct_1",
  network: "mainnet",
  status: "active",
  url: "https://example.com/",
  event_types: ["payment.xrp"],
  account_filters: [],
  headers: {},
  max_in_flight: 16,
  max_per_second: null
}

layer(WebhookRegistry.layer.pipe(Layer.provideMerge(viewLayer)))("the registry", (it) => {
  const told = (value: object) =>
    Effect.gen(function* () {
      const log = yield* Log
      const registry = yield* WebhookRegistry
      yield* log.transaction({
        append: [{ topic: CONFIG_TOPIC, key: "wh_1", value: JSON.stringify({ ...config, ...value }) }]
      })
      yield* registry.upToDate
      return registry
    })
  const tell = (value: object) => Effect.map(told(value), (registry) => registry.get("wh_1")!)

  it.effect("has both secrets during a grace, the new one first, and one secret otherwise", () =>
    Effect.gen(function* () {
      const { seal } = yield* SecretBox
      const inGrace = yield* tell({
        sealed_secret: seal("new"),
        previous_secret: { sealed: seal("old"), until: UNTIL }
      })
      assert.deepStrictEqual(secretsAt(inGrace, UNTIL - 1), ["new", "old"])
      assert.deepStrictEqual(secretsAt(inGrace, UNTIL), ["new"])
      const after = yield* tell({ sealed_secret: seal("new") })
      assert.deepStrictEqual(secretsAt(after, UNTIL - 1), ["new"])
    })
  )

  it.effect("knows a webhook whose secrets it cannot decrypt, and says why it cannot use it", () =>
    Effect.gen(function* () {
      const { seal } = yield* SecretBox
      for (const sealed of [
        { sealed_secret: "v1.unknown.x.y" },
        { sealed_secret: seal("new"), previous_secret: { sealed: "v1.unknown.x.y", until: UNTIL } }
      ]) {
        yield* tell({ sealed_secret: seal("known") })
        const registry = yield* told(sealed)
        assert.isUndefined(registry.get("wh_1"))
        assert.isTrue(registry.isKnown("wh_1"))
        assert.match(registry.unusable()!, /^the deliveries of wh_1 wait in this process: SECRETS_KEY: /)
      }
      const registry = yield* told({ sealed_secret: seal("known") })
      assert.isUndefined(registry.unusable())
      assert.strictEqual(registry.get("wh_1")!.secret, "known")
    })
  )

  it.effect("needs no key for a secret whose grace has ended", () =>
    Effect.gen(function* () {
      const { seal } = yield* SecretBox
      yield* TestClock.setTime(UNTIL)
      const known = yield* tell({
        sealed_secret: seal("new"),
        previous_secret: { sealed: "v1.unknown.x.y", until: UNTIL }
      })
      assert.deepStrictEqual(secretsAt(known, UNTIL), ["new"])
    })
  )

  it("names a few webhooks for each reason", () => {
    const reasons = Array.from({ length: 9 }, (_, i) => [`wh_${i}`, { reason: i < 8 ? "A." : "B." }] as const)
    assert.strictEqual(
      describeUnusable(new Map(reasons)),
      "the deliveries of wh_0, wh_1, wh_2, wh_3, wh_4 and 3 more wait in this process: A. the deliveries of wh_8 wait in this process: B."
    )
  })

  it.effect("stores no filters: only route needs them", () =>
    Effect.gen(function* () {
      const { seal } = yield* SecretBox
      const known = yield* tell({ sealed_secret: seal("a"), payload_filter: { amount: "5" } })
      assert.notIncludeMembers(Object.keys(known.config), [
        "event_types",
        "account_filters",
        "payload_filter"
      ])
    })
  )
})
