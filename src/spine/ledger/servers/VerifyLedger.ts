/**
 * Reads a ledger from its bytes and verifies that they have its hash (XRPL_VERIFY=full): the header must have the hash
 * that the answer names, and the transactions must have the root that the header names. The result has nothing else of
 * the answer, so a server cannot add, leave out or change anything of a ledger with this hash. The one thing not
 * verified is that the network has validated this hash. Pure.
 */
import { Result } from "effect"
import { inExecutionOrder, isJsonObject, notFinal } from "../../event/NormaliseLedger.ts"
import { printable } from "../../words/Printable.ts"
import { type Blobs, hashOfBytes, transactionOf, treeRootOf } from "./BinaryForm.ts"
import type { FetchedLedger, LedgerFault } from "./LedgerSource.ts"
import { resultOf, shown } from "./ServerMessages.ts"

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

const headerOf = (data: string) => {
  const bytes = Buffer.from(data, "hex")
  const hashAt = (offset: number) => data.slice(2 * offset, 2 * (offset + HASH_BYTES)).toUpperCase()
  return {
    ledger_index: bytes.readUInt32BE(0),
    ledger_hash: hashOfBytes(HEADER_PREFIX + data),
    parent_hash: hashAt(12),
    transaction_hash: hashAt(44),
    parent_close_time: bytes.readUInt32BE(108),
    close_time: bytes.readUInt32BE(112)
  }
}

/**
 * The ledger, or the first thing that is wrong. `answer`: the whole answer to the request for the ledger with this
 * index and its transactions in binary form.
 */
export const provenLedger = (
  server: string,
  index: number,
  answer: unknown
): Result.Result<FetchedLedger, LedgerFault> => {
  const name = `ledger ${index}`
  const result = resultOf(answer)
  if (result?.["validated"] !== true || notFinal(answer) !== undefined)
    return Result.fail({ reason: "not_validated", detail: `${name} is not validated yet` })
  const { ledger: binary, ledger_hash: claimed } = result
  const data = isJsonObject(binary) ? binary["ledger_data"] : undefined
  const entries = isJsonObject(binary) ? binary["transactions"] : undefined
  if (!isHex(data) || data.length !== 2 * HEADER_BYTES || !Array.isArray(entries))
    return unproven(`the answer for ${name} is not in binary form`)
  const { transaction_hash: transactionHash, ...header } = headerOf(data)
  if (header.ledger_hash !== (typeof claimed === "string" ? claimed.toUpperCase() : claimed))
    return unproven(`the header of ${name} does not have the hash ${shown(claimed)}`)
  const blobs = entries.flatMap((entry) => blobsOf(entry) ?? [])
  if (blobs.length !== entries.length) return unproven(`${name} has a transaction without its bytes`)
  try {
    if (treeRootOf(blobs) !== transactionHash)
      return unproven(`the transactions of ${name} do not have the root ${transactionHash}`)
    const transactions = inExecutionOrder(blobs.map(transactionOf))
    return Result.succeed({
      server,
      validated: true,
      ledger: { ...header, transactions },
      malformed: 0,
      transactionHash
    })
  } catch (cause) {
    return unproven(`this version cannot read ${name} from its bytes: ${printable(String(cause))}`)
  }
}
