/** Every reason why a webhook got an event or not. The explanation agrees with route about wanted events. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ExplainedWebhook,
  explain,
  type LiveDelivery
} from "../../../src/features/progress/Explanation.ts"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { type DeliveryStatus, deliveryStatuses } from "../../../src/spine/domain/Delivery.ts"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { expandPatterns } from "../../../src/spine/event/EventPatterns.ts"
import { makeWebhookIndex } from "../../../src/spine/route/WebhookIndex.ts"
import { addresses, eventOf, types } from "../../support/deliver/events.ts"

const TAKEN = 1_000
const event = eventOf({ type: "payment.xrp", accounts: [addresses[0]] })

const webhook = (given: Partial<ExplainedWebhook> = {}): ExplainedWebhook => ({
  id: "wh_1",
  network: "mainnet",
  eventTypes: new Set(["payment.xrp"]),
  accounts: undefined,
  wantsPayload: undefined,
  createdAt: 0,
  deletedAt: null,
  isCleared: false,
  pauses: [],
  quotaUsedUp: false,
  isPaused: false,
  ...given
})

const NOWHERE: LiveDelivery = { status: undefined, isInLog: false }

const reasonOf = (given: Partial<ExplainedWebhook>, isHistory = false, delivery = NOWHERE) => {
  const { reason, wanted } = explain(webhook(given), event, { at: TAKEN, isHistory }, delivery)
  return wanted ? reason : `${reason}, not wanted`
}

describe("an explanation", () => {
  it("says which part of a webhook's settings does not meet the event", () => {
    assert.strictEqual(reasonOf({}), "matched")
    assert.strictEqual(reasonOf({ network: "devnet" }), "network, not wanted")
    assert.strictEqual(reasonOf({ eventTypes: new Set(["nft.minted"]) }), "type, not wanted")
    assert.strictEqual(reasonOf({ accounts: new Set() }), "account, not wanted")
    assert.strictEqual(reasonOf({ accounts: new Set([addresses[0]]) }), "matched")
    assert.strictEqual(
      reasonOf({ wantsPayload: ({ payload }) => payload === undefined }),
      "payload, not wanted"
    )
    assert.strictEqual(reasonOf({ wantsPayload: () => true }), "matched")
  })

  it("says what stood in the way when the ledger was taken, and not what came later", () => {
    assert.strictEqual(reasonOf({ createdAt: TAKEN + 1 }), "not_yet_created")
    assert.strictEqual(reasonOf({ createdAt: TAKEN }), "matched")
    assert.strictEqual(reasonOf({ deletedAt: TAKEN }), "deleted")
    assert.strictEqual(reasonOf({ deletedAt: TAKEN + 1 }), "matched")
    assert.strictEqual(reasonOf({ deletedAt: TAKEN + 1, isCleared: true }), "deleted")
    assert.strictEqual(reasonOf({ pauses: [{ from: TAKEN, to: null }] }), "disabled")
    assert.strictEqual(reasonOf({ pauses: [{ from: TAKEN + 1, to: null }] }), "matched")
    assert.strictEqual(reasonOf({ pauses: [{ from: 0, to: TAKEN + 1 }] }), "disabled")
    assert.strictEqual(reasonOf({ pauses: [{ from: 0, to: TAKEN }] }), "matched")
    assert.strictEqual(reasonOf({ quotaUsedUp: true }), "quota")
    assert.strictEqual(reasonOf({}, true), "not_yet_created")
  })

  it("takes a delivery for proof, whatever the settings are now", () => {
    const shown = { status: "pending", isInLog: true } as const
    assert.strictEqual(reasonOf({ eventTypes: new Set(), quotaUsedUp: true }, false, shown), "matched")
  })

  it("says that what has not ended is queued while its webhook is paused", () => {
    const reasonIn = (status: DeliveryStatus) =>
      reasonOf({ isPaused: true }, false, { status, isInLog: true })
    assert.deepStrictEqual(deliveryStatuses.map(reasonIn), ["queued", "queued", "matched", "matched"])
  })

  it("says that a delivery waits in the log only if nothing else explains why there is none", () => {
    const inLog = { status: undefined, isInLog: true }
    assert.strictEqual(reasonOf({}, false, inLog), "queued")
    assert.strictEqual(reasonOf({ eventTypes: new Set() }, false, inLog), "type, not wanted")
    assert.strictEqual(reasonOf({ quotaUsedUp: true }, false, inLog), "quota")
    assert.strictEqual(reasonOf({}, true, inLog), "not_yet_created")
  })

  it("does not count a test network's events towards the quota", () => {
    const onTestnet = { ...event, network: "testnet" as const }
    const given = webhook({ network: "testnet", quotaUsedUp: true })
    assert.strictEqual(explain(given, onTestnet, { at: TAKEN, isHistory: false }, NOWHERE).reason, "matched")
  })

  it("agrees with route about what a webhook wants", () => {
    const chance = makeSeededRandom(5)
    const some = <A>(from: ReadonlyArray<A>) => from.filter(() => chance.int(0, 2) === 0)
    for (let round = 0; round < 500; round++) {
      const config: WebhookConfig = {
        id: "wh_1",
        account_id: "acct_1",
        network: chance.pick(["mainnet", "testnet"]),
        status: "active",
        url: "https://example.com/",
        event_types: expandPatterns(some([...types, "nft.*", "dex.*"])),
        account_filters: some(addresses),
        headers: {},
        max_in_flight: 1,
        max_per_second: null,
        sealed_secret: ""
      }
      const index = makeWebhookIndex()
      index.set(config.id, config)
      const given = eventOf({ type: chance.pick(types), accounts: some(addresses) })
      const { wanted } = explain(
        webhook({
          network: config.network,
          eventTypes: new Set(config.event_types),
          accounts: config.account_filters.length === 0 ? undefined : new Set(config.account_filters)
        }),
        given,
        { at: TAKEN, isHistory: false },
        NOWHERE
      )
      assert.strictEqual(wanted, index.match(given).length > 0)
    }
  })
})
