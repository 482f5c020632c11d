/** Numbers, durations and times in the dashboard read the same everywhere, and are copied plainly. */
import { assert, describe, it } from "@effect/vitest"
import {
  clockTime,
  count,
  dayTime,
  duration,
  localTime,
  plainDigits,
  plural,
  relativeTime
} from "../../../dashboard/src/words/format.ts"

/** Narrow and no-break spaces as plain ones. */
const plain = (text: string) => text.replaceAll(/\s/g, " ")

describe("the dashboard's formats", () => {
  it("separate groups of digits by a narrow space that is not copied", () => {
    assert.strictEqual(plain(count(108_412_087)), "108 412 087")
    assert.strictEqual(count(999), "999")
    assert.strictEqual(plainDigits(`ledger ${count(108_412_087)}`), "ledger 108412087")
    assert.strictEqual(plainDigits(duration(95_000)), "1 min 35 s")
    assert.strictEqual(plain(plural(1_038, "delivery waits", "deliveries wait")), "1 038 deliveries wait")
    assert.strictEqual(plural(1, "webhook"), "1 webhook")
  })

  it("give durations in their two largest units", () => {
    for (const [ms, shown, whole] of [
      [850, "850 ms", "0 s"],
      [1_400, "1.4 s", "1 s"],
      [12_300, "12 s", "12 s"],
      [95_000, "1 min 35 s", "1 min 35 s"],
      [3_600_000, "1 h", "1 h"],
      [17_460_000, "4 h 51 min", "4 h 51 min"],
      [97_200_000, "1 d 3 h", "1 d 3 h"]
    ] as const) {
      assert.strictEqual(plain(duration(ms)), shown)
      assert.strictEqual(plain(duration(ms, true)), whole)
    }
  })

  it("are relative within a day, in both directions, and have a date beyond it", () => {
    const now = Date.parse("2026-11-25T14:32:06Z")
    assert.strictEqual(plain(relativeTime(now - 3_000, now)!), "3 s ago")
    assert.strictEqual(plain(relativeTime(now + 12_000, now)!), "in 12 s")
    assert.strictEqual(relativeTime(now - 400, now), "now")
    assert.isUndefined(relativeTime(now - 86_400_000, now))
  })

  it("have 24 hours, and the year only if it is another", () => {
    const at = new Date(2026, 8, 19, 18, 4, 5)
    assert.strictEqual(clockTime(at), "18:04:05")
    assert.strictEqual(localTime(at, new Date(2026, 10, 25)), "19 Sep, 18:04:05")
    assert.strictEqual(localTime(at, new Date(2027, 0, 1)), "19 Sep 2026, 18:04:05")
    assert.strictEqual(dayTime(at.getTime(), at.getTime() + 3_600_000), "18:04")
    assert.strictEqual(dayTime(at.getTime(), at.getTime() + 2 * 86_400_000), "19 Sep, 18:04")
  })
})
