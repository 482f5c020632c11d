/**
 * One transaction for each event type, made by the simulated ledger from a seed. Test deliveries are built from them.
 * They have the form of real transactions, but their accounts, hashes and ledgers do not exist.
 */
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import type { Ledger } from "../../spine/event/Ledger.ts"
import { asLedger, LOWEST_FIRST_LEDGER, makeChain } from "./Chain.ts"

export interface SyntheticTransaction {
  /** The ledger, reduced to this transaction. */
  readonly ledger: Ledger
  /** All events it causes, in the order of their rank. */
  readonly expected: ReadonlyArray<EventType>
}

/** If an event type has not occurred after this many ledgers, no scenario causes it: a bug. */
const LEDGERS_AT_MOST = 200
const TRANSACTIONS_PER_LEDGER = 10

/** Makes ledgers until every type has occurred. Chooses for each type the transaction with the fewest other events. */
export const syntheticTransactions = (
  seed: number,
  closeTime: number
): ReadonlyMap<EventType, SyntheticTransaction> => {
  const found = new Map<EventType, SyntheticTransaction>()
  const chain = makeChain({
    seed,
    firstLedgerIndex: LOWEST_FIRST_LEDGER,
    transactionsPerLedger: TRANSACTIONS_PER_LEDGER,
    hashing: "digest",
    firstCloseTime: closeTime
  })
  for (let ledgers = 0; found.size < eventTypes.length; ledgers++) {
    if (ledgers > LEDGERS_AT_MOST) {
      const missing = eventTypes.filter((type) => !found.has(type))
      throw new Error(`SyntheticTransactions: with seed ${seed} no scenario causes ${missing.join(", ")}`)
    }
    const closed = chain.close(0)
    const ledger = asLedger(closed)
    closed.transactions.forEach(({ expected }, index) => {
      for (const type of new Set(expected)) {
        const before = found.get(type)
        if (before !== undefined && before.expected.length <= expected.length) continue
        found.set(type, { expected, ledger: { ...ledger, transactions: [ledger.transactions[index]!] } })
      }
    })
  }
  return found
}
