/** The rate of catch-up, and the time left. */
import { assert, describe, it } from "@effect/vitest"
import { addSample, ledgersPerSecond, type ProgressSamples, remaining } from "../../src/ledger/CatchUpRate.ts"

const firstSample = (at: number, lastTaken: number): ProgressSamples => [{ at, lastTaken, head: undefined }]

/** Two ledgers are taken every 100 ms for that many seconds. `closed`: how many close meanwhile. */
const steady = (seconds: number, closed?: number): ProgressSamples =>
  Array.from({ length: seconds * 10 }, (_, i) => i + 1).reduce<ProgressSamples>(
    (pace, i) =>
      addSample(pace, {
        at: i * 100,
        lastTaken: 2 * i,
        head: closed === undefined ? undefined : 1_000 + closed * i
      }),
    firstSample(0, 0)
  )

describe("the rate of catch-up", () => {
  it("covers the last half minute with a bounded number of samples", () => {
    const samples = steady(90)
    assert.strictEqual(ledgersPerSecond(samples, 90_000), 20)
    assert.isBelow(samples.length, 40)
    assert.isAtLeast(samples[0]!.at, 60_000)
  })

  it("falls when no more ledgers are taken", () => {
    assert.strictEqual(ledgersPerSecond(steady(10), 20_000), 10)
  })

  it("is unknown for the first second", () => {
    assert.isUndefined(ledgersPerSecond(firstSample(5_000, 7), 5_000))
    assert.isUndefined(ledgersPerSecond([], 5_000))
  })

  it("gives the number of ledgers to the head", () => {
    assert.deepStrictEqual(remaining(steady(10), 1_200, 10_000), {
      ledgers: 1_000,
      ledgers_per_second: 20,
      seconds: 50
    })
    const still = firstSample(0, 100)
    assert.deepStrictEqual(remaining(still, 90, 60_000), {
      ledgers: 0,
      ledgers_per_second: 0,
      seconds: 0
    })
    assert.isUndefined(remaining(still, 200, 60_000).seconds)
  })

  it("counts the ledgers that close meanwhile: the time left is infinite if they are as many", () => {
    // In ten seconds 200 are taken and 100 close.
    assert.strictEqual(remaining(steady(10, 1), 1_100, 10_000).ledgers, 900)
    assert.strictEqual(remaining(steady(10, 1), 1_100, 10_000).seconds, 90)
    for (const closed of [2, 3])
      assert.isUndefined(remaining(steady(10, closed), 1_000 + closed * 100, 10_000).seconds)
  })
})
