/**
 * Decodes transactions from the bytes that the ledger hash covers into the JSON that rippled makes of them. Detection
 * finds the same events in both (docs/detection-rules.md 1.5, 1.7). Fields that only the API adds, such as
 * `delivered_amount`, are absent, so nothing in the result depends on the server's word. About 1 ms a transaction.
 * Pure.
 */
import { createHash } from "node:crypto"
import type { Json, JsonObject, LedgerTransaction } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { loadXrpl } from "./LoadXrpl.ts"

/** A transaction and its metadata, as upper-case hex. */
export interface Blobs {
  readonly tx: string
  readonly meta: string
}

const HASH_HEX = 64
/** `TXN\0`, the prefix that rippled hashes before a transaction. */
const TRANSACTION_PREFIX = "54584E00"

/** The first half of the SHA-512 of bytes given as hex. */
export const hashOfBytes = (hex: string): string =>
  createHash("sha512").update(Buffer.from(hex, "hex")).digest("hex").slice(0, HASH_HEX).toUpperCase()

export const transactionHash = (tx: string): string => hashOfBytes(TRANSACTION_PREFIX + tx)

/** Root of the transaction tree of an empty ledger. */
export const NO_TREE = "0".repeat(HASH_HEX)

export const treeRootOf = (transactions: ReadonlyArray<Pick<LedgerTransaction, "meta" | "tx">>): string =>
  transactions.length === 0
    ? NO_TREE
    : // The parameter type lists only the transaction types that xrpl knows; the function encodes any.
      loadXrpl().hashes.hashTxTree(transactions.map(({ meta, tx }) => ({ ...tx, metaData: meta })) as never)

/** Digits of a token value's mantissa. */
const MANTISSA_DIGITS = 16

/** Converts a token value from the codec's plain notation to rippled's text form (docs/detection-rules.md 1.5). */
export const tokenText = (plain: string): string => {
  const [whole = "", fraction = ""] = plain.replace("-", "").split(".")
  const digits = (whole + fraction).replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  if (significant === "") return "0"
  const exponent = digits.length - MANTISSA_DIGITS - fraction.length
  const isPlain = exponent === 0 || (exponent >= -25 && exponent <= -5)
  if (isPlain) return plain
  return `${plain.startsWith("-") ? "-" : ""}${significant.padEnd(MANTISSA_DIGITS, "0")}e${exponent}`
}

const isTokenAmount = (value: JsonObject): boolean =>
  typeof value["value"] === "string" && typeof value["issuer"] === "string"

const inTextForm = (value: Json): Json => {
  // Array.isArray does not narrow a readonly array type.
  if (Array.isArray(value)) return (value as ReadonlyArray<Json>).map(inTextForm)
  if (!isJsonObject(value)) return value
  if (isTokenAmount(value)) return { ...value, value: tokenText(String(value["value"])) }
  const fields: Record<string, Json> = {}
  for (const name in value) fields[name] = inTextForm(value[name]!)
  return fields
}

// The codec returns JSON objects; its type is wider.
const decoded = (hex: string): JsonObject => inTextForm(loadXrpl().decode(hex) as JsonObject) as JsonObject

/** Throws if the codec does not know a field or type. */
export const transactionOf = ({ meta, tx }: Blobs): LedgerTransaction => ({
  hash: transactionHash(tx),
  tx: decoded(tx),
  meta: decoded(meta)
})
