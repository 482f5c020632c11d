/**
 * Checks that an answer is the ledger we asked for: validated, complete, and the child of the ledger before it
 * (docs/detection-rules.md 4). Pure. For every fault but `broken_chain`, the same server may answer correctly later:
 * rippled answers a request that comes too early with the open ledger, and may shorten the transaction list of a
 * ledger it cannot read.
 */
import type { FetchedLedger, LedgerFault, LedgerPart } from "./LedgerSource.ts"

export interface Expectations {
  readonly index: number
  /** Default: whole. Of a header, the list of transactions is not checked. */
  readonly part?: LedgerPart
  /** Hash of the ledger before; undefined: the link is not checked. */
  readonly parentHash: string | undefined
  readonly announcedHash?: string | undefined
  readonly announcedCount?: number | undefined
}

/** Root of the transaction tree of an empty ledger. */
const NO_TREE = /^0+$/

const needed = ["ledger_hash", "parent_hash", "close_time", "parent_close_time"] as const

const fault = (reason: LedgerFault["reason"], detail: string): LedgerFault => ({ reason, detail })

/** Whether a ledger has all its transactions, as far as it can be seen without the network. The first fault found. */
export const checkTransactions = ({
  ledger,
  malformed,
  transactionHash
}: Pick<FetchedLedger, "ledger" | "malformed" | "transactionHash">): LedgerFault | undefined => {
  const { ledger_index: index, transactions } = ledger
  if (malformed > 0)
    return fault(
      "malformed",
      `${malformed} of the ${malformed + transactions.length} transactions of ledger ${index} have no type, hash or metadata in JSON form`
    )
  if (transactionHash !== undefined && transactions.length === 0 && !NO_TREE.test(transactionHash))
    return fault("truncated", `ledger ${index} has transactions in its header, but none is listed`)
  // The list is in execution order, so a complete one has the indexes 0 to k - 1 in this order.
  for (const [position, { hash, meta }] of transactions.entries()) {
    if (meta["TransactionIndex"] !== position)
      return fault("truncated", `transaction ${position} of ledger ${index} is missing`)
    if (typeof meta["TransactionResult"] !== "string")
      return fault("malformed", `transaction ${hash} of ledger ${index} has no result`)
  }
  return undefined
}

/** The first fault found, or undefined. */
export const checkLedger = (fetched: FetchedLedger, expected: Expectations): LedgerFault | undefined => {
  const { ledger } = fetched
  const { transactions } = ledger
  if (!fetched.validated) return fault("not_validated", `ledger ${expected.index} is not validated yet`)
  if (ledger.ledger_index !== expected.index)
    return fault("wrong_ledger", `asked for ledger ${expected.index}, got ${ledger.ledger_index}`)
  const absent = needed.find((field) => ledger[field] === undefined)
  if (absent !== undefined) return fault("malformed", `ledger ${expected.index} has no valid ${absent}`)
  if (expected.announcedHash !== undefined && expected.announcedHash !== ledger.ledger_hash)
    return fault(
      "wrong_hash",
      `ledger ${expected.index} was announced as ${expected.announcedHash}, got ${ledger.ledger_hash}`
    )
  const incomplete = expected.part === "header" ? undefined : checkTransactions(fetched)
  if (incomplete !== undefined) return incomplete
  if (expected.announcedCount !== undefined && expected.announcedCount !== transactions.length)
    return fault(
      "truncated",
      `ledger ${expected.index} was announced with ${expected.announcedCount} transactions, got ${transactions.length}`
    )
  if (expected.parentHash !== undefined && expected.parentHash !== ledger.parent_hash)
    return fault(
      "broken_chain",
      `ledger ${expected.index} names ${ledger.parent_hash} as its parent, but ledger ${expected.index - 1} was taken with ${expected.parentHash}`
    )
  return undefined
}
