/** Ids sort by time, delivery ids by ledger order, and the same delivery always has the same id. */
import { assert, describe, it } from "@effect/vitest"
import { deliveryId, firstIdAt, idTime, isId, randomId } from "../../../src/spine/words/Ids.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")

describe("ids", () => {
  it("contain their millisecond and match their own pattern", () => {
    const id = randomId("wh_", NOW)
    assert.strictEqual(idTime(id), NOW)
    assert.isTrue(isId("wh_", id))
    assert.isFalse(isId("dlv_", id))
    assert.isFalse(isId("wh_", `${id}0`))
    assert.isFalse(isId("wh_", id.replace(/.$/, "U")))
    // Crockford base 32 of the time 2^48 - 1: the largest a ULID holds.
    assert.strictEqual(firstIdAt("wh_", 2 ** 48 - 1), "wh_7ZZZZZZZZZ0000000000000000")
  })
  it("sort by detection time, then by the event's place in its ledger", () => {
    const at = (time: number, position: number) => deliveryId(time, position, "wh_1", `e${position}`)
    const inOrder = [at(NOW, 0), at(NOW, 1), at(NOW, 70_000), at(NOW + 1, 0)]
    assert.deepStrictEqual([...inOrder].sort(), inOrder)
    assert.isTrue(firstIdAt("dlv_", NOW) <= inOrder[0]! && inOrder[2]! < firstIdAt("dlv_", NOW + 1))
  })
  it("are the same for the same webhook and event, and differ otherwise", () => {
    const id = deliveryId(NOW, 3, "wh_1", "e")
    assert.strictEqual(deliveryId(NOW, 3, "wh_1", "e"), id)
    assert.notStrictEqual(deliveryId(NOW, 3, "wh_2", "e"), id)
  })
})
