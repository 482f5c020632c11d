/** Routing finds exactly the webhooks that want an event, through every change of a webhook. */
import { createHash } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import { type EventType, eventTypes } from "../../../src/spine/event/EventType.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { makeWebhookIndex } from "../../../src/spine/route/WebhookIndex.ts"

const account = (name: string) =>
  addressOfAccountId(createHash("sha1").update(name).digest("hex").toUpperCase())
const [A, B, C] = [account("A"), account("B"), account("C")]

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
  ({ network: "mainnet", event_type: "payment.xrp", accounts: [A, B], ...fields }) as LedgerEvent

const indexOf = (...webhooks: ReadonlyArray<WebhookConfig>) => {
  const index = makeWebhookIndex()
  for (const one of webhooks) index.set(one.id, one)
  return index
}
const ids = (found: ReadonlyArray<{ readonly id: string }>) => found.map(({ id }) => id)

const keptBytes = () => {
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc")
  // The memory of a collected array is returned with the next collection.
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe("webhook index", () => {
  it("matches by network, type and involved account, each webhook once and in the order of ids", () => {
    const index = indexOf(
      webhook("wh_3"),
      webhook("wh_1", { account_filters: [A, B] }),
      webhook("wh_2", { account_filters: [C] }),
      webhook("wh_4", { network: "testnet" }),
      webhook("wh_5", { event_types: ["payment.issued"] }),
      webhook("wh_6", { network: "testnet", account_filters: [A] }),
      webhook("wh_7", { event_types: ["payment.issued"], account_filters: [A] })
    )
    assert.deepStrictEqual(ids(index.match(event())), ["wh_1", "wh_3"])
    assert.deepStrictEqual(ids(index.match(event({ network: "testnet" }))), ["wh_4", "wh_6"])
    assert.deepStrictEqual(ids(index.match(event({ event_type: "payment.issued" }))), ["wh_5", "wh_7"])
    assert.deepStrictEqual(ids(index.match(event({ event_type: "nft.minted" }))), [])
  })

  it("checks a payload filter last, and forgets it with a change", () => {
    const filter = { payload_filter: { amount: { $gte: "100" } } }
    const index = indexOf(
      webhook("wh_1", filter),
      webhook("wh_2", { ...filter, account_filters: [A] }),
      webhook("wh_3", { ...filter, account_filters: [C] }),
      webhook("wh_4")
    )
    const paying = (amount: string) => ids(index.match(event({ payload: { amount } })))
    assert.deepStrictEqual(paying("100"), ["wh_1", "wh_2", "wh_4"])
    assert.deepStrictEqual(paying("99"), ["wh_4"])
    index.set("wh_1", webhook("wh_1"))
    index.set("wh_2", webhook("wh_2", { payload_filter: { amount: "99" } }))
    assert.deepStrictEqual(paying("99"), ["wh_1", "wh_2", "wh_4"])
  })

  it("no longer matches what a change has removed", () => {
    const index = indexOf(webhook("wh_1", { account_filters: [A] }))
    index.set("wh_1", webhook("wh_1", { account_filters: [C] }))
    assert.deepStrictEqual(ids(index.match(event())), [])
    index.set("wh_1", webhook("wh_1"))
    assert.deepStrictEqual(ids(index.match(event())), ["wh_1"])
    index.set("wh_1", webhook("wh_1", { account_filters: [B] }))
    assert.deepStrictEqual(ids(index.match(event({ accounts: [B] }))), ["wh_1"])
    assert.deepStrictEqual(ids(index.match(event({ accounts: [C] }))), [])
  })

  it("matches nothing for a disabled or deleted webhook, and matches again once it is enabled", () => {
    for (const fields of [{}, { account_filters: [A] }]) {
      const index = indexOf(webhook("wh_1", fields))
      index.set("wh_1", webhook("wh_1", { ...fields, status: "disabled" }))
      assert.deepStrictEqual(ids(index.match(event())), [])
      index.set("wh_1", webhook("wh_1", fields))
      assert.deepStrictEqual(ids(index.match(event())), ["wh_1"])
      index.set("wh_1", undefined)
      assert.deepStrictEqual(ids(index.match(event())), [])
    }
  })

  it("matches nothing if none of the filters is an address", () => {
    assert.deepStrictEqual(ids(indexOf(webhook("wh_1", { account_filters: ["rA"] })).match(event())), [])
  })

  it("agrees with a plain search through a thousand changes", () => {
    const random = (() => {
      let n = 0
      return (below: number) => createHash("sha1").update(String(n++)).digest().readUInt32BE() % below
    })()
    const accounts = Array.from({ length: 400 }, (_, i) => account(`account ${i}`))
    const some = <A>(values: ReadonlyArray<A>, count: number) =>
      Array.from({ length: count }, () => values[random(values.length)]!)
    const networks: ReadonlyArray<Network> = ["mainnet", "testnet"]
    const configs = new Map<string, Partial<WebhookConfig>>()
    const index = makeWebhookIndex()
    for (let step = 0; step < 1_000; step++) {
      const id = `wh_${random(60)}`
      const fields = {
        network: some(networks, 1)[0]!,
        event_types: some<EventType>(eventTypes.slice(0, 4), 2),
        account_filters: some(accounts, random(8) === 0 ? 0 : random(200))
      }
      // In long phases most changes are deletions, so the index grows and shrinks.
      if (random(4) < (Math.floor(step / 200) % 2) * 3) {
        configs.delete(id)
        index.set(id, undefined)
      } else {
        configs.set(id, fields)
        index.set(id, webhook(id, fields))
      }
      const asked = event({
        network: some(networks, 1)[0]!,
        event_type: eventTypes[random(4)]!,
        accounts: some(accounts, random(4))
      })
      const expected = [...configs]
        .filter(
          ([, { network, event_types = [], account_filters = [] }]) =>
            network === asked.network &&
            event_types.includes(asked.event_type) &&
            (account_filters.length === 0 || account_filters.some((one) => asked.accounts.includes(one)))
        )
        .map(([id]) => id)
        .sort()
      assert.deepStrictEqual(ids(index.match(asked)), expected)
    }
  })

  it("keeps what it had if a change cannot be read", () => {
    const index = indexOf(webhook("wh_1", { account_filters: [A] }))
    // Another version of the program may write filters that this one does not know.
    const unknown = { payload_filter: { amount: { $near: "5" } } } as unknown as Partial<WebhookConfig>
    assert.throws(() => index.set("wh_1", webhook("wh_1", unknown)))
    assert.deepStrictEqual(ids(index.match(event())), ["wh_1"])
    assert.deepStrictEqual(ids(index.match(event({ accounts: [C] }))), [])
  })

  it("takes at most 160 bytes for a filter, whatever the number of types, also after all have changed", () => {
    const WEBHOOKS = 20
    const FILTERS = 2_000
    const change = (index: ReturnType<typeof makeWebhookIndex>, generation: number) => {
      for (let i = 0; i < WEBHOOKS; i++) {
        // As they are read from the log. Texts that were joined from pieces are larger.
        const filters: ReadonlyArray<string> = JSON.parse(
          JSON.stringify(Array.from({ length: FILTERS }, (_, n) => account(`${generation}.${i}.${n}`)))
        )
        index.set(`wh_${i}`, webhook(`wh_${i}`, { event_types: eventTypes, account_filters: filters }))
      }
    }
    const before = keptBytes()
    const index = makeWebhookIndex()
    for (const generation of [0, 1, 2]) {
      change(index, generation)
      assert.lengthOf(index.match(event({ accounts: [account(`${generation}.7.1999`)] })), 1)
      assert.lengthOf(index.match(event({ accounts: [account(`${generation - 1}.7.1999`)] })), 0)
    }
    assert.isAtMost((keptBytes() - before) / (WEBHOOKS * FILTERS), 160)
  })
})
