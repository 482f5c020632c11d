/** Where a month's attempts end up at the present pace. */
import { assert, describe, it } from "vitest"
import type { Account } from "../../../dashboard/src/api/ledgerhook.ts"
import { daysOf, forecastOf } from "../../../dashboard/src/features/accounts/plan/forecast.ts"

const at = (time: string) => Date.parse(`2026-11-${time}:00Z`)

/** `counts`: attempts of each day so far. */
const usageOf = (counts: ReadonlyArray<number>, quota: number | null): Account["usage"] => ({
  month: "2026-11",
  deliveries: counts.reduce((sum, some) => sum + some, 0),
  quota,
  days: counts.map((deliveries, index) => ({
    date: `2026-11-${String(index + 1).padStart(2, "0")}`,
    deliveries
  }))
})

describe("the forecast of a month", () => {
  it("says nothing in the first days, or while nothing is sent", () => {
    assert.isUndefined(forecastOf(usageOf([100, 100, 50], 1_000), at("03T12:00")))
    assert.isUndefined(forecastOf(usageOf([0, 0, 0, 0], 1_000), at("04T12:00")))
    assert.deepStrictEqual(
      daysOf(usageOf([100, 50], 1_000), at("02T12:00")).map(({ toCome }) => toCome),
      Array.from({ length: 30 }, () => 0)
    )
  })

  it("follows the last 7 whole days", () => {
    // 10 days of 100 follow 2 of 900; half of day 13 is over.
    const usage = usageOf([900, 900, ...Array.from({ length: 10 }, () => 100), 50], null)
    assert.deepStrictEqual(forecastOf(usage, at("13T12:00")), { total: 4_600, usedUpAt: undefined })
  })

  it("says when the quota is used up, and what would wait", () => {
    const usage = usageOf([100, 100, 100, 50], 600)
    const now = at("04T12:00")
    assert.deepStrictEqual(forecastOf(usage, now), { total: 3_000, usedUpAt: at("07T00:00") })
    const days = daysOf(usage, now)
    assert.deepStrictEqual(
      [3, 4, 6].map((index) => {
        const { made, toCome, wouldWait } = days[index]!
        return [made, toCome, wouldWait]
      }),
      [
        [50, 50, 0],
        [0, 100, 0],
        [0, 0, 100]
      ]
    )
    assert.isUndefined(forecastOf(usageOf([100, 100, 100, 50], 3_001), now)?.usedUpAt)
  })
})
