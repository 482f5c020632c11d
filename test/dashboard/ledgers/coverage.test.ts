/** What the page of ledger coverage computes. */
import { assert, describe, it } from "@effect/vitest"
import { gapsOf, missingIn } from "../../../dashboard/src/features/ledgers/coverage/gaps.ts"
import { headlineOf } from "../../../dashboard/src/features/ledgers/coverage/headline.ts"
import { isIn, levelsOf, rowsOf } from "../../../dashboard/src/features/ledgers/coverage/hours.ts"
import { ledgersPerMinute } from "../../../dashboard/src/features/ledgers/coverage/pace.ts"

const HOUR_MS = 3_600_000

const ledger = (ledger_index: number, closed = ledger_index * 3_000) => ({
  ledger_index,
  ledger_hash: "A".repeat(64),
  close_time: new Date(closed).toISOString()
})

const range = (first: number, last: number, closed?: readonly [number, number]) => ({
  first: ledger(first, closed?.[0]),
  last: ledger(last, closed?.[1]),
  ledgers: last - first + 1,
  simulated: false,
  rules_version: 2
})

const hour = (at: number, events: number, missing = 0) => ({
  hour: new Date(at).toISOString(),
  ledgers: 900,
  missing,
  events
})

describe("gaps", () => {
  it("lie between ranges, newest first, with when they began and ended", () => {
    const gaps = gapsOf({ ranges: [range(1, 10), range(21, 30), range(32, 40)] })
    assert.deepStrictEqual(
      gaps.map(({ first, last, missing }) => [first, last, missing]),
      [
        [31, 31, 1],
        [11, 20, 10]
      ]
    )
    assert.deepStrictEqual([gaps[1]!.began, gaps[1]!.ended], [30_000, 63_000])
    assert.strictEqual(missingIn(gaps), 11)
  })

  it("are none if ranges overlap, if a network was reset, or if a simulated one got servers", () => {
    assert.deepStrictEqual(gapsOf({ ranges: [range(1, 10), range(21, 30), range(5, 60)] }), [])
    assert.deepStrictEqual(
      gapsOf({ ranges: [range(900, 910, [1_000, 2_000]), range(3, 10, [3_000, 4_000])] }),
      []
    )
    assert.deepStrictEqual(gapsOf({ ranges: [{ ...range(1, 10), simulated: true }, range(21, 30)] }), [])
  })

  it("include ledgers that the operator skipped, with the reason", () => {
    const skipped = [
      { ledger_index: 5, reason: "no server lists it", skipped_at: new Date(15_000).toISOString() }
    ]
    const gaps = gapsOf({ ranges: [range(1, 10)], skipped })
    assert.deepInclude(gaps[0], { first: 5, last: 5, missing: 1, skipped: "no server lists it" })
    const { note, title } = headlineOf(
      { network: "mainnet", ranges: [range(1, 10)], catching_up: null },
      gaps
    )
    assert.strictEqual(title, "1 ledger is missing")
    assert.match(note, /^9 of 10 ledgers of mainnet since /)
  })
})

describe("the headline of coverage", () => {
  const of = (ranges: ReadonlyArray<ReturnType<typeof range>>, ledgers?: number) =>
    headlineOf(
      {
        network: "mainnet",
        ranges: [...ranges],
        catching_up:
          ledgers === undefined
            ? null
            : { from: 1, to: ledgers, ledgers, ledgers_per_second: null, seconds_left: null }
      },
      gapsOf({ ranges: [...ranges] })
    ).title

  it("says what is missing before what is still to take, and nothing alarming in health", () => {
    assert.strictEqual(of([]), "No ledger has been taken yet")
    assert.strictEqual(of([range(1, 10), range(21, 30)], 7), "10 ledgers are missing")
    assert.strictEqual(of([range(1, 10)], 7), "7 ledgers still to take")
    assert.strictEqual(of([range(1, 10)]), "Every ledger is taken")
  })
})

describe("the map of hours", () => {
  const now = new Date(2026, 10, 25, 14, 32).getTime()
  const top = new Date(2026, 10, 25, 14).getTime()

  it("has a row for each day of the viewer's zone, and today up to the present hour", () => {
    const hours = Array.from({ length: 720 }, (_, i) => hour(top - (719 - i) * HOUR_MS, i))
    const rows = rowsOf(hours, now)
    assert.lengthOf(rows, 30)
    assert.strictEqual(rows.at(-1)!.at, new Date(2026, 10, 25).getTime())
    assert.deepInclude(rows.at(-1)!.cells[14], { at: top, events: 719 })
    assert.isUndefined(rows.at(-1)!.cells[15])
    for (const { cells } of rows.slice(0, -1)) assert.notInclude(cells, undefined)
  })

  it("begins with the day of the first ledger, and has at least a week", () => {
    const from = (daysAgo: number) =>
      rowsOf(
        Array.from({ length: 720 }, (_, i) => hour(top - i * HOUR_MS, 1)).map((one, i) =>
          i / 24 > daysAgo ? { ...one, ledgers: 0, events: 0 } : one
        ),
        now
      )
    assert.lengthOf(from(0), 7)
    assert.lengthOf(from(20), 21)
    assert.lengthOf(rowsOf([], now), 7)
  })

  it("ramps by the events that there are, whatever a few hours have", () => {
    const cells = [0, 100, 200, 300].flatMap((events) =>
      Array.from({ length: 30 }, () => ({ at: 0, ledgers: 900, missing: 0, events }))
    )
    const level = levelsOf([...cells, { at: 0, ledgers: 1, missing: 0, events: 1_000_000 }])
    assert.deepStrictEqual([0, 100, 200, 300, 1_000_000].map(level), [1, 2, 3, 3, 3])
    assert.strictEqual(levelsOf([])(5), 1)
  })

  it("knows which hours a gap is in", () => {
    const gap = { first: 1, last: 9, missing: 9, began: HOUR_MS - 1, ended: 2 * HOUR_MS + 5 }
    const cell = (at: number) => ({ at, ledgers: 0, missing: 0, events: 0 })
    assert.deepStrictEqual(
      [0, HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS].map((at) => isIn(gap, cell(at))),
      [true, true, true, false]
    )
  })
})

describe("the pace of a network", () => {
  it("is the mean over the range, and unknown for a single ledger", () => {
    assert.strictEqual(ledgersPerMinute(range(100, 200)), 20)
    assert.isUndefined(ledgersPerMinute(range(100, 100)))
  })
})
