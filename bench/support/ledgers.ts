/**
 * Makes synthetic ledgers in the form of a server's responses. Every run and every process makes the same ones, so a
 * server in another process can serve the very bytes that a benchmark parses.
 */
import { makeChain } from "../../src/features/simulator/Chain.ts"
import { ledgerResult } from "../../test/support/ledger/ledgerAnswers.ts"

const SEED = 20_261_121
export const FIRST_LEDGER_INDEX = 1_000_000
export const TRANSACTIONS_PER_LEDGER = 50
/** A close time in 2026, in seconds of Ripple time. */
const FIRST_CLOSE_TIME = 830_000_000
const CLOSE_EVERY_SECONDS = 4

export interface MadeLedger {
  readonly index: number
  readonly hash: string
  /** The `result` of a `ledger` request, API version 2. */
  readonly result: string
}

/** `count` ledgers in order; the first is the one after FIRST_LEDGER_INDEX. */
export const makeLedgers = (
  count: number,
  transactionsPerLedger = TRANSACTIONS_PER_LEDGER
): ReadonlyArray<MadeLedger> => {
  const chain = makeChain({
    seed: SEED,
    firstLedgerIndex: FIRST_LEDGER_INDEX,
    transactionsPerLedger,
    hashing: "digest",
    firstCloseTime: FIRST_CLOSE_TIME
  })
  return Array.from({ length: count }, (_, i) => {
    const ledger = chain.close(FIRST_CLOSE_TIME + (i + 1) * CLOSE_EVERY_SECONDS)
    const result = ledgerResult(ledger, { version: 2, transactions: true, expand: true })
    return {
      index: ledger.header.ledger_index,
      hash: ledger.header.ledger_hash,
      result: JSON.stringify(result)
    }
  })
}

/** The whole message in which a server sends this result. */
export const answerText = (id: unknown, { result }: MadeLedger): string =>
  `{"id":${JSON.stringify(id)},"result":${result},"status":"success","type":"response"}`
