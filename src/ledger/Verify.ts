/**
 * Proof that a ledger is what its hash says (XRPL_VERIFY=full): from the server's binary answer the header hash and the
 * root of the transaction tree are computed anew, and every transaction of the JSON answer must encode to the bytes in
 * that tree. What detection then reads comes from those bytes, not from the JSON, to which a server may add at will
 * (`delivered_amount`): nothing is left to its word but that the hash is validated. Pure.
 */
import { Result } from "effect"
import { encode } from "xrpl"
import type { JsonObject, LedgerTransaction } from "../domain/Ledger.ts"
import { inExecutionOrder, isJsonObject } from "../domain/NormaliseLedger.ts"
import { printable } from "../domain/Printable.ts"
import { type Blobs, hashOfBytes, transactionOf, treeRootOf } from "./BinaryForm.ts"
import type { FetchedLedger, LedgerFault } from "./LedgerSource.ts"
import { resultOf } from "./ServerMessages.ts"

/** `LWR\0`, which sets a header's hash apart from others. */
const HEADER_PREFIX = "4C575200"
const HEADER_BYTES = 118
const HASH_BYTES = 32

const unproven = (detail: string): Result.Result<never, LedgerFault> =>
  Result.fail({ reason: "not_proven", detail })

const isHex = (value: unknown): value is string =>
  typeof value === "string" && /^([0-9A-F]{2})+$/i.test(value)

const blobsOf = (entry: unknown): Blobs | undefined => {
  if (!isJsonObject(entry)) return undefined
  const { meta_blob: meta, tx_blob: tx } = entry
  return isHex(tx) && isHex(meta) ? { tx: tx.toUpperCase(), meta: meta.toUpperCase() } : undefined
}

/** The fields of a serialised header that the rest is held against. */
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

/** As the ledger holds it: version 2 of the API calls a payment's `Amount` otherwise. */
const asSigned = ({ DeliverMax, ...tx }: JsonObject): JsonObject =>
  DeliverMax === undefined || tx["Amount"] !== undefined ? tx : { ...tx, Amount: DeliverMax }

/** The codec leaves out what the API adds, and throws on what it does not know; its types know fewer fields than it. */
const bytesOf = (object: JsonObject): string => encode(object as never)

const encodes = ({ meta, tx }: LedgerTransaction, blobs: Blobs): boolean =>
  bytesOf(asSigned(tx)) === blobs.tx && bytesOf(meta) === blobs.meta

/**
 * The ledger as its bytes say it; fails with what is not proven. `answer`: the whole answer to the request for the ledger
 * in binary form.
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
    return unproven(`${name} was not answered in binary form`)
  if (hashOfBytes(HEADER_PREFIX + data) !== ledger.ledger_hash)
    return unproven(`the header of ${name} does not have the hash ${ledger.ledger_hash}`)
  const header = headerOf(data)
  const differing = (["ledger_index", "parent_hash", "close_time", "parent_close_time"] as const).find(
    (field) => header[field] !== ledger[field]
  )
  if (differing !== undefined) return unproven(`${name} has another ${differing} in its header`)
  try {
    return Result.map(
      verifyTransactions(name, ledger.transactions, entries, header.transaction_hash),
      (transactions) => ({ ...fetched, ledger: { ...ledger, transactions } })
    )
  } catch (cause) {
    return unproven(`${name} holds what this version cannot encode: ${printable(String(cause))}`)
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
    return unproven(`${name} has ${blobs.length} transactions, ${transactions.length} are listed`)
  const byHash = new Map(proven.map(({ hash }, i) => [hash, blobs[i]!]))
  const forged = transactions.find((transaction) => {
    const found = byHash.get(transaction.hash)
    return found === undefined || !encodes(transaction, found)
  })
  return forged === undefined
    ? Result.succeed(inExecutionOrder(proven))
    : unproven(`transaction ${forged.hash} of ${name} is another than the ledger holds`)
}
