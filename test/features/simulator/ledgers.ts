/** Simulated ledgers of the tests, and how rare their events may be. */
import { assert, it } from "@effect/vitest"
import { type ChainOptions, type ClosedLedger, makeChain } from "../../../src/features/simulator/Chain.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"

export const FIRST = { ledgerIndex: 1_000_000, closeTime: 800_000_000 }

export const ledgersOf = (
  count: number,
  options: Partial<ChainOptions> = {}
): ReadonlyArray<ClosedLedger> => {
  const chain = makeChain({
    seed: 1,
    firstLedgerIndex: FIRST.ledgerIndex,
    firstCloseTime: FIRST.closeTime,
    transactionsPerLedger: 10,
    hashing: "digest",
    ...options
  })
  return Array.from({ length: count }, (_, n) => chain.close(FIRST.closeTime + n * 4))
}

const typesOf = (ledgers: ReadonlyArray<ClosedLedger>): ReadonlySet<string> =>
  new Set(ledgers.flatMap(({ transactions }) => transactions.flatMap(({ expected }) => expected)))

export const showsEveryType = (seeds: number) =>
  it("shows every family within 20 ledgers of ten transactions, every type within 100", () => {
    const familyOf = (type: string) => type.split(".")[0]!
    const families = [...new Set(eventTypes.map(familyOf))]
    for (let seed = 0; seed < seeds; seed++) {
      const ledgers = ledgersOf(100, { seed: seed * 7_919 })
      const [early, all] = [new Set([...typesOf(ledgers.slice(0, 20))].map(familyOf)), typesOf(ledgers)]
      const missing = [
        ...families.filter((family) => !early.has(family)),
        ...eventTypes.filter((type) => !all.has(type))
      ]
      assert.deepStrictEqual(missing, [], `too rare in src/features/simulator/scenarios (seed ${seed})`)
    }
  })
