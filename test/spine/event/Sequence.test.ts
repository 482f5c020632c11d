import { assert, describe, it } from "@effect/vitest"
import { SEQUENCE_PATTERN, sequenceOf } from "../../../src/spine/event/Sequence.ts"

describe("the sequence of events", () => {
  it("sorts as text in the order of ledgers, and of places within a ledger", () => {
    const places = [0, 1, 9, 10, 340_000, 999_999]
    const sequences = [1, 9, 10, 94_084_608, 2 ** 32 - 1].flatMap((ledger_index) =>
      places.map((position) => sequenceOf({ ledger_index, position }))
    )
    assert.deepStrictEqual(sequences.toSorted(), sequences)
    assert.strictEqual(new Set(sequences).size, sequences.length)
    for (const sequence of sequences) assert.match(sequence, SEQUENCE_PATTERN)
    assert.strictEqual(sequenceOf({ ledger_index: 94_084_608, position: 41 }), "0094084608.000041")
  })
})
