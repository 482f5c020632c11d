/** What the page of an event says: the headline, the webhooks in order, the lines of the JSON. */
import { assert, describe, it } from "@effect/vitest"
import type { Delivery, ExplainedWebhook, Webhook } from "../../../dashboard/src/api/ledgerhook.ts"
import { headlineOf } from "../../../dashboard/src/features/events/event/headline.ts"
import { attemptsText, sorted, wantsInstead } from "../../../dashboard/src/features/events/event/receivers.ts"
import { accountsIn, partiesIn } from "../../../dashboard/src/features/events/summary.ts"
import { jsonLines } from "../../../dashboard/src/words/json.ts"
import { eventCatalogue } from "../../../src/spine/event/EventCatalogue.ts"

const usd = { currency: "USD", issuer: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX", value: "410.84" }

describe("the headline of an event", () => {
  it("says in words what happened", () => {
    assert.strictEqual(headlineOf("payment.issued", { amount: usd }), "410.84 USD paid")
    assert.strictEqual(
      headlineOf("nft.offer_created", { amount: "27000000", is_sell: false }),
      "Offered: 27 XRP for an NFT"
    )
    assert.strictEqual(
      headlineOf("trustline.modified", {
        currency: "USD",
        changes: [{ field: "freeze", previous: false, value: true }]
      }),
      "USD trust line: freeze changed"
    )
    assert.strictEqual(headlineOf("account.deleted", {}), "Account deleted")
  })

  it("is complete for the example of every type, and for a payload that has nothing", () => {
    for (const { event_type, example } of eventCatalogue()) {
      for (const headline of [headlineOf(event_type, example), headlineOf(event_type, {})])
        assert.match(headline, /^[A-Z0-9].*[a-zA-Z]$/)
      assert.notInclude(headlineOf(event_type, example), "an amount", event_type)
    }
  })
})

describe("the parties of an event", () => {
  it("are two accounts, or one", () => {
    const sender = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
    const receiver = "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ"
    assert.deepStrictEqual(partiesIn({ sender, receiver }), [
      { field: "sender", address: sender },
      { field: "receiver", address: receiver }
    ])
    assert.strictEqual(accountsIn({ sender, receiver }), "rPPx…rQxX → rLXr…nzdJ")
    assert.isUndefined(partiesIn({ account: sender }))
    assert.strictEqual(accountsIn({ account: sender }), "rPPx…rQxX")
  })
})

const explained = (
  id: string,
  reason: ExplainedWebhook["reason"],
  status?: Delivery["status"]
): ExplainedWebhook => ({
  webhook_id: id,
  wanted: reason === "matched" || reason === "queued",
  reason,
  delivery: status === undefined ? null : { id: `dlv_${id}`, status }
})

describe("the webhooks of an event", () => {
  it("are those that want it, with what needs attention first, and the others by reason", () => {
    const { others, wanting } = sorted([
      explained("a", "matched", "delivered"),
      explained("b", "account"),
      explained("c", "matched", "retrying"),
      explained("d", "type"),
      explained("e", "queued"),
      explained("f", "type"),
      explained("g", "matched", "failed")
    ])
    assert.deepStrictEqual(
      wanting.map(({ webhook_id }) => webhook_id),
      ["g", "c", "e", "a"]
    )
    assert.deepStrictEqual(
      others.map(({ title, webhooks }) => [title, webhooks.length]),
      [
        ["Other types only", 2],
        ["Account filter does not match", 1]
      ]
    )
  })

  it("say what they want instead", () => {
    const webhook = { event_types: ["nft.*", "dex.*", "payment.xrp", "check.*"], account_filters_count: 3 }
    const wants = (reason: ExplainedWebhook["reason"]) => wantsInstead(reason, webhook as unknown as Webhook)
    assert.strictEqual(wants("type"), "Wants nft.*, dex.*, payment.xrp and 1 more.")
    assert.strictEqual(wants("account"), "Wants 3 accounts; none takes part in this event.")
    assert.isUndefined(wants("payload"))
    assert.isUndefined(wantsInstead("type", undefined))
  })

  it("say how the attempts went", () => {
    const delivery = { last_error: null, next_attempt_at: null, response_status: 200, attempts: 1 }
    const text = (change: Partial<Delivery>) => attemptsText({ ...delivery, ...change } as Delivery)
    assert.strictEqual(text({ status: "delivered" }), "first attempt, HTTP 200")
    assert.strictEqual(text({ status: "delivered", attempts: 3 }), "attempt 3, HTTP 200")
    assert.match(
      text({
        status: "retrying",
        attempts: 8,
        last_error: "HTTP 503",
        next_attempt_at: "2026-11-25T18:23:48.000Z"
      }),
      /^8 attempts, HTTP 503; next at \d\d:\d\d:48$/
    )
    assert.strictEqual(text({ status: "pending", attempts: 0, response_status: null }), "about to be sent")
  })
})

describe("the lines of a payload", () => {
  it("belong to its own fields, and not to fields of what is in them", () => {
    assert.deepStrictEqual(
      jsonLines({ a: 1, amount: { value: "2" }, 'q"': [] }).map(({ field }) => field),
      [undefined, "a", "amount", "amount", "amount", 'q"', undefined]
    )
  })
})
