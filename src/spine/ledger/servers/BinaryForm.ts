/**
 * Hashes transactions and their tree from the bytes that the ledger hash covers, and decodes these bytes into the JSON
 * that rippled makes of them. Detection finds the same events in both (docs/detection-rules.md 1.5, 1.7). Fields that
 * only the API adds, such as `delivered_amount`, are absent. About 1 ms a transaction. Pure.
 */
import { createHash } from "node:crypto"
import type { Json, JsonObject, LedgerTransaction } from "../../event/Ledger.ts"
import { isJsonObject } from "../../event/NormaliseLedger.ts"
import { loadXrpl } from "./LoadXrpl.ts"

/** A transaction and its metadata, as upper-case hex. */
export interface Blobs {
  readonly tx: string
  readonly meta: string
}

const HASH_HEX = 64
/** The prefixes that rippled hashes before a transaction, a leaf and an inner node: `TXN\0`, `SND\0`, `MIN\0`. */
const TRANSACTION_PREFIX = "54584E00"
const LEAF_PREFIX = "534E4400"
const INNER_PREFIX = "4D494E00"

/** The first half of the SHA-512 of bytes given as hex. */
export const hashOfBytes = (hex: string): string =>
  createHash("sha512").update(Buffer.from(hex, "hex")).digest("hex").slice(0, HASH_HEX).toUpperCase()

export const transactionHash = (tx: string): string => hashOfBytes(TRANSACTION_PREFIX + tx)

/** Root of the transaction tree of an empty ledger. */
export const NO_TREE = "0".repeat(HASH_HEX)

/** The number of bytes, in 1, 2 or 3 bytes, then the bytes. */
const withLength = (hex: string): string => {
  const length = hex.length / 2
  const prefix =
    length <= 192
      ? [length]
      : length <= 12_480
        ? [193 + ((length - 193) >> 8), (length - 193) & 0xff]
        : [241 + ((length - 12_481) >> 16), ((length - 12_481) >> 8) & 0xff, (length - 12_481) & 0xff]
  return Buffer.from(prefix).toString("hex") + hex
}

interface Leaf {
  /** The transaction's hash. Its hex digits are the path to the leaf. */
  readonly id: string
  readonly hash: string
}

/** A leaf stands where no other has the same digits before; only the root is always an inner node. */
const nodeHash = (leaves: ReadonlyArray<Leaf>, depth: number): string => {
  const [first] = leaves
  if (first === undefined) return NO_TREE
  if (leaves.length === 1 && depth > 0) return first.hash
  if (depth === HASH_HEX) throw new Error(`the transaction ${first.id} occurs twice`)
  const branches = Map.groupBy(leaves, ({ id }) => id[depth])
  const hashes = Array.from("0123456789ABCDEF", (digit) => nodeHash(branches.get(digit) ?? [], depth + 1))
  return hashOfBytes(INNER_PREFIX + hashes.join(""))
}

/** The root of the tree of transactions that a ledger's header names. */
export const treeRootOf = (transactions: ReadonlyArray<Blobs>): string => {
  const leaves = transactions.map(({ meta, tx }) => {
    const id = transactionHash(tx)
    return { id, hash: hashOfBytes(LEAF_PREFIX + withLength(tx) + withLength(meta) + id) }
  })
  return nodeHash(leaves, 0)
}

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

/** Fields of 64 bits that rippled writes in lower-case hex without leading zeros. The codec writes 16 digits. */
const HEX_FIELDS: ReadonlySet<string> = new Set(
  `IndexNext IndexPrevious BookNode OwnerNode BaseFee ExchangeRate LowNode HighNode DestinationNode Cookie
  ServerVersion NFTokenOfferNode EmitBurden ReferenceCount XChainClaimID XChainAccountCreateCount
  XChainAccountClaimCount AssetPrice IssuerNode SubjectNode VaultNode LoanBrokerNode SponseeNode`.split(/\s+/)
)

const hexText = (digits: string): string => digits.replace(/^0+(?=.)/, "").toLowerCase()

const inTextForm = (value: Json): Json => {
  // Array.isArray does not narrow a readonly array type.
  if (Array.isArray(value)) return (value as ReadonlyArray<Json>).map(inTextForm)
  if (!isJsonObject(value)) return value
  if (isTokenAmount(value)) return { ...value, value: tokenText(String(value["value"])) }
  const fields: Record<string, Json> = {}
  for (const name in value) {
    const field = value[name]!
    fields[name] = typeof field === "string" && HEX_FIELDS.has(name) ? hexText(field) : inTextForm(field)
  }
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
