import { assert, describe, it } from "@effect/vitest"
import { clicked, clickedAll, nothing } from "../../../dashboard/src/ui/list/selection.ts"

const all = ["a", "b", "c", "d", "e"]

describe("selecting rows", () => {
  it("selects and deselects one row", () => {
    const one = clicked(nothing, all, "b", false)
    assert.deepStrictEqual([...one.ids], ["b"])
    assert.deepStrictEqual([...clicked(one, all, "b", false).ids], [])
  })

  it("selects every row from the last click to one with Shift, in both directions", () => {
    const one = clicked(nothing, all, "d", false)
    assert.deepStrictEqual([...clicked(one, all, "b", true).ids].sort(), ["b", "c", "d"])
    assert.deepStrictEqual([...clicked(one, all, "e", true).ids].sort(), ["d", "e"])
  })

  it("deselects a range if the row with Shift was selected", () => {
    const every = clickedAll(nothing, all)
    const without = clicked(every, all, "b", false)
    assert.deepStrictEqual([...clicked(without, all, "d", true).ids], ["a", "e"])
  })

  it("begins anew if the row of the last click is gone", () => {
    const one = clicked(nothing, ["x", ...all], "x", false)
    assert.deepStrictEqual([...clicked(one, all, "c", true).ids], ["x", "c"])
  })

  it("selects all that is loaded, or nothing", () => {
    const every = clickedAll(nothing, all)
    assert.strictEqual(every.ids.size, all.length)
    assert.strictEqual(clickedAll(every, all).ids.size, 0)
  })
})
