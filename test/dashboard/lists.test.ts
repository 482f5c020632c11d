/** Filters, refreshing and texts of the dashboard's pages of deliveries and events. */
import { assert, describe, it } from "@effect/vitest"
import { refreshInterval } from "../../dashboard/src/api/refresh.ts"
import { deliveryFilters, listQuery } from "../../dashboard/src/features/deliveries/list/filters.ts"
import { retryChoice, retryRequest } from "../../dashboard/src/features/deliveries/list/retrying.ts"
import { explorerOf, simulatedIn } from "../../dashboard/src/features/events/event/explorer.ts"
import { eventFilters, listQuery as eventQuery } from "../../dashboard/src/features/events/list/filters.ts"
import { families } from "../../dashboard/src/words/eventTypes.ts"
import { fromLocalInput, localInput } from "../../dashboard/src/words/localInput.ts"
import { setIn } from "../../dashboard/src/words/search.ts"
import { visible } from "../../dashboard/src/words/visible.ts"
import { eventTypes } from "../../src/spine/event/EventType.ts"

describe("filters", () => {
  it("take from the address what the API accepts, and nothing else", () => {
    const asked = { status: "failed", webhook_id: "wh_1", since: "2026-11-21T09:30:00Z", other: "x" }
    const filters = deliveryFilters(asked)
    assert.strictEqual(setIn(filters), 3)
    assert.deepStrictEqual(listQuery(filters), {
      webhookId: "wh_1",
      eventType: undefined,
      status: ["failed"],
      eventId: undefined,
      jobId: undefined,
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

  it("link to the explorer of the event's network, and know simulated ledgers", () => {
    assert.strictEqual(explorerOf("devnet", "AB"), "https://devnet.xrpl.org/transactions/AB")
    const ledger = (index: number) => ({ ledger_index: index, ledger_hash: "", close_time: "" })
    const ranges = [{ first: ledger(5), last: ledger(9), ledgers: 5, simulated: true, rules_version: 2 }]
    const coverage = [
      { network: "testnet", watched: true, ranges, head: null, catching_up: null, seconds_late: null }
    ] as const
    assert.isTrue(simulatedIn([{ ...coverage[0] }], "testnet", 9))
    assert.isUndefined(simulatedIn([{ ...coverage[0] }], "testnet", 10))
    assert.isFalse(simulatedIn([], "mainnet", 10))
  })
})
