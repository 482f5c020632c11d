/** Filters, refreshing and texts of the dashboard's pages of deliveries and events. */
import { assert, describe, it } from "@effect/vitest"
import { refreshInterval } from "../../dashboard/src/api/refresh.ts"
import { setIn } from "../../dashboard/src/app/search.ts"
import { deliveryFilters, listQuery } from "../../dashboard/src/pages/deliveries/filters.ts"
import { retryChoice, retryRequest } from "../../dashboard/src/pages/deliveries/retrying.ts"
import { timingOf, timingText } from "../../dashboard/src/pages/deliveries/timing.ts"
import { explorerOf, simulatedIn } from "../../dashboard/src/pages/events/explorer.ts"
import { changesIn, hexText, labelOf, rateText } from "../../dashboard/src/pages/events/fields.ts"
import { eventFilters, listQuery as eventQuery } from "../../dashboard/src/pages/events/filters.ts"
import { reasonOf } from "../../dashboard/src/pages/events/reasons.ts"
import { accountsIn, amountIn } from "../../dashboard/src/pages/events/summary.ts"
import { families } from "../../dashboard/src/parts/eventTypes.ts"
import { fromLocalInput, localInput } from "../../dashboard/src/parts/localInput.ts"
import { visible } from "../../dashboard/src/parts/visible.ts"
import { eventTypes } from "../../src/domain/EventType.ts"

const attempt = {
  attempt: 1,
  batch_id: null,
  status: "failed",
  response_status: 500,
  response_time_ms: 40,
  attempted_at: "2026-11-21T09:30:00.000Z",
  response_headers: null,
  response_body: null,
  connect_ms: 10,
  first_byte_ms: 40,
  total_ms: 45
} as const

describe("filters", () => {
  it("take from the address what the API accepts, and nothing else", () => {
    const asked = { status: "failed", webhook_id: "wh_1", since: "2026-11-21T09:30:00Z", other: "x" }
    const filters = deliveryFilters(asked)
    assert.strictEqual(setIn(filters), 3)
    assert.deepStrictEqual(listQuery(filters), {
      webhookId: "wh_1",
      eventType: undefined,
      status: "failed",
      eventId: undefined,
      since: "2026-11-21T09:30:00Z",
      until: undefined
    })
    assert.strictEqual(setIn(deliveryFilters({ status: "lost", event_type: "", event_id: {} })), 0)
    const events = eventFilters({
      ledger_index_min: 7,
      ledger_index_max: "-1",
      network: "devnet",
      account: 5
    })
    assert.strictEqual(setIn(events), 3)
    assert.include(eventQuery(events), { ledgerIndexMin: 7, network: "devnet", account: "5" })
    assert.deepStrictEqual(eventQuery({ event_type: "nft.*" }).eventType, ["nft.*"])
    assert.strictEqual(setIn(eventFilters({ event_type: ",," })), 0)
    const { event_type } = eventFilters({ event_type: "nft.*,,payment.xrp,nft.*" })
    assert.strictEqual(event_type, "nft.*,payment.xrp")
    assert.deepStrictEqual(eventQuery({ event_type }).eventType, ["nft.*", "payment.xrp"])
  })

  it("become a retry of failed and retrying deliveries of one webhook", () => {
    assert.isUndefined(retryRequest(retryChoice({ status: "failed" })))
    assert.isUndefined(retryRequest({ ...retryChoice({ webhook_id: "wh_1" }), statuses: [] }))
    assert.deepStrictEqual(retryRequest(retryChoice({ webhook_id: "wh_1", status: "delivered" })), {
      webhook_id: "wh_1",
      statuses: ["failed", "retrying"]
    })
    const filters = {
      webhook_id: "wh_1",
      status: "retrying",
      event_type: "nft.*",
      since: "s",
      until: "u"
    } as const
    assert.deepStrictEqual(retryRequest(retryChoice(filters)), {
      webhook_id: "wh_1",
      statuses: ["retrying"],
      event_types: ["nft.*"],
      since: "s",
      until: "u"
    })
  })

  it("keep a time when it goes through the viewer's zone", () => {
    const iso = "2026-11-21T09:30:00.000Z"
    assert.strictEqual(fromLocalInput(localInput(iso)), iso)
    assert.strictEqual(localInput("yesterday"), "")
    assert.strictEqual(localInput(undefined), "")
    assert.isUndefined(fromLocalInput(""))
  })

  it("offer every event type in its family", () => {
    assert.deepStrictEqual(families.flatMap(({ types }) => types).sort(), [...eventTypes].sort())
    assert.include(
      families.map(({ pattern }) => pattern),
      "trustline.*"
    )
  })
})

