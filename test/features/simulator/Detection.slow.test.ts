import { assert, describe, it } from "@effect/vitest"
import { asLedger, expectedEventIds, makeChain } from "../../../src/features/simulator/Chain.ts"
import { syntheticTransactions } from "../../../src/features/simulator/SyntheticTransactions.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"

const CLOSE_TIME = 800_000_000

describe("detection in simulated ledgers", () => {
  it.each([1, 2, 3, 4, 5, 4_000_000_000])(
    "finds what each transaction was made to cause (seed %s)",
    (seed) => {
      const chain = makeChain({
        seed,
        firstLedgerIndex: 1_000_000,
        firstCloseTime: CLOSE_TIME,
        transactionsPerLedger: 20,
        hashing: "digest"
      })
      for (let n = 0; n < 200; n++) {
        const closed = chain.close(0)
        const { alerts, events } = detectLedger(asLedger(closed))
        assert.deepStrictEqual(alerts, [])
        assert.deepStrictEqual(
          events.map(({ event_id }) => event_id),
          expectedEventIds(closed)
        )
      }
    }
  )

  it("finds its type in each synthetic transaction", () => {
    for (const [type, { expected, ledger }] of syntheticTransactions(11, CLOSE_TIME)) {
      const { alerts, events } = detectLedger(ledger)
      assert.deepStrictEqual(alerts, [], type)
      assert.deepStrictEqual(
        events.map(({ event_type }) => event_type),
        expected
      )
    }
  })
})
