/** Groups take turns, a group's items keep their order, and a long queue costs no more for each item than a short one. */
import { assert, describe, it } from "@effect/vitest"
import { makeFairQueue } from "../../src/deliver/send/FairQueue.ts"
import { makeSeededRandom } from "../../src/simulator/SeededRandom.ts"

const drained = (queue: { readonly shift: () => string | undefined }) => {
  const items: Array<string> = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
  return items
}

describe("a fair queue", () => {
  it("serves its groups in turns, and each group in order", () => {
    const queue = makeFairQueue<string, string>()
    for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.add(item[0]!, item)
    queue.add("b", "b1")
    assert.strictEqual(queue.size(), 6)
    assert.deepStrictEqual(drained(queue), ["a1", "b1", "c1", "a2", "c2", "a3"])
    assert.strictEqual(queue.size(), 0)
  })

  it("returns each item once, whatever is added and removed meanwhile", () => {
    const chance = makeSeededRandom(7)
    const queue = makeFairQueue<number, number>()
    const expected = new Set<number>()
    for (let i = 0; i < 5_000; i++) {
      const item = chance.int(0, 199)
      const group = item % 7
      if (chance.flip(0.5)) {
        queue.add(group, item)
        expected.add(item)
      } else if (chance.flip(0.4)) {
        queue.remove(group, item)
        expected.delete(item)
      } else {
        const next = queue.shift()
        assert.strictEqual(next === undefined, expected.size === 0)
        if (next !== undefined) assert.isTrue(expected.delete(next))
      }
      assert.strictEqual(queue.size(), expected.size)
    }
  })

  // With a cost that grows with the queue's length, this would take half a minute.
  it("of 400,000 items is drained in less than the time limit of a test", () => {
    const queue = makeFairQueue<number, number>()
    const ITEMS = 400_000
    for (let i = 0; i < ITEMS; i++) queue.add(i % 3, i)
    let drained = 0
    while (queue.shift() !== undefined) drained++
    assert.strictEqual(drained, ITEMS)
  })
})
