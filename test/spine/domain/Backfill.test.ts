/** Ranges of history: which ranges join, which ledgers are missing, and the position of an event. */
import { assert, describe, it } from "@effect/vitest"
import {
  type BackfillRange,
  eventsBetween,
  eventTopicOf,
  joinedBelow,
  missingLedgers,
  rangesSince,
  reaches
} from "../../../src/spine/domain/Backfill.ts"

/** Ledger n has the hash `n` and closes at 4 n seconds. */
const range = (
  firstLedger: number,
  lastLedger: number,
  change: Partial<BackfillRange> = {}
): BackfillRange => ({
  firstLedger,
  lastLedger,
  parentHash: String(firstLedger - 1),
  lastHash: String(lastLedger),
  firstClosedAt: 4 * firstLedger,
  lastClosedAt: 4 * lastLedger,
  markerOffset: firstLedger,
  eventOffset: 0,
  events: 0,
  ...change
})
const first = { ledgerIndex: 100, parentHash: "99", closedAt: 400 }
const indexes = (ranges: ReadonlyArray<BackfillRange>) => ranges.map(({ firstLedger }) => firstLedger)

describe("ranges of history", () => {
  it("join one another below the service's first ledger, up to a gap", () => {
    const { alien, end, joined } = joinedBelow(first, [
      range(10, 19),
      range(30, 59),
      range(60, 89),
      range(90, 99)
    ])
    assert.deepStrictEqual(indexes(joined), [30, 60, 90])
    assert.deepStrictEqual(end, { ledgerIndex: 30, parentHash: "29", closedAt: 120 })
    assert.isUndefined(alien)
    assert.deepStrictEqual(joinedBelow(first, []), { joined: [], end: first, alien: undefined })
  })

  it("of another chain do not join, and are reported", () => {
    const other = range(60, 89, { lastHash: "another" })
    const { alien, end, joined } = joinedBelow(first, [range(30, 59), other, range(90, 99)])
    assert.deepStrictEqual(indexes(joined), [90])
    assert.strictEqual(end.ledgerIndex, 90)
    assert.strictEqual(alien, other)
  })

  it("reach a time if a ledger closed then or before, or if the chain begins there", () => {
    assert.isTrue(reaches(first, 400_000))
    assert.isFalse(reaches(first, 399_999.5))
    assert.isTrue(reaches({ ...first, ledgerIndex: 1 }, 0))
  })

  it("report the ledgers that no range contains", () => {
    const held = [range(10, 19), range(60, 89)]
    assert.strictEqual(missingLedgers(50, 100, []), 50)
    assert.strictEqual(missingLedgers(50, 100, held), 20)
    assert.strictEqual(missingLedgers(15, 100, held), 50)
    assert.strictEqual(missingLedgers(65, 80, held), 0)
    assert.strictEqual(missingLedgers(100, 100, held), 0)
  })

  it("are selected from the first one that closed after a time", () => {
    const joined = [range(30, 59), range(60, 89), range(90, 99)]
    assert.deepStrictEqual(indexes(rangesSince(joined, 4 * 89_000 - 1)), [60, 90])
    assert.deepStrictEqual(indexes(rangesSince(joined, 4 * 89_000)), [90])
  })

  it("count their events of a time as if they were spread evenly", () => {
    const joined = [range(30, 59, { events: 117 }), range(60, 89, { events: 50 })]
    assert.strictEqual(eventsBetween(joined, 0, 1_000), 167)
    assert.strictEqual(eventsBetween(joined, 120 + 39, 238), 78)
    assert.strictEqual(eventsBetween(joined, 0, 100), 0)
  })
})

describe("an event's topic", () => {
  it("is the network's own, or that of its history", () => {
    assert.strictEqual(eventTopicOf("mainnet", false), "xrpl.mainnet.events")
    assert.strictEqual(eventTopicOf("mainnet", true), "xrpl.mainnet.history.events")
  })
})
