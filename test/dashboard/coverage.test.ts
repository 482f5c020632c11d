/** What the page of ledger coverage computes. */
import { assert, describe, it } from "@effect/vitest"
import { ledgersPerMinute } from "../../dashboard/src/pages/coverage/pace.ts"
import { segmentsOf } from "../../dashboard/src/pages/coverage/segments.ts"

const ledger = (ledger_index: number) => ({
  ledger_index,
  ledger_hash: "A".repeat(64),
  close_time: new Date(ledger_index * 3_000).toISOString()
})

const range = (first: number, last: number) => ({
  first: ledger(first),
  last: ledger(last),
  ledgers: last - first + 1,
  simulated: false,
  rules_version: 2
})

const kinds = (parts: ReturnType<typeof segmentsOf>) =>
  parts.map(({ kind, first, last }) => [kind, first, last])

describe("the strip of a network's ledgers", () => {
  it("shows the gaps between ranges and the ledgers still to take", () => {
    const catching_up = { from: 31, to: 40, ledgers: 10, ledgers_per_second: null, seconds_left: null }
    assert.deepStrictEqual(kinds(segmentsOf({ ranges: [range(1, 10), range(21, 30)], catching_up })), [
      ["taken", 1, 10],
      ["gap", 11, 20],
      ["taken", 21, 30],
      ["coming", 31, 40]
    ])
    assert.deepStrictEqual(segmentsOf({ ranges: [], catching_up: null }), [])
  })

  it("shows a gap of one ledger among millions, and is filled whatever its parts are", () => {
    const parts = segmentsOf({
      ranges: [range(1, 5_000_000), range(5_000_002, 9_000_000)],
      catching_up: null
    })
    const gap = parts.find(({ kind }) => kind === "gap")!
    assert.deepStrictEqual([gap.first, gap.last], [5_000_001, 5_000_001])
    assert.isAbove(gap.percent, 1)
    assert.closeTo(
      parts.reduce((sum, { percent }) => sum + percent, 0),
      100,
      1e-6
    )
  })
})

describe("the pace of a network", () => {
  it("is the mean over the range, and unknown for a single ledger", () => {
    assert.strictEqual(ledgersPerMinute(range(100, 200)), 20)
    assert.isUndefined(ledgersPerMinute(range(100, 100)))
  })
})
