/**
 * Verifies that a ledger matches its hash (XRPL_VERIFY=full). It recomputes the header hash and the root of the
 * transaction tree from the server's binary answer, and every transaction of the JSON answer must encode to the bytes
 * in that tree. Detection then reads the decoded bytes, not the JSON, which may contain added fields such as
 * `delivered_amount`. The one thing not verified is that the network has validated this hash. Pure.
 */
import { Result } from "effect"
import type { JsonObject, LedgerTransaction } from "../domain/Ledger.ts"
import { inExecutionOrder, isJsonObject } from "../domain/NormaliseLedger.ts"
import { printable } from "../domain/Printable.ts"
import { type Blobs, hashOfBytes, transactionOf, treeRootOf } from "./BinaryForm.ts"
import type { FetchedLedger, LedgerFault } from "./LedgerSource.ts"
import { loadXrpl } from "./LoadXrpl.ts"
import { resultOf } from "./ServerMessages.ts"

/** `LWR\0`, the prefix that rippled hashes before a header. */
const HEADER_PREFIX = "4C575200"
const HEADER_BYTES = 118
const HASH_BYTES = 32

const unproven = (detail: string): Result.Result<never, LedgerFault> =>
  Result.fail({ reason: "not_proven", detail })

const isHex = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length % 2 === 0 && !/[^0-9A-F]/i.test(value)

const blobsOf = (entry: unknown): Blobs | undefined => {
  if (!isJsonObject(entry)) return undefined
  const { meta_blob: meta, tx_blob: tx } = entry
  return isHex(tx) && isHex(meta) ? { tx: tx.toUpperCase(), meta: meta.toUpperCase() } : undefined
}

/** The fields of a serialised header that are compared with the JSON answer. */
const headerOf = (data: string) => {
  const bytes = Buffer.from(data, "hex")
  const hashAt = (offset: number) => data.slice(2 * offset, 2 * (offset + HASH_BYTES)).toUpperCase()
  return {
    ledger_index: bytes.readUInt32BE(0),
    parent_hash: hashAt(12),
    transaction_hash: hashAt(44),
    parent_close_time: bytes.readUInt32BE(108),
    close_time: bytes.readUInt32BE(112)
  }
}

/** API version 2 renames a payment's `Amount` to `DeliverMax`; the signed form has `Amount`. */
const asSigned = ({ DeliverMax, ...tx }: JsonObject): JsonObject =>
  DeliverMax === undefined || tx["Amount"] !== undefined ? tx : { ...tx, Amount: DeliverMax }

/** The codec ignores fields that the API adds, and throws on unknown types. Its parameter type lists too few fields. */
const bytesOf = (object: JsonObject): string => loadXrpl().encode(object as never)

const encodes = ({ meta, tx }: LedgerTransaction, blobs: Blobs): boolean =>
  bytesOf(asSigned(tx)) === blobs.tx && bytesOf(meta) === blobs.meta

/**
 * Returns the ledger with the transactions decoded from its bytes, or fails with the first thing that does not match.
 * `answer`: the whole answer to the request for the ledger in binary form.
 */
export const verifyLedger = (
  fetched: FetchedLedger,
  answer: unknown
): Result.Result<FetchedLedger, LedgerFault> => {
  const { ledger } = fetched
  const name = `ledger ${ledger.ledger_index}`
  const binary = resultOf(answer)?.["ledger"]
  const data = isJsonObject(binary) ? binary["ledger_data"] : undefined
  const entries = isJsonObject(binary) ? binary["transactions"] : undefined
  if (!isHex(data) || data.length !== 2 * HEADER_BYTES || !Array.isArray(entries))
    return unproven(`the answer for ${name} is not in binary form`)
  if (hashOfBytes(HEADER_PREFIX + data) !== ledger.ledger_hash)
    return unproven(`the header of ${name} does not have the hash ${ledger.ledger_hash}`)
  const header = headerOf(data)
  const differing = (["ledger_index", "parent_hash", "close_time", "parent_close_time"] as const).find(
    (field) => header[field] !== ledger[field]
  )
  if (differing !== undefined) return unproven(`the header of ${name} has another ${differing} than its JSON`)
  try {
    return Result.map(
      verifyTransactions(name, ledger.transactions, entries, header.transaction_hash),
      (transactions) => ({ ...fetched, ledger: { ...ledger, transactions } })
    )
  } catch (cause) {
    return unproven(`this version cannot encode ${name}: ${printable(String(cause))}`)
  }
}

const verifyTransactions = (
  name: string,
  transactions: ReadonlyArray<LedgerTransaction>,
  entries: ReadonlyArray<unknown>,
  root: string
): Result.Result<ReadonlyArray<LedgerTransaction>, LedgerFault> => {
  const blobs = entries.flatMap((entry) => blobsOf(entry) ?? [])
  if (blobs.length !== entries.length) return unproven(`${name} has a transaction without its bytes`)
  const proven = blobs.map(transactionOf)
  if (treeRootOf(proven) !== root) return unproven(`the transactions of ${name} do not have the root ${root}`)
  if (blobs.length !== transactions.length)
    return unproven(`${name} has ${blobs.length} transactions, but its JSON lists ${transactions.length}`)
  const byHash = new Map(proven.map(({ hash }, i) => [hash, blobs[i]!]))
  const forged = transactions.find((transaction) => {
    const found = byHash.get(transaction.hash)
    return found === undefined || !encodes(transaction, found)
  })
  return forged === undefined
    ? Result.succeed(inExecutionOrder(proven))
    : unproven(`transaction ${forged.hash} of ${name} differs from the ledger's bytes`)
}
