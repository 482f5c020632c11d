/**
 * Converts the forms in which XRP Ledger servers send ledgers and transactions into one (docs/detection-rules.md 1.7,
 * which has a table of them): API version 1 and 2 of rippled and Clio, and recorded single transactions. It copies no
 * transaction: `tx` and `meta` are the source's own objects, so a flat version 1 entry still has `hash` and `metaData`
 * in `tx`. Whether the data may be used is for the caller to decide. Pure.
 */
import { reasonNotFinal } from "./Finality.ts"
import { isHash } from "./Hash.ts"
import { type Json, type JsonObject, type Ledger, type LedgerTransaction, unixMsToRipple } from "./Ledger.ts"

export interface NormalisedLedger {
  readonly ledger: Ledger
  /** Entries of the source's `transactions` that have no transaction, hash or metadata and are not in `ledger`. */
  readonly malformed: number
  /** The header's root of the transaction tree. */
  readonly transactionHash: string | undefined
  /** A field of the header that is there but is no hash or time. */
  readonly invalid: string | undefined
  /** Why the answer, the ledger or one of its transactions is not final, by its own words. */
  readonly notFinal: string | undefined
}

/** The names of a transaction's own fields. Version 1 of `ledger` and `tx` has them flat, beside the metadata. */
const TRANSACTION = ["tx_json", "transaction", "tx"]
const CONTENT = ["ledger", ...TRANSACTION]
const METADATA = ["meta", "metaData", "metadata"]

/** Indexes and times of the ledger are unsigned 32-bit numbers. */
const UINT32_MAX = 4_294_967_295
const COUNTS = ["ledger_index", "inLedger", "close_time", "parent_close_time", "date"]
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectOrUndefined = (value: unknown): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined

const objectNamed = (names: ReadonlyArray<string>, within: JsonObject): JsonObject | undefined => {
  for (const name of names) {
    const value = within[name]
    if (isJsonObject(value)) return value
  }
  return undefined
}

const hashOrUndefined = (value: Json | undefined): string | undefined =>
  typeof value === "string" && isHash(value) ? value.toUpperCase() : undefined

/** Indexes and times, which version 1 writes partly as strings. */
const countOrUndefined = (value: Json | undefined): number | undefined => {
  const count = typeof value === "string" && /^[0-9]{1,10}$/.test(value) ? Number(value) : value
  return typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= UINT32_MAX
    ? count
    : undefined
}

const isoTimeOrUndefined = (value: Json | undefined): number | undefined =>
  typeof value === "string" && ISO_TIME.test(value)
    ? countOrUndefined(unixMsToRipple(Date.parse(value)))
    : undefined

/** The `result` of a response. The caller may pass the response or only its `result`. */
const resultOf = (raw: unknown): JsonObject | undefined => {
  const object = objectOrUndefined(raw)
  return object === undefined ? undefined : (objectOrUndefined(object["result"]) ?? object)
}

/** Why a document says that its content is not final: the answer, its result, or the ledger or transaction in it. */
export const notFinal = (raw: unknown): string | undefined => {
  const [answer, result] = [objectOrUndefined(raw), resultOf(raw)]
  if (answer === undefined || result === undefined) return undefined
  return (
    reasonNotFinal(answer) ??
    reasonNotFinal(result === answer ? undefined : result) ??
    reasonNotFinal(objectNamed(CONTENT, result))
  )
}

const isNumber = (value: Json | undefined): boolean =>
  typeof value === "number" || (typeof value === "string" && /^-?[0-9]+$/.test(value))

/** What is wrong with a document's index or times, if no ledger can have them. A text that is no number says nothing. */
export const outOfRange = (raw: unknown): string | undefined => {
  const result = resultOf(raw)
  if (result === undefined) return undefined
  for (const part of [result, objectNamed(CONTENT, result) ?? result]) {
    const name = COUNTS.find((count) => isNumber(part[count]) && countOrUndefined(part[count]) === undefined)
    if (name !== undefined) return `its ${name} must be a whole number from 0 to ${UINT32_MAX}`
  }
  const iso = result["close_time_iso"]
  return typeof iso === "string" && ISO_TIME.test(iso) && isoTimeOrUndefined(iso) === undefined
    ? "its close_time_iso must be a time from 2000-01-01T00:00:00Z to 2136-02-07T06:28:15Z"
    : undefined
}

