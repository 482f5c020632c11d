/** Ranges of a page: every filter of time and ledger and the cursor, as bounds of one order. */
import { assert, describe, it } from "@effect/vitest"
import type { Network } from "../../src/domain/Network.ts"
import {
  type EventPlace,
  eventRanges,
  type Place,
  type Span,
  spanBetween
} from "../../src/storage/EventRanges.ts"

const place = (closeTime: number, ledgerIndex = 0, position = 0): Place => ({
  closeTime,
  ledgerIndex,
  position
})
const always = spanBetween(undefined, undefined)
const whole = (...networks: ReadonlyArray<Network>): ReadonlyMap<Network, Span> =>
  new Map(networks.map((network) => [network, always]))

describe("spanBetween", () => {
  it("excludes both moments, whole seconds or fractions of them", () => {
    assert.deepStrictEqual(spanBetween(10_000, 20_000), { from: place(11), before: place(20) })
    assert.deepStrictEqual(spanBetween(10_000.5, 20_000.5), { from: place(11), before: place(21) })
    assert.deepStrictEqual(spanBetween(9_999, 19_001), { from: place(10), before: place(20) })
  })

  it("stays within the ledger's clock, however far the bounds are", () => {
    const far = { since: Date.parse("0000-01-01T00:00:00Z"), until: Date.parse("9999-12-31T23:59:59Z") }
    assert.deepStrictEqual(spanBetween(far.since, far.until), always)
    assert.deepStrictEqual(eventRanges(spanBetween(undefined, far.since), whole("mainnet"), undefined), [])
    assert.deepStrictEqual(eventRanges(spanBetween(far.until, undefined), whole("mainnet"), undefined), [])
  })
})

describe("eventRanges", () => {
  it("are what times and ledgers have in common, and none where that is nothing", () => {
    const spans = new Map<Network, Span>([
      ["testnet", { from: place(15, 7), before: place(30, 12) }],
      ["devnet", { from: place(20, 1), before: place(40, 9) }]
    ])
    assert.deepStrictEqual(eventRanges(spanBetween(9_000, 20_000), spans, undefined), [
      { network: "testnet", from: place(15, 7), before: place(20) }
    ])
  })

  it("go on after the last event shown, in its second by network and then by place", () => {
    const after: EventPlace = { network: "devnet", ...place(50, 3, 2) }
    assert.deepStrictEqual(
      eventRanges(always, whole("mainnet", "testnet", "devnet"), after).map(({ network, before }) => [
        network,
        before.closeTime,
        before.ledgerIndex,
        before.position
      ]),
      [
        ["mainnet", 50, 0, 0],
        ["testnet", 50, 0, 0],
        ["devnet", 50, 3, 2]
      ]
    )
    const later = eventRanges(always, whole("devnet", "testnet"), { ...after, network: "testnet" })
    assert.strictEqual(later.find(({ network }) => network === "devnet")?.before.closeTime, 51)
  })

  it("end where the page before has shown the oldest that is wanted", () => {
    const spans = new Map<Network, Span>([["mainnet", { from: place(50, 3), before: place(60, 4) }]])
    assert.deepStrictEqual(eventRanges(always, spans, { network: "mainnet", ...place(50, 3, 0) }), [])
  })
})