describe("a watched list", () => {
  it("refreshes less often when half of the key's requests are used, and waits for more when few are left", () => {
    const left = (remaining: number) => ({ limit: 100, remaining, resetsAt: 1_030_000 })
    assert.strictEqual(refreshInterval(undefined, 3_000), 3_000)
    assert.strictEqual(refreshInterval(left(50), 3_000), 3_000)
    assert.strictEqual(refreshInterval(left(49), 3_000), 60_000)
    assert.strictEqual(refreshInterval(left(9), 3_000, 1_000_000), 30_000)
    assert.strictEqual(refreshInterval(left(9), 3_000, 1_040_000), 3_000)
  })
})

describe("texts", () => {
  it("show characters that hide or reorder other text by their code", () => {
    assert.strictEqual(visible("a\u202eb\u2066c\u200bd\u0000"), "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+0000⟩")
    assert.strictEqual(visible("\ufeff\u00ad\u{e0041}\udbff"), "⟨U+FEFF⟩⟨U+00AD⟩⟨U+E0041⟩⟨U+DBFF⟩")
    const legible = "<script>\n\talert(1)</script> Zürich 東京 שלום 😀"
    assert.strictEqual(visible(legible), legible)
  })

  it("say how long each part of an attempt took", () => {
    assert.deepStrictEqual(timingOf(attempt), { connectMs: 10, waitMs: 30, readMs: 5, totalMs: 45 })
    assert.strictEqual(timingText(attempt), "connected after 10 ms, first byte after 40 ms, 45 ms in total")
    const unanswered = { ...attempt, connect_ms: null, first_byte_ms: null, total_ms: 10_000 }
    assert.deepStrictEqual(timingOf(unanswered), { connectMs: 0, waitMs: 10_000, readMs: 0, totalMs: 10_000 })
    assert.strictEqual(timingText(unanswered), "no response, 10 s in total")
    assert.isUndefined(timingOf({ ...attempt, total_ms: null }))
  })

  it("say in a list what an event is about", () => {
    const usd = { currency: "USD", issuer: "rMCp1E7euh98rAaVVshYfkTfNnrWRZ46vc", value: "5" }
    assert.strictEqual(amountIn({ amount: "17310000" }), "17.31 XRP")
    assert.strictEqual(
      amountIn({ filled_taker_gets: "1000000", filled_taker_pays: usd, taker_gets: "9" }),
      "1 XRP for 5 USD"
    )
    assert.strictEqual(amountIn({ limit: "0", limit_peer: "1000", currency: "EUR" }), "limit 1,000 EUR")
    assert.strictEqual(amountIn({ tx_hash: "AB" }), "")
    const payment = {
      sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
      receiver: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ"
    }
    assert.strictEqual(accountsIn(payment), "rPPx…rQxX → rLXr…nzdJ")
    assert.strictEqual(accountsIn({ owner: payment.sender }), "rPPx…rQxX")
  })

  it("say what a payload's fields mean", () => {
    assert.strictEqual(labelOf("nftoken_id"), "NFT id")
    assert.strictEqual(labelOf("destination_tag"), "Destination tag")
    assert.strictEqual(labelOf("tx_type"), "Transaction type")
    assert.strictEqual(hexText("uri", "697066733A2F2F61"), "ipfs://a")
    assert.isUndefined(hexText("uri", "FF00"))
    assert.isUndefined(hexText("condition", "6162"))
    assert.strictEqual(rateText("transfer_fee", 2_200), "2.2%")
    assert.strictEqual(rateText("transfer_rate", 1_005_000_000), "0.5%")
    assert.isUndefined(rateText("taxon", 5))
    assert.deepStrictEqual(changesIn([{ field: "freeze", previous: true, value: false }]), [
      { what: "freeze", previous: true, value: false }
    ])
    assert.isUndefined(changesIn([{ other: 1 }, null]))
  })

  it("say why a webhook got an event or did not", () => {
    const webhook = { webhook_id: "wh_1", wanted: false, reason: "account", delivery: null } as const
    assert.include(reasonOf(webhook), "accounts")
    const failed = { ...webhook, reason: "matched", delivery: { id: "dlv_1", status: "failed" } } as const
    assert.include(reasonOf(failed), "All attempts failed")
  })

  it("link to the explorer of the event's network, and know simulated ledgers", () => {
    assert.strictEqual(explorerOf("devnet", "AB"), "https://devnet.xrpl.org/transactions/AB")
    const ledger = (index: number) => ({ ledger_index: index, ledger_hash: "", close_time: "" })
    const ranges = [{ first: ledger(5), last: ledger(9), ledgers: 5, simulated: true }]
    const coverage = [
      { network: "testnet", watched: true, ranges, head: null, catching_up: null, seconds_late: null }
    ] as const
    assert.isTrue(simulatedIn([{ ...coverage[0] }], "testnet", 9))
    assert.isUndefined(simulatedIn([{ ...coverage[0] }], "testnet", 10))
    assert.isFalse(simulatedIn([], "mainnet", 10))
  })
})
