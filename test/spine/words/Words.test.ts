/** Numbers, sizes and times read the same in every text. */
import { assert, describe, it } from "@effect/vitest"
import {
  count,
  counted,
  duration,
  roughly,
  roughlySpelled,
  seconds,
  size,
  utcMinute,
  utcSecond
} from "../../../src/spine/words/Words.ts"

describe("texts", () => {
  it("have numbers with their unit", () => {
    assert.deepStrictEqual(
      [count(6_310), counted(1, "retry", "retries"), counted(6_310, "retry", "retries")],
      ["6,310", "1 retry", "6,310 retries"]
    )
    assert.deepStrictEqual([0, 950, 20e6, 1.44e12].map(size), ["0 B", "950 B", "20 MB", "1.4 TB"])
  })

  it("have spans of time, exact or in one unit", () => {
    assert.deepStrictEqual(
      [seconds(10_000), seconds(500), seconds(1_449, 1), seconds(1_449, 0)],
      ["10 s", "0.5 s", "1.4 s", "1 s"]
    )
    const spans = [1_000, 119_400, 150_000, 7_170_000, 7_200_000, 108_000_000]
    assert.deepStrictEqual(spans.map(duration), [
      "1 s",
      "1 min 59 s",
      "2 min 30 s",
      "1 h 59 min",
      "2 h 0 min",
      "30 h 0 min"
    ])
    assert.deepStrictEqual(spans.map(roughly), ["1 s", "119 s", "3 min", "2 h", "2 h", "30 h"])
    assert.deepStrictEqual(spans.map(roughlySpelled), [
      "1 second",
      "119 seconds",
      "3 minutes",
      "2 hours",
      "2 hours",
      "30 hours"
    ])
  })

  it("have times in UTC", () => {
    const at = Date.parse("2026-11-21T09:30:17.250Z")
    assert.deepStrictEqual(
      [utcMinute(at), utcSecond(at)],
      ["2026-11-21 09:30 UTC", "2026-11-21 09:30:17 UTC"]
    )
  })
})