/** Undefined when `raw` has no transaction type, no 64-digit hash or no metadata in JSON form. */
export const normaliseTransaction = (raw: unknown): LedgerTransaction | undefined => {
  const entry = resultOf(raw)
  if (entry === undefined) return undefined
  const tx = objectNamed(TRANSACTION, entry) ?? entry
  const hash = hashOrUndefined(entry["hash"]) ?? hashOrUndefined(tx["hash"])
  const meta = objectNamed(METADATA, entry)
  if (hash === undefined || meta === undefined || typeof tx["TransactionType"] !== "string") return undefined
  return { hash, tx, meta }
}

const indexOf = (transaction: LedgerTransaction): number => {
  const index = transaction.meta["TransactionIndex"]
  return typeof index === "number" ? index : Number.MAX_SAFE_INTEGER
}

const byExecution = (a: LedgerTransaction, b: LedgerTransaction): number =>
  indexOf(a) - indexOf(b) || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)

/**
 * Sorts by `meta.TransactionIndex`, because servers list transactions by hash. Entries without an index come last, by
 * hash. Returns the same array if it is in order already.
 */
export const inExecutionOrder = (
  transactions: ReadonlyArray<LedgerTransaction>
): ReadonlyArray<LedgerTransaction> => {
  for (let i = 1; i < transactions.length; i++)
    if (byExecution(transactions[i - 1]!, transactions[i]!) > 0) return transactions.toSorted(byExecution)
  return transactions
}

/**
 * Accepts a `ledger` object, the `result` that contains one, or the whole response. Undefined if the ledger index or
 * the list of transactions is missing, because a header alone must not count as an empty ledger.
 */
export const normaliseLedger = (raw: unknown): NormalisedLedger | undefined => {
  const result = resultOf(raw)
  if (result === undefined) return undefined
  const header = objectOrUndefined(result["ledger"]) ?? result
  const entries = header["transactions"]
  const ledgerIndex = countOrUndefined(header["ledger_index"] ?? result["ledger_index"])
  if (!Array.isArray(entries) || ledgerIndex === undefined) return undefined
  const transactions: Array<LedgerTransaction> = []
  let reason = notFinal(raw)
  for (const entry of entries) {
    const transaction = normaliseTransaction(entry)
    if (transaction !== undefined) transactions.push(transaction)
    reason ??= notFinal(entry)
  }
  const fields = {
    ledger_hash: hashOrUndefined(header["ledger_hash"] ?? result["ledger_hash"]),
    parent_hash: hashOrUndefined(header["parent_hash"]),
    close_time: countOrUndefined(header["close_time"]),
    parent_close_time: countOrUndefined(header["parent_close_time"])
  }
  const transactionHash = hashOrUndefined(header["transaction_hash"])
  const read = Object.entries({ ...fields, transaction_hash: transactionHash })
  return {
    ledger: { ledger_index: ledgerIndex, ...fields, transactions: inExecutionOrder(transactions) },
    malformed: entries.length - transactions.length,
    transactionHash,
    invalid: read.find(
      ([name, value]) => value === undefined && (header[name] ?? undefined) !== undefined
    )?.[0],
    notFinal: reason
  }
}

/**
 * The entries of an answer to `account_tx` or one of its kin: transactions of several ledgers. Undefined for anything
 * else, also for a ledger whose index cannot be read.
 */
export const listedTransactions = (raw: unknown): ReadonlyArray<Json> | undefined => {
  const result = resultOf(raw)
  const entries = result?.["transactions"]
  if (result === undefined || !Array.isArray(entries)) return undefined
  return ["ledger", "ledger_index", "ledger_hash", "parent_hash"].some((name) => name in result)
    ? undefined
    : entries
}

/**
 * Makes a ledger of one recorded transaction. It has no header: an unknown index is 0, and nothing in the ledger
 * expires by time (docs/detection-rules.md 2.4).
 */
export const ledgerOfTransaction = (raw: unknown): Ledger | undefined => {
  const entry = resultOf(raw)
  const transaction = normaliseTransaction(entry)
  if (entry === undefined || transaction === undefined) return undefined
  const { tx } = transaction
  return {
    ledger_index:
      countOrUndefined(entry["ledger_index"]) ??
      countOrUndefined(tx["ledger_index"]) ??
      countOrUndefined(tx["inLedger"]) ??
      0,
    ledger_hash: hashOrUndefined(entry["ledger_hash"]),
    parent_hash: undefined,
    close_time:
      countOrUndefined(entry["close_time"]) ??
      countOrUndefined(entry["date"]) ??
      countOrUndefined(tx["date"]) ??
      isoTimeOrUndefined(entry["close_time_iso"]),
    parent_close_time: undefined,
    transactions: [transaction]
  }
}
