/** The watermark never passes an offset that is open, and passes all that are done below it. */
import { assert, describe, it } from "@effect/vitest"
import { makeWatermark } from "../../../../src/spine/deliver/take/Watermark.ts"

describe("watermark", () => {
  it("commits nothing while the oldest offset is open, and everything once it is done", () => {
    const watermark = makeWatermark(10)
    for (const offset of [10, 11, 12]) watermark.add(offset)
    watermark.done(12)
    watermark.done(11)
    assert.strictEqual(watermark.committable(), 10)
    watermark.done(10)
    assert.strictEqual(watermark.committable(), 13)
  })

  it("steps over holes in the offsets, which Kafka's transaction markers leave", () => {
    const watermark = makeWatermark(0)
    for (const offset of [0, 1, 5]) watermark.add(offset)
    watermark.done(0)
    watermark.done(1)
    assert.strictEqual(watermark.committable(), 2)
    watermark.done(5)
    assert.strictEqual(watermark.committable(), 6)
  })

  it("is correct for many offsets finished in another order", () => {
    const watermark = makeWatermark(0)
    const count = 5_000
    for (let offset = 0; offset < count; offset++) watermark.add(offset)
    for (let offset = 1; offset < count; offset += 2) watermark.done(offset)
    for (let offset = 0; offset < count - 2; offset += 2) watermark.done(offset)
    assert.strictEqual(watermark.committable(), count - 2)
    watermark.done(count - 2)
    assert.strictEqual(watermark.committable(), count)
  })
})
