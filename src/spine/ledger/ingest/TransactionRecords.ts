/**
 * The records of a ledger's transactions (RAW_TRANSACTIONS), in ledger order. A transaction that cannot be a record is
 * withheld with the reason: one that the log may refuse, because it is too large even when compressed, and one with a
 * number that may have lost digits. It never stops the stream. Pure.
 */
import { zstdCompressSync } from "node:zlib"
import type { Ledger } from "../../event/Ledger.ts"
import type { Network } from "../../event/Network.ts"
import { hasInexactNumber, type LedgerOfTransaction, transactionJson } from "../../event/TransactionRecord.ts"

/**
 * The largest record. Compressed, it must fit Kafka's default `max.message.bytes` (1,048,588) with its key and headers.
 * Plain, it is what a reader holds in memory. The largest real transaction has 1.5 MB.
 */
const RECORD_BYTES = { compressed: 1_000_000, plain: 8 * 1024 * 1024 }

export interface RecordedTransaction {
  readonly hash: string
  readonly type: string
  readonly value: string
}

export interface WithheldTransaction {
  readonly hash: string
  readonly position: number
  readonly reason: string
}

export interface RecordedTransactions {
  readonly records: ReadonlyArray<RecordedTransaction>
  readonly withheld: ReadonlyArray<WithheldTransaction>
  /** Bytes of the values, about. */
  readonly bytes: number
}

/** Why the log may refuse the value, or undefined. Only large ones are compressed to find out. */
const tooLarge = (value: string): string | undefined => {
  const { compressed, plain } = RECORD_BYTES
  if (value.length <= compressed / 2) return undefined
  const bytes = Buffer.from(value)
  if (bytes.length > plain) return `its record has ${bytes.length} bytes; the limit is ${plain}`
  const packed = bytes.length <= compressed ? bytes.length : zstdCompressSync(bytes).length
  return packed > compressed
    ? `its record has ${packed} bytes when it is compressed; the limit is ${compressed}`
    : undefined
}

type RecordedLedger = Pick<Ledger, "transactions"> & Omit<LedgerOfTransaction, "network">

export const recordedTransactions = (network: Network, ledger: RecordedLedger): RecordedTransactions => {
  const records: Array<RecordedTransaction> = []
  const withheld: Array<WithheldTransaction> = []
  let bytes = 0
  for (const [position, transaction] of ledger.transactions.entries()) {
    const { hash, tx } = transaction
    const value = transactionJson({ ...ledger, network }, transaction, position)
    const reason =
      tooLarge(value) ??
      (hasInexactNumber(value) ? "it has a number with more digits than can be read exactly" : undefined)
    if (reason !== undefined) {
      withheld.push({ hash, position, reason })
      continue
    }
    records.push({ hash, type: String(tx["TransactionType"]), value })
    bytes += value.length
  }
  return { records, withheld, bytes }
}
