/** Small made-up ledgers that link by hash, in the shape that `rippledServer` serves. */
import { createHash } from "node:crypto"

export interface RawTransaction {
  readonly hash: string
  readonly [field: string]: unknown
}

/** API version 1's flat transactions, as recorded ledgers have them. */
export interface RawLedger {
  readonly ledger_index: number
  readonly ledger_hash: string
  readonly parent_hash: string
  readonly close_time: number
  readonly parent_close_time: number
  /** The hash is all zeros exactly if the ledger has no transactions. */
  readonly transaction_hash?: string
  readonly transactions: ReadonlyArray<RawTransaction>
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").toUpperCase()

/** Ripple time of the first made-up ledger: in 2025. */
const FIRST_CLOSE_TIME = 800_000_000

export const rawTransaction = (ledgerIndex: number, index: number): RawTransaction => ({
  TransactionType: "AccountSet",
  Account: "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
  hash: hashOf(`transaction ${ledgerIndex} ${index}`),
  metaData: { AffectedNodes: [], TransactionIndex: index, TransactionResult: "tesSUCCESS" }
})

/**
 * Ledgers `from` … `to`, each with `transactions` transactions (default: index % 4). Chains with different names have
 * different hashes.
 */
export const chain = (
  from: number,
  to: number,
  options: { readonly name?: string; readonly transactions?: number } = {}
): ReadonlyArray<RawLedger> => {
  const nameOf = (index: number) => hashOf(`${options.name ?? "chain"} ${index}`)
  const closeTime = (index: number) => FIRST_CLOSE_TIME + 4 * (index % 1_000_000)
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const index = from + i
    const count = options.transactions ?? index % 4
    return {
      ledger_index: index,
      ledger_hash: nameOf(index),
      parent_hash: nameOf(index - 1),
      close_time: closeTime(index),
      parent_close_time: closeTime(index - 1),
      transaction_hash: count === 0 ? "0".repeat(64) : hashOf(`tree ${index}`),
      transactions: Array.from({ length: count }, (_, n) => rawTransaction(index, n))
    }
  })
}
