/** Bounds of time as whole seconds, at which ledgers close. */
import { assert, describe, it } from "@effect/vitest"
import { overlap, secondsBetween } from "../../../src/storage/events/CloseTimes.ts"

describe("secondsBetween", () => {
  it("excludes both moments, whole seconds or fractions of them", () => {
    assert.deepStrictEqual(secondsBetween(10_000, 20_000), { from: 11, before: 20 })
    assert.deepStrictEqual(secondsBetween(10_000.5, 20_000.5), { from: 11, before: 21 })
    assert.deepStrictEqual(secondsBetween(9_999, 19_001), { from: 10, before: 20 })
  })

  it("is empty if no second is between them", () => {
    assert.deepStrictEqual(secondsBetween(10_000, 10_000), { from: 11, before: 11 })
    assert.deepStrictEqual(secondsBetween(20_000, 10_000), { from: 21, before: 21 })
  })

  it("stays within the ledger's clock, however far the bounds are", () => {
    const [past, future] = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"].map((time) => Date.parse(time))
    assert.deepStrictEqual(secondsBetween(past, future), secondsBetween(undefined, undefined))
    const { from, before } = secondsBetween(undefined, undefined)
    assert.deepStrictEqual(secondsBetween(undefined, past), { from, before: from })
    assert.deepStrictEqual(secondsBetween(future, undefined), { from: before, before })
  })
})

describe("overlap", () => {
  it("is what two times have in common, and empty if that is nothing", () => {
    const kept = { from: 100, before: 200 }
    assert.deepStrictEqual(overlap({ from: 50, before: 150 }, kept), { from: 100, before: 150 })
    assert.deepStrictEqual(overlap({ from: 120, before: 150 }, kept), { from: 120, before: 150 })
    assert.deepStrictEqual(overlap({ from: 20, before: 50 }, kept), { from: 100, before: 100 })
    assert.deepStrictEqual(overlap({ from: 300, before: 400 }, kept), { from: 300, before: 300 })
  })
})
