/** The forms of webhooks and replays: what a viewer chooses or pastes is what is asked of the API. */
import { assert, describe, it } from "@effect/vitest"
import type { DayPreview, Webhook } from "../../../dashboard/src/api/ledgerhook.ts"
import { newReplay, problemsOf, replayOf } from "../../../dashboard/src/features/replay/wanted.ts"
import { costOf } from "../../../dashboard/src/features/webhooks/form/cost.ts"
import {
  faultsAt,
  faultySections,
  localFaults,
  sectionOf,
  sections,
  sentenceOf,
  withHttps
} from "../../../dashboard/src/features/webhooks/form/faults.ts"
import {
  changeOf,
  creationOf,
  newValues,
  valuesOf
} from "../../../dashboard/src/features/webhooks/form/values.ts"
import { addressesIn } from "../../../dashboard/src/words/addresses.ts"
import { eventTypes, families } from "../../../dashboard/src/words/eventTypes.ts"
import { covered, toggleAll, toggleFamily, toggleType } from "../../../dashboard/src/words/patterns.ts"
import { eventTypes as knownTypes } from "../../../src/spine/event/EventType.ts"

const family = (pattern: string) => families.find((one) => one.pattern === pattern)!
const [one, other] = ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX", "rMCp1E7euh98rAaVVshYfkTfNnrWRZ46vc"]

describe("the tree of event types", () => {
  it("has the types of the service", () => {
    assert.deepStrictEqual([...eventTypes].toSorted(), [...knownTypes].toSorted())
  })

  it("asks for a family if the family or all its types are ticked", () => {
    assert.deepStrictEqual(toggleFamily([], family("payment.*")), ["payment.*"])
    assert.deepStrictEqual(toggleType(["payment.xrp"], "payment.issued"), ["payment.*"])
    assert.deepStrictEqual(toggleType([], "payment.xrp"), ["payment.xrp"])
  })

  it("keeps the others of a family, and the other families, when a type is unticked", () => {
    assert.deepStrictEqual(toggleType(["nft.*", "payment.*"], "payment.xrp"), ["nft.*", "payment.issued"])
    const without = toggleType(["*"], "payment.xrp")
    assert.strictEqual(covered(without), eventTypes.length - 1)
    assert.notInclude(without, "*")
    assert.deepStrictEqual(toggleFamily(["nft.*", "payment.xrp"], family("nft.*")), ["payment.xrp"])
    assert.deepStrictEqual(toggleAll(["*"]), [])
    assert.deepStrictEqual(toggleAll(["nft.minted"]), ["*"])
  })
})

describe("pasted addresses", () => {
  it("may have any separators; duplicates are counted and other words named", () => {
    assert.deepStrictEqual(addressesIn(`["${one}", "${other}"]\n${one};x1 rTooShort\t${other}`), {
      addresses: [one, other],
      duplicates: 2,
      wrong: ["x1", "rTooShort"]
    })
    assert.deepStrictEqual(addressesIn(" \n"), { addresses: [], duplicates: 0, wrong: [] })
  })
})

const webhook: Webhook = {
  id: "wh_1",
  url: "https://example.com/hook",
  description: null,
  event_types: ["nft.*"],
  account_filters: [one, other],
  account_filters_count: 2,
  payload_filter: { taxon: 7 },
  network: "testnet",
  status: "active",
  health: {
    state: "healthy",
    since: "2026-11-21T09:30:00.000Z",
    last_error: null,
    next_attempt_at: null,
    attempts_failed_in_a_row: 0,
    sentence: "Works. No delivery waits."
  },
  consecutive_failures: 0,
  max_in_flight: 4,
  max_per_second: null,
  paused: false,
  ordering: "first_attempt",
  signing: ["service", "standard"],
  format: "cloudevents",
  include: ["balance_changes"],
  compression: "gzip",
  batch: { max_events: 100, max_wait_ms: 250 },
  headers: { "X-Tenant": "***" },
  created_at: "2026-11-21T09:30:00.000Z",
  updated_at: "2026-11-21T09:30:00.000Z",
  disabled_at: null,
  disabled_reason: null
}

