/** How fast ledgers are taken, and what that says of the rest. */
import { assert, describe, it } from "@effect/vitest"
import { begin, ledgersPerSecond, moved, type Pace, remaining } from "../../src/ledger/Pace.ts"

/** Two ledgers every 100 ms for that many seconds. */
const steady = (seconds: number): Pace =>
  Array.from({ length: seconds * 10 }, (_, i) => i + 1).reduce<Pace>(
    (pace, i) => moved(pace, i * 100, 2 * i),
    begin(0, 0)
  )

describe("the pace of catching up", () => {
  it("is that of the last half minute, from a bounded number of samples", () => {
    const pace = steady(90)
    assert.strictEqual(ledgersPerSecond(pace, 90_000), 20)
    assert.isBelow(pace.length, 40)
    assert.isAtLeast(pace[0]!.at, 60_000)
  })

  it("falls when nothing is taken any more", () => {
    assert.strictEqual(ledgersPerSecond(steady(10), 20_000), 10)
  })

  it("is not told from less than a second, nor after the clock went back", () => {
    assert.isUndefined(ledgersPerSecond(begin(5_000, 7), 5_000))
    assert.isUndefined(ledgersPerSecond(moved(begin(5_000, 7), 1_000, 8), 1_000))
    assert.isUndefined(ledgersPerSecond([], 5_000))
  })

  it("tells how far it is to the head", () => {
    assert.deepStrictEqual(remaining(steady(10), 1_200, 10_000), {
      ledgers: 1_000,
      ledgers_per_second: 20,
      seconds: 50
    })
    const still = begin(0, 100)
    assert.deepStrictEqual(remaining(still, 90, 60_000), {
      ledgers: 0,
      ledgers_per_second: 0,
      seconds: undefined
    })
  })
})
