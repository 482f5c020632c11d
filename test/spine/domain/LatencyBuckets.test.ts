/** Classes of answer times, which the dashboard draws. */
import { assert, describe, it } from "@effect/vitest"
import {
  answerTimeBoundsMs,
  BUCKETS_PER_DECADE,
  byAnswerTime
} from "../../../src/spine/domain/LatencyBuckets.ts"

/** As the database computes it. */
const bucketOf = (ms: number): number => Math.ceil(BUCKETS_PER_DECADE * Math.log10(ms + 1))

describe("classes of answer times", () => {
  it("count each latency once, in its class or, close to a bound, in the one beside it", () => {
    for (let ms = 0; ms <= 12_000; ms += 7) {
      const counts = byAnswerTime(new Map([[bucketOf(ms), 3]]))
      assert.strictEqual(
        counts.reduce((sum, some) => sum + some, 0),
        3
      )
      const place = counts.indexOf(3)
      const [least, most] = [answerTimeBoundsMs[place - 1] ?? 0, answerTimeBoundsMs[place] ?? 1e9]
      assert.isAtLeast(1.13 * ms + 1, least, `${ms} ms`)
      assert.isAtMost(0.87 * ms - 1, most, `${ms} ms`)
    }
  })

  it("are empty without latencies", () => {
    assert.deepStrictEqual(byAnswerTime(new Map()), [0, 0, 0, 0, 0, 0, 0, 0, 0])
  })
})
