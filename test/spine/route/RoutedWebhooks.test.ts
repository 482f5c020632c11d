/** Route's view of webhooks follows the log, and needs neither secrets nor addresses. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CONFIG_TOPIC } from "../../../src/spine/domain/Webhook.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { RoutedWebhooks } from "../../../src/spine/route/RoutedWebhooks.ts"
import { viewLayer } from "../../support/deliver/views.ts"

const webhook = {
  id: "wh_1",
  account_id: "acct_1",
  network: "mainnet",
  status: "active",
  url: "https://example.com/",
  event_types: ["payment.xrp"],
  account_filters: [],
  headers: {},
  max_in_flight: 16,
  max_per_second: null,
  sealed_secret: "v1.unknown.x.y"
}

const paying = (amount: string) =>
  ({
    network: "mainnet",
    event_type: "payment.xrp",
    accounts: [],
    payload: { amount }
  }) as unknown as LedgerEvent

layer(RoutedWebhooks.layer.pipe(Layer.provideMerge(viewLayer)))("route's view of webhooks", (it) => {
  /** Appends the record and returns which of two payments, of 5 and 6, the webhook gets then. */
  const wantedAfter = Effect.fnUntraced(function* (value: object | null) {
    const log = yield* Log
    const { match, upToDate } = yield* RoutedWebhooks
    const record = { topic: CONFIG_TOPIC, key: "wh_1", value: value === null ? null : JSON.stringify(value) }
    yield* log.transaction({ append: [record] })
    yield* upToDate
    return ["5", "6"].filter((amount) => match(paying(amount)).length > 0)
  })

  it.effect("has each change, also of a webhook whose secret it cannot decrypt", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* wantedAfter(webhook), ["5", "6"])
      const filtered = { ...webhook, payload_filter: { amount: { $gt: "5" } } }
      assert.deepStrictEqual(yield* wantedAfter(filtered), ["6"])
      assert.deepStrictEqual(yield* wantedAfter(null), [])
    })
  )

  it.effect("passes over a record that another version wrote", () =>
    Effect.gen(function* () {
      const filtered = { ...webhook, payload_filter: { amount: { $gt: "5" } } }
      assert.deepStrictEqual(yield* wantedAfter(filtered), ["6"])
      assert.deepStrictEqual(yield* wantedAfter({ ...webhook, payload_filter: { amount: { $near: "5" } } }), [
        "6"
      ])
      const { account_filters, ...incomplete } = webhook
      assert.deepStrictEqual(yield* wantedAfter(incomplete), ["6"])
    })
  )
})
