/**
 * Whether an answer is the ledger we need: final, complete, the right one, and the successor of the one before
 * (docs/detection-rules.md 4). Pure. All but `broken_chain` may come right by asking again or elsewhere: rippled answers a
 * too early request with the open ledger, and a ledger it cannot read to the end with a shortened list.
 */
import type { FetchedLedger, LedgerFault } from "./LedgerSource.ts"

export interface Expectations {
  readonly index: number
  /** Hash of the ledger taken before; undefined for the first. */
  readonly parentHash: string | undefined
  readonly announcedHash?: string | undefined
  readonly announcedCount?: number | undefined
}

/** Ledger time is an unsigned 32-bit number of seconds. */
const TIME_MAX = 4_294_967_295

/** Root of the transaction tree of an empty ledger. */
const NO_TREE = /^0+$/

const hashes = ["ledger_hash", "parent_hash"] as const
const times = ["close_time", "parent_close_time"] as const

const fault = (reason: LedgerFault["reason"], detail: string): LedgerFault => ({ reason, detail })

/** The first thing that is wrong, or undefined. */
export const checkLedger = (fetched: FetchedLedger, expected: Expectations): LedgerFault | undefined => {
  const { ledger } = fetched
  const { transactions } = ledger
  if (!fetched.validated) return fault("not_validated", `ledger ${expected.index} is not validated yet`)
  if (ledger.ledger_index !== expected.index)
    return fault("wrong_ledger", `asked for ledger ${expected.index}, got ${ledger.ledger_index}`)
  const absent =
    hashes.find((field) => ledger[field] === undefined) ??
    times.find((field) => ledger[field] === undefined || ledger[field] > TIME_MAX)
  if (absent !== undefined) return fault("malformed", `ledger ${expected.index} has no valid ${absent}`)
  if (expected.announcedHash !== undefined && expected.announcedHash !== ledger.ledger_hash)
    return fault(
      "wrong_hash",
      `ledger ${expected.index} was announced as ${expected.announcedHash}, got ${ledger.ledger_hash}`
    )
  if (fetched.malformed > 0)
    return fault("malformed", `${fetched.malformed} transactions of ledger ${expected.index} cannot be read`)
  if (expected.announcedCount !== undefined && expected.announcedCount !== transactions.length)
    return fault(
      "truncated",
      `ledger ${expected.index} was announced with ${expected.announcedCount} transactions, got ${transactions.length}`
    )
  if (
    fetched.transactionHash !== undefined &&
    transactions.length === 0 &&
    !NO_TREE.test(fetched.transactionHash)
  )
    return fault("truncated", `ledger ${expected.index} has transactions by its header, but none is listed`)
  // They come in execution order, so position and index agree exactly when the indexes are 0 to k - 1.
  for (const [position, { hash, meta }] of transactions.entries()) {
    if (meta["TransactionIndex"] !== position)
      return fault("truncated", `transaction ${position} of ledger ${expected.index} is missing`)
    if (typeof meta["TransactionResult"] !== "string")
      return fault("malformed", `transaction ${hash} of ledger ${expected.index} has no result`)
  }
  if (expected.parentHash !== undefined && expected.parentHash !== ledger.parent_hash)
    return fault(
      "broken_chain",
      `ledger ${expected.index} names ${ledger.parent_hash} as its parent, but ledger ${expected.index - 1} was taken with ${expected.parentHash}`
    )
  return undefined
}
