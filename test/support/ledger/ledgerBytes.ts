/** Encodes ledgers to the bytes that a server stores, and decodes them. */
import { encode } from "xrpl"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { JsonObject, Ledger, LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import { type Blobs, transactionOf } from "../../../src/spine/ledger/servers/BinaryForm.ts"

const NO_CURRENCY = "0000000000000000000000000000000000000001"

/** A placeholder that no amount of a ledger equals; the codec writes it with the bit of positive amounts. */
const placeholder = (n: number): bigint => 99_999_999_999_000_000n + BigInt(n)
const POSITIVE = 1n << 62n
const hexOf = (bytes: bigint): string => bytes.toString(16).toUpperCase().padStart(16, "0")

/**
 * The bytes that the ledger stores. The codec omits fields that only the API has. It can write neither rippled's name
 * `1` of a currency, which becomes its 160 bits, nor negative drops: a placeholder is written and then replaced.
 */
export const blobOf = (object: JsonObject): string => {
  const negatives: Array<bigint> = []
  const encodable = JSON.parse(JSON.stringify(object), (key, value) => {
    if (key === "currency" && value === "1") return NO_CURRENCY
    if (key === "value" || typeof value !== "string" || !/^-[0-9]+$/.test(value)) return value
    return String(placeholder(negatives.push(BigInt(value)) - 1))
  })
  return negatives.reduce(
    (bytes, drops, n) => bytes.replace(hexOf(placeholder(n) | POSITIVE), hexOf(-drops)),
    encode(encodable)
  )
}

/** A payment's `Amount` has another name in version 2 of the API. Version 1 has both names. */
const asSigned = ({ DeliverMax, ...tx }: JsonObject): JsonObject =>
  DeliverMax === undefined ? tx : { Amount: DeliverMax, ...tx }

type Encodable = Pick<LedgerTransaction, "meta" | "tx">

/** The codec is slow, and tests ask for the same ledger in many answers. */
const encoded = new WeakMap<Encodable, Blobs>()

export const blobsOf = (transaction: Encodable): Blobs => {
  const known = encoded.get(transaction)
  if (known !== undefined) return known
  const blobs = { tx: blobOf(asSigned(transaction.tx)), meta: blobOf(transaction.meta) }
  encoded.set(transaction, blobs)
  return blobs
}

export const throughBytes = (transaction: LedgerTransaction): LedgerTransaction =>
  transactionOf(blobsOf(transaction))

export const eventsOf = (ledger: Ledger): string => JSON.stringify(detectLedger(ledger))
