/** Axes have round marks, and the calendar of incidents shows each on its days, however long it lasts. */
import { assert, describe, it } from "@effect/vitest"
import { roundStep, timeMarks } from "../../../dashboard/src/charts/scale.ts"
import { calendarDays, lengthOf } from "../../../dashboard/src/features/health/incidents/calendar.ts"

const HOUR = 3_600_000

describe("axes", () => {
  it("have steps of 1, 2 or 5 times a power of ten", () => {
    assert.deepStrictEqual(
      [0, 3, 7, 29, 240, 900, 12_345].map((most) => roundStep(most, 3)),
      [1, 1, 5, 10, 100, 500, 5_000]
    )
  })

  it("mark whole hours, and days of the viewer's zone", () => {
    const from = new Date(2026, 10, 24, 14, 20).getTime()
    const marks = timeMarks(from, from + 24 * HOUR, 8)
    assert.isAtMost(marks.length, 9)
    for (const { at } of marks) assert.strictEqual(new Date(at).getHours() % 3, 0)
    assert.deepStrictEqual(
      marks.filter(({ isDay }) => isDay).map(({ at }) => at),
      [new Date(2026, 10, 25).getTime()]
    )
  })
})

describe("the calendar of incidents", () => {
  const now = new Date(2026, 10, 25, 12).getTime()
  const iso = (...time: [number, number, number, number]) => new Date(...time).toISOString()

  it("has a column for each day, today last", () => {
    const days = calendarDays([], now, 90)
    assert.strictEqual(days.length, 90)
    assert.strictEqual(days.at(-1)!.at, new Date(2026, 10, 25).getTime())
    assert.isTrue(days.every(({ failing }) => failing.length === 0))
  })

  it("splits an incident at midnight, and ends one that lasts at this moment", () => {
    const past = { began_at: iso(2026, 10, 23, 18), ended_at: iso(2026, 10, 24, 6) }
    const open = { began_at: iso(2026, 10, 25, 6), ended_at: null }
    const [first, second, today] = calendarDays([past, open], now, 3)
    assert.deepStrictEqual(first!.failing, [{ from: 0.75, to: 1 }])
    assert.deepStrictEqual(second!.failing, [{ from: 0, to: 0.25 }])
    assert.deepStrictEqual(today!.failing, [{ from: 0.25, to: 0.5 }])
    const [, , begun] = calendarDays(
      [{ began_at: new Date(now + 30_000).toISOString(), ended_at: null }],
      now,
      3
    )
    assert.strictEqual(begun!.failing.length, 1, "an incident that began after the time was rounded down")
    assert.deepStrictEqual([lengthOf(past, now), lengthOf(open, now)], [12 * HOUR, 6 * HOUR])
  })
})
