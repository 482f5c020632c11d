/** The ledger ranges that a server claims, in all the forms that rippled and Clio write. */
import { assert, describe, it } from "@effect/vitest"
import { claims, formatRanges, parseRanges } from "../../../../src/spine/ledger/servers/Ranges.ts"

describe("claimed ranges", () => {
  it("are read as disjoint ranges in order", () => {
    assert.deepStrictEqual(parseRanges("7"), [{ from: 7, to: 7 }])
    assert.deepStrictEqual(parseRanges("empty"), [])
    assert.deepStrictEqual(parseRanges("95-100, 10-20,21-30,97-99"), [
      { from: 10, to: 30 },
      { from: 95, to: 100 }
    ])
  })

  it("in another form are ignored", () => {
    for (const text of [undefined, null, 7, "1-", "9-3", "a-b", "1-2-3", "1,,2"])
      assert.isUndefined(parseRanges(text), String(text))
  })

  it("are ignored if there are too many, or the text is too long, at no cost", () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => 3 * i + 1).join(",")
    assert.strictEqual(parseRanges(many(1_000))?.length, 1_000)
    assert.isUndefined(parseRanges(many(1_001)))
    const before = process.memoryUsage().heapUsed
    assert.isUndefined(parseRanges("1,".repeat(12_000_000)))
    assert.isBelow(process.memoryUsage().heapUsed - before, 64 * 1024 * 1024)
  })

  it("cover their ledgers and later announcements, and every ledger if the server named no ranges", () => {
    const ranges = parseRanges("10-20,30-40")
    assert.deepStrictEqual(
      [9, 10, 25, 40, 41, 42, 43].map((index) => claims(ranges, 42, index)),
      [false, true, false, true, true, true, false]
    )
    assert.isTrue(claims(undefined, undefined, 7))
    assert.isFalse(claims([], undefined, 7))
  })

  it("are written in the form in which they are read", () => {
    for (const text of ["empty", "7", "10-20,30-40"])
      assert.strictEqual(formatRanges(parseRanges(text)!), text)
  })
})
