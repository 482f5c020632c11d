import { assert, describe, it } from "@effect/vitest"
import { barsBetween, edgesOf, moved, timesOf } from "../../../dashboard/src/charts/brush.ts"

/** 24 bars of 10 ms that begin at 1,000 ms. */
const bars = { start: 1_000, pointMs: 10, count: 24 }
const nothing = { since: undefined, until: undefined }

describe("a period chosen on a chart", () => {
  it("has whole bars, in whichever direction they were dragged over", () => {
    assert.deepStrictEqual(barsBetween(3, 7, bars), { from: 3, to: 8 })
    assert.deepStrictEqual(barsBetween(7, 3, bars), { from: 3, to: 8 })
    assert.deepStrictEqual(barsBetween(5, 5, bars), { from: 5, to: 6 })
  })

  it("stays inside the chart", () => {
    assert.deepStrictEqual(barsBetween(-4, 99, bars), { from: 0, to: 24 })
    assert.deepStrictEqual(barsBetween(30, 40, bars), { from: 23, to: 24 })
  })

  it("becomes times, without an end if the last bar belongs to it, and none if all do", () => {
    assert.deepStrictEqual(timesOf({ from: 3, to: 8 }, bars), { since: 1_030, until: 1_080 })
    assert.deepStrictEqual(timesOf({ from: 3, to: 24 }, bars), { since: 1_030, until: undefined })
    assert.deepStrictEqual(timesOf({ from: 0, to: 8 }, bars), { since: 1_000, until: 1_080 })
    assert.deepStrictEqual(timesOf({ from: 0, to: 24 }, bars), nothing)
  })

  it("is found again from its times, unless the chart does not show them", () => {
    assert.deepStrictEqual(edgesOf({ since: 1_030, until: 1_080 }, bars), { from: 3, to: 8 })
    assert.deepStrictEqual(edgesOf({ since: 1_033, until: undefined }, bars), { from: 3, to: 24 })
    assert.deepStrictEqual(edgesOf({ since: undefined, until: 1_080 }, bars), { from: 0, to: 8 })
    assert.isUndefined(edgesOf(nothing, bars))
    assert.isUndefined(edgesOf({ since: 100, until: 200 }, bars))
  })

  it("has edges that move, and keeps at least one bar", () => {
    assert.deepStrictEqual(moved({ from: 3, to: 8 }, "from", -2, bars), { from: 1, to: 8 })
    assert.deepStrictEqual(moved({ from: 3, to: 8 }, "from", 24, bars), { from: 7, to: 8 })
    assert.deepStrictEqual(moved({ from: 3, to: 8 }, "to", -24, bars), { from: 3, to: 4 })
    assert.deepStrictEqual(moved({ from: 3, to: 8 }, "to", 24, bars), { from: 3, to: 24 })
  })
})
