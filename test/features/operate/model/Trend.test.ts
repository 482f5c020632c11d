/** Whether a backlog grows, shrinks or stands still, and when it will be gone. */
import { assert, describe, it } from "@effect/vitest"
import { addSample, SAMPLES, type Sample, trendOf } from "../../../../src/features/operate/model/Trend.ts"
import { Limits } from "../../../../src/spine/config/Limits.ts"

/** A sample every 10 s. */
const samples = (...waiting: ReadonlyArray<number>): ReadonlyArray<Sample> =>
  waiting.map((each, i) => ({ atMs: i * Limits.reportMs, waiting: each }))

const cases: ReadonlyArray<readonly [what: string, waiting: ReadonlyArray<number>, trend: object]> = [
  ["is unknown without samples", [], { kind: "unknown" }],
  ["is unknown in the first minute", [900, 800, 700], { kind: "unknown" }],
  ["is none if nothing waited a moment ago", [900, 800, 700, 0, 5, 9, 12, 20], { kind: "none" }],
  [
    "is stuck if nothing moved for a minute",
    [500, 700, 700, 700, 700, 700, 700, 700, 700],
    { kind: "stuck" }
  ],
  ["grows by a rate", [100, 200, 300, 400, 500, 600, 700], { kind: "growing", perSecond: 10 }],
  [
    "shrinks, and will be gone when the rate says",
    [1_300, 1_200, 1_100, 1_000, 900, 800, 700],
    { kind: "shrinking", leftS: 70 }
  ]
]

describe("the trend of a backlog", () => {
  it.each(cases)("%s", (_, waiting, trend) => {
    assert.deepStrictEqual(trendOf(samples(...waiting)), trend)
  })

  it("looks back five minutes", () => {
    const all = samples(...Array.from({ length: 100 }, (_, i) => i)).reduce<ReadonlyArray<Sample>>(
      addSample,
      []
    )
    assert.strictEqual(all.length, SAMPLES)
    assert.strictEqual(all.at(-1)?.waiting, 99)
  })
})
