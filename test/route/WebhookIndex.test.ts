/** Routing finds exactly the webhooks that want an event, through every change of a webhook. */
import { assert, describe, it } from "@effect/vitest"
import type { LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import type { WebhookConfig } from "../../src/domain/Webhook.ts"
import { makeWebhookIndex } from "../../src/route/WebhookIndex.ts"

const webhook = (id: string, fields: Partial<WebhookConfig> = {}): WebhookConfig => ({
  id,
  account_id: "acct_1",
  network: "mainnet",
  status: "active",
  url: "https://receiver.example",
  event_types: ["payment.xrp"],
  account_filters: [],
  headers: {},
  max_in_flight: 1,
  max_per_second: null,
  sealed_secret: "",
  ...fields
})
const event = (fields: Partial<LedgerEvent> = {}) =>
  ({ network: "mainnet", event_type: "payment.xrp", accounts: ["rA", "rB"], ...fields }) as LedgerEvent

const indexOf = (...webhooks: ReadonlyArray<WebhookConfig>) => {
  const index = makeWebhookIndex()
  for (const one of webhooks) index.set(one.id, one)
  return index
}
const ids = (found: ReadonlyArray<WebhookConfig>) => found.map(({ id }) => id)

describe("webhook index", () => {
  it("matches by network, type and involved account, each webhook once and in the order of ids", () => {
    const index = indexOf(
      webhook("wh_3"),
      webhook("wh_1", { account_filters: ["rA", "rB"] }),
      webhook("wh_2", { account_filters: ["rC"] }),
      webhook("wh_4", { network: "testnet" }),
      webhook("wh_5", { event_types: ["payment.issued"] })
    )
    assert.deepStrictEqual(ids(index.match(event())), ["wh_1", "wh_3"])
    assert.deepStrictEqual(ids(index.match(event({ network: "testnet" }))), ["wh_4"])
    assert.deepStrictEqual(ids(index.match(event({ event_type: "nft.minted" }))), [])
  })

  it("forgets what a change no longer asks for", () => {
    const index = indexOf(webhook("wh_1", { account_filters: ["rA"] }))
    index.set("wh_1", webhook("wh_1", { account_filters: ["rC"] }))
    assert.deepStrictEqual(ids(index.match(event())), [])
    index.set("wh_1", webhook("wh_1"))
    assert.deepStrictEqual(ids(index.match(event())), ["wh_1"])
  })

  it("queues nothing for a disabled or deleted webhook, and again once it is enabled", () => {
    const index = indexOf(webhook("wh_1"))
    index.set("wh_1", webhook("wh_1", { status: "disabled" }))
    assert.deepStrictEqual(ids(index.match(event())), [])
    index.set("wh_1", webhook("wh_1"))
    assert.deepStrictEqual(ids(index.match(event())), ["wh_1"])
    index.set("wh_1", undefined)
    assert.deepStrictEqual(ids(index.match(event())), [])
  })
})
