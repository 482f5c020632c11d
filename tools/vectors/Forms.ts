/**
 * A ledger in the forms in which a server's method `ledger` answers: JSON of API version 1 and 2, and bytes
 * (docs/detection-rules.md 1.7). Hashes are those of the bytes, so a reader of the binary form can recompute them; where
 * a case has no binary form they are made up. `delivered_amount` is added to the JSON as rippled adds it. Pure.
 */
import { hashes } from "xrpl"
import type { SimulatedTransaction } from "../../src/features/simulator/ApplyTransaction.ts"
import type { LedgerHeader } from "../../src/features/simulator/Chain.ts"
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import { transactionHash, treeRootOf } from "../../src/spine/ledger/servers/BinaryForm.ts"
import { binaryLedgerResult, ledgerResult } from "../../test/support/ledger/ledgerAnswers.ts"
import { blobOf, blobsOf } from "../../test/support/ledger/ledgerBytes.ts"

export type Transaction = Pick<SimulatedTransaction, "hash" | "meta" | "tx">
export type Header = Pick<LedgerHeader, "close_time" | "ledger_index" | "parent_close_time">

export const forms = ["v1", "v2", "binary"] as const
export type Form = (typeof forms)[number]

/** From this ledger, or after this close time, metadata name what a partial payment delivered. */
const recordsDelivery = ({ close_time, ledger_index }: Header): boolean =>
  ledger_index >= 4_594_095 || close_time > 446_000_000

/** What rippled's API adds to a successful Payment or CheckCash. */
const deliveredOf = ({ meta, tx }: Transaction, header: Header): Json | undefined => {
  const isPaid = tx["TransactionType"] === "Payment" || tx["TransactionType"] === "CheckCash"
  if (!isPaid || meta["TransactionResult"] !== "tesSUCCESS") return undefined
  const amount = recordsDelivery(header) ? tx["Amount"] : undefined
  return meta["DeliveredAmount"] ?? amount ?? "unavailable"
}

const inJson = (transaction: Transaction, header: Header): SimulatedTransaction => {
  const delivered = transaction.meta["delivered_amount"] ?? deliveredOf(transaction, header)
  const meta =
    delivered === undefined ? transaction.meta : { ...transaction.meta, delivered_amount: delivered }
  return { ...transaction, meta, expected: [], scenario: "" }
}

/** `hash`: made up, for a transaction that has no bytes. */
export const transactionOf = (tx: JsonObject, meta: JsonObject, hash?: string): Transaction => ({
  hash: hash ?? transactionHash(blobOf(tx)),
  tx,
  meta
})

const headerOf = (header: Header, transaction_hash: string): LedgerHeader => {
  const whole = {
    account_hash: "A".repeat(64),
    close_flags: 0,
    close_time_resolution: 10,
    parent_hash: "B".repeat(64),
    total_coins: "99985000000000000",
    transaction_hash,
    ...header
  }
  // The parameter's type requires a whole ledger, but the hash covers only the header's fields.
  return { ...whole, ledger_hash: hashes.hashLedgerHeader(whole as never) }
}

export interface FormsOptions {
  readonly header: Header
  readonly transactions: ReadonlyArray<Transaction>
  readonly only: ReadonlyArray<Form>
  /** Changes a transaction's entry in the JSON forms. */
  readonly edit: (entry: JsonObject) => JsonObject
}

export const formsOf = ({ edit, header, only, transactions }: FormsOptions) => {
  const root = only.includes("binary") ? treeRootOf(transactions.map(blobsOf)) : "C".repeat(64)
  const closed = {
    header: headerOf(header, root),
    transactions: transactions.map((one) => inJson(one, header))
  }
  const json = (version: 1 | 2): JsonObject => {
    const result = ledgerResult(closed, { version, transactions: true, expand: true })
    // `ledgerResult` returns this form.
    const ledger = result["ledger"] as JsonObject & { readonly transactions: ReadonlyArray<JsonObject> }
    return { ...result, ledger: { ...ledger, transactions: ledger.transactions.map(edit) } }
  }
  const make = { v1: () => json(1), v2: () => json(2), binary: () => binaryLedgerResult(closed) }
  return Object.fromEntries(only.map((form) => [form, make[form]()]))
}
