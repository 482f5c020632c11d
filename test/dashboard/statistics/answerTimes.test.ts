/** The map of answer times, the part of a period that is drawn, and the cursor that charts share. */
import { assert, describe, it } from "@effect/vitest"
import { placeOf } from "../../../dashboard/src/charts/cursor.ts"
import { columnsOf, levelOf } from "../../../dashboard/src/features/statistics/answerTimes.ts"
import { fromFirst, isTooNew, pointsSince } from "../../../dashboard/src/features/statistics/fit.ts"

const QUARTER_MS = 900_000
const FROM = Date.parse("2026-11-25T14:15:00Z")

const point = (place: number, delivered: number) => ({
  at: new Date(FROM + place * QUARTER_MS).toISOString(),
  delivered,
  failed: 0,
  pending: 0,
  retrying: 0,
  attempts: delivered,
  attempts_failed: 0,
  first_attempt_success_rate: null,
  p50_ms: null,
  p99_ms: null,
  answer_times: [0, delivered, 0, 0, 0, 0, 0, 0, 0]
})
const day = Array.from({ length: 97 }, (_, place) => point(place, place))

describe("the map of answer times", () => {
  it("joins quarters of an hour to half hours, which begin at whole ones, and loses no answer", () => {
    const { columnMs, columns } = columnsOf(day, QUARTER_MS)
    assert.strictEqual(columnMs, 2 * QUARTER_MS)
    assert.lengthOf(columns, 49)
    assert.strictEqual(columns[0]!.at, Date.parse("2026-11-25T14:00:00Z"))
    assert.strictEqual(
      columns.reduce((sum, { counts }) => sum + counts[1]!, 0),
      (96 * 97) / 2
    )
    assert.strictEqual(columnsOf(day.slice(0, 24), QUARTER_MS).columnMs, QUARTER_MS)
  })

  it("shows one answer among thousands, and leaves no answer empty", () => {
    assert.deepStrictEqual(
      [0, 1, 5_000, 10_000].map((some) => levelOf(some, 10_000)),
      [0, 1, 4, 5]
    )
  })
})

describe("what a chart draws", () => {
  it("begins when there can be data", () => {
    assert.deepStrictEqual(fromFirst(day)[0], day[1])
    assert.deepStrictEqual(fromFirst([point(0, 0)]), [])
    const since = FROM + 90 * QUARTER_MS + 1
    assert.strictEqual(pointsSince(day, QUARTER_MS, since)[0], day[90])
    assert.deepStrictEqual([day.slice(0, 2), day].map(isTooNew), [true, false])
  })

  it("has the cursor at the point of its time", () => {
    const points = day.map(({ at }) => ({ at: Date.parse(at) }))
    assert.deepStrictEqual(
      [FROM - 1, FROM, FROM + QUARTER_MS + 5, undefined].map((at) => placeOf(points, QUARTER_MS, at)),
      [undefined, 0, 1, undefined]
    )
  })
})
