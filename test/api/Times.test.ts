/** Moments are written as the language's own `toISOString` writes them. */
import { assert, describe, it } from "@effect/vitest"
import { iso } from "../../src/api/Times.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:15.250Z")

describe("iso", () => {
  it("agrees with toISOString on every kind of moment, in whatever order", () => {
    const moments = [0, -1, NOW, NOW + 0.75, Date.parse("2024-02-29T23:59:59.999Z"), 8.64e15, -8.64e15]
    for (let i = 0; i < 2_000; i++) moments.push(NOW + i * 7_654_321, i * DAY_MS, i * DAY_MS - 1)
    for (const moment of moments) assert.strictEqual(iso(moment), new Date(moment).toISOString())
  })

  it("takes text with an offset, and refuses what is no moment", () => {
    assert.strictEqual(iso("2026-11-21T10:30:15.250+01:00"), "2026-11-21T09:30:15.250Z")
    assert.throws(() => iso("no moment"), RangeError)
  })
})