describe("the form of a webhook", () => {
  it("changes only what was typed, and leaves the headers alone", () => {
    const values = valuesOf(webhook)
    assert.deepStrictEqual(changeOf(values, values), {})
    assert.deepStrictEqual(
      changeOf(values, { ...values, only_accounts: false, ordering: "strict", batch: 5 }),
      {
        account_filters: [],
        ordering: "strict",
        batch: { max_events: 5, max_wait_ms: 250 }
      }
    )
  })

  it("sends what was typed", () => {
    const values = newValues("live")
    assert.deepStrictEqual(
      creationOf({
        ...values,
        event_types: ["*"],
        url: " https://example.com ",
        headers: [
          { id: "1", name: "X-A", value: "b" },
          { id: "2", name: "", value: "" }
        ],
        max_per_second: 5,
        include: ["memos"],
        secret: "0123456789abcdef"
      }),
      {
        url: "https://example.com",
        description: null,
        event_types: ["*"],
        account_filters: [],
        payload_filter: null,
        headers: { "X-A": "b" },
        max_in_flight: 16,
        max_per_second: 5,
        ordering: "first_attempt",
        signing: ["service"],
        format: "ledgerhook",
        include: ["memos"],
        compression: null,
        batch: null,
        network: "mainnet",
        secret: "0123456789abcdef"
      }
    )
  })

  it("shows each fault that the API names in the section of its field", () => {
    const faults = [
      { param: "/batch/max_events", message: "batch.max_events must be an integer from 2 to 500." },
      { param: "/event_types/1", message: "event_types[1] must be one of …" },
      {
        param: "/payload_filter/amout",
        message: "payload_filter.amout is not a field",
        suggestion: "amount"
      },
      { param: "id", message: "There is no webhook" },
      { param: "", message: "The request body must be a JSON object." }
    ]
    assert.deepStrictEqual(faultySections(faults), ["events", "filter", "sending"])
    assert.deepStrictEqual(faultsAt(faults, "batch").map(sentenceOf), [
      "It must be an integer from 2 to 500."
    ])
    assert.isUndefined(sectionOf(faults[4]!))
    const http = { param: "/url", message: "url must be an https URL; this service does not allow http" }
    assert.propertyVal(withHttps(http, "http://a.example"), "suggestion", "https://a.example")
    assert.notProperty(withHttps(http, "ftp://a.example"), "suggestion")
    const fields = Object.keys(creationOf({ ...newValues("live"), secret: "0123456789abcdef" }))
    assert.deepStrictEqual(Object.values(sections).flat().sort(), fields.sort())
  })

  it("finds at once what is missing", () => {
    const values = newValues("live")
    const params = (change: object, unfinished = 0) =>
      localFaults({ ...values, url: "https://a.example", event_types: ["*"], ...change }, unfinished).map(
        ({ param }) => param
      )
    assert.deepStrictEqual(params({}), [])
    assert.deepStrictEqual(params({ url: " ", event_types: [] }), ["/url", "/event_types"])
    assert.deepStrictEqual(params({ only_accounts: true }), ["/account_filters"])
    assert.deepStrictEqual(params({ payload_filter: "[" }), ["/payload_filter"])
    assert.deepStrictEqual(params({}, 1), ["/payload_filter"])
  })

  it("says what it will cost, as far as the last day tells", () => {
    const day: DayPreview = {
      network: "mainnet",
      since: "2026-11-20T09:30:00.000Z",
      until: "2026-11-21T09:30:00.000Z",
      candidates: 18_204,
      examined: 5_000,
      examined_since: "2026-11-21T03:30:00.000Z",
      matched: 113,
      by_type: {},
      parts: [],
      samples: []
    }
    const says = (change: Partial<DayPreview>, quota: number | null = 100_000) =>
      costOf({ ...day, ...change }, quota)
        .join(" ")
        .replaceAll("\u202f", "")
    assert.strictEqual(
      says({}),
      "About 411 events a day, 17 an hour, as far as the newest say; each attempt counts towards the quota: 12330 of 100000 a month."
    )
    assert.strictEqual(
      says({ candidates: 10, examined: 10, matched: 1, network: "testnet" }),
      "About 1 event a day, less than one an hour; attempts on testnet do not count towards the quota."
    )
    assert.match(says({ at_least: true }, null), /^At least .* the plan has no quota\.$/)
    assert.match(says({ matched: 0 }), /^No event/)
  })
})

describe("the form of a replay", () => {
  it("asks for filters or event ids, each once", () => {
    const values = { ...newReplay("wh_1"), event_ids: "a, b\nb", accounts: one }
    assert.deepStrictEqual(replayOf(values), { webhook_id: "wh_1", filters: { accounts: [one] } })
    assert.deepStrictEqual(replayOf({ ...values, by: "ids" }), { webhook_id: "wh_1", event_ids: ["a", "b"] })
    const bounded = {
      ...values,
      since: "2026-11-21T09:30",
      event_types: ["nft.*"],
      payload_filter: '{"taxon":7}'
    }
    assert.deepStrictEqual(replayOf(bounded).filters, {
      event_types: ["nft.*"],
      accounts: [one],
      payload_filter: { taxon: 7 },
      since: new Date("2026-11-21T09:30").toISOString()
    })
  })

  it("names what is missing before it asks", () => {
    const fields = (change: object) => Object.keys(problemsOf({ ...newReplay("wh_1"), ...change }))
    assert.deepStrictEqual(fields({}), [])
    assert.deepStrictEqual(fields({ webhook_id: undefined, by: "ids" }), ["webhook_id", "event_ids"])
    assert.deepStrictEqual(fields({ event_types: [], accounts: "x", payload_filter: "[" }), [
      "event_types",
      "accounts",
      "payload_filter"
    ])
    assert.deepStrictEqual(fields({ since: "2026-11-21T09:30", until: "2026-11-21T09:30" }), ["until"])
  })
})
