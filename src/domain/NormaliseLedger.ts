/**
 * Converts the shapes in which XRP Ledger servers send ledgers and transactions into one (docs/detection-rules.md 1.7):
 * API version 1 and 2 of `ledger`, `tx`, `account_tx` and the transaction stream, and recorded single transactions. It
 * copies no transaction: `tx` and `meta` are the source's own objects, so a flat version 1 entry still has `hash` and
 * `metaData` in `tx`. Unreadable transactions are counted in `malformed`. Pure.
 */
import { isHash } from "./Hash.ts"
import type { Json, JsonObject, Ledger, LedgerTransaction } from "./Ledger.ts"

export interface NormalisedLedger {
  readonly ledger: Ledger
  /** Entries of the source's `transactions` that have no transaction, hash or metadata and are not in `ledger`. */
  readonly malformed: number
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectOrUndefined = (value: unknown): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined

const hashOrUndefined = (value: Json | undefined): string | undefined =>
  typeof value === "string" && isHash(value) ? value.toUpperCase() : undefined

/** Counts and times, which version 1 writes partly as strings. */
const countOrUndefined = (value: Json | undefined): number | undefined => {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  return typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined
}

/** The `result` of a response. The caller may pass the response or only its `result`. */
const resultOf = (raw: unknown): JsonObject | undefined => {
  const object = objectOrUndefined(raw)
  return object === undefined ? undefined : (objectOrUndefined(object["result"]) ?? object)
}

/** The transaction's own fields: `tx_json` (v2), `transaction` (v1 stream), `tx` (v1 account_tx), or flat. */
const transactionOf = (entry: JsonObject): JsonObject =>
  objectOrUndefined(entry["tx_json"]) ??
  objectOrUndefined(entry["transaction"]) ??
  objectOrUndefined(entry["tx"]) ??
  entry

/** Undefined when `raw` has no transaction type, no 64-digit hash or no metadata in JSON form. */
export const normaliseTransaction = (raw: unknown): LedgerTransaction | undefined => {
  const entry = resultOf(raw)
  if (entry === undefined) return undefined
  const tx = transactionOf(entry)
  const hash = hashOrUndefined(entry["hash"] ?? tx["hash"])
  const meta = objectOrUndefined(entry["meta"]) ?? objectOrUndefined(entry["metaData"])
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
  for (const entry of entries) {
    const transaction = normaliseTransaction(entry)
    if (transaction !== undefined) transactions.push(transaction)
  }
  return {
    ledger: {
      ledger_index: ledgerIndex,
      ledger_hash: hashOrUndefined(header["ledger_hash"] ?? result["ledger_hash"]),
      parent_hash: hashOrUndefined(header["parent_hash"]),
      close_time: countOrUndefined(header["close_time"]),
      parent_close_time: countOrUndefined(header["parent_close_time"]),
      transactions: inExecutionOrder(transactions)
    },
    malformed: entries.length - transactions.length
  }
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
    ledger_index: countOrUndefined(entry["ledger_index"] ?? tx["ledger_index"] ?? tx["inLedger"]) ?? 0,
    ledger_hash: hashOrUndefined(entry["ledger_hash"]),
    parent_hash: undefined,
    close_time: countOrUndefined(entry["close_time"] ?? entry["date"]) ?? countOrUndefined(tx["date"]),
    parent_close_time: undefined,
    transactions: [transaction]
  }
}
