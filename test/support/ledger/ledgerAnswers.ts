/**
 * Closed ledgers as rippled's API shows them in its versions 1 and 2 (docs/detection-rules.md 1.7). Transactions are
 * sorted by hash, as in rippled, and have the `delivered_amount` that its API adds.
 */

import type { SimulatedTransaction } from "../../../src/features/simulator/ApplyTransaction.ts"
import type { ClosedLedger, LedgerHeader } from "../../../src/features/simulator/Chain.ts"
import { isoTime, type Json, type JsonObject, type Ledger } from "../../../src/spine/event/Ledger.ts"
import { blobsOf } from "./ledgerBytes.ts"

type ApiVersion = 1 | 2

const withDelivered = ({ meta, tx }: SimulatedTransaction): JsonObject => {
  const type = tx["TransactionType"]
  if (meta["TransactionResult"] !== "tesSUCCESS" || (type !== "Payment" && type !== "CheckCash")) return meta
  const delivered: Json | undefined = meta["delivered_amount"] ?? meta["DeliveredAmount"] ?? tx["Amount"]
  return delivered === undefined ? meta : { ...meta, delivered_amount: delivered }
}

const flat = (transaction: SimulatedTransaction): JsonObject => {
  const { hash, tx } = transaction
  const deliverMax: JsonObject =
    tx["TransactionType"] === "Payment" && tx["Amount"] !== undefined ? { DeliverMax: tx["Amount"] } : {}
  return { ...tx, ...deliverMax, hash, metaData: withDelivered(transaction) }
}

const nested = (transaction: SimulatedTransaction, header: LedgerHeader): JsonObject => {
  const { hash, tx } = transaction
  const { Amount, ...others } = tx
  const renamed: JsonObject =
    tx["TransactionType"] === "Payment" && Amount !== undefined ? { ...others, DeliverMax: Amount } : tx
  return {
    close_time_iso: isoTime(header.close_time),
    hash,
    ledger_hash: header.ledger_hash,
    ledger_index: header.ledger_index,
    meta: withDelivered(transaction),
    tx_json: renamed,
    validated: true
  }
}

interface LedgerRequest {
  readonly version: ApiVersion
  readonly transactions: boolean
  readonly expand: boolean
}

const unsigned = (value: number | bigint, bytes: number): string =>
  BigInt(value)
    .toString(16)
    .toUpperCase()
    .padStart(2 * bytes, "0")

/** A header as the ledger's hash covers it. */
export const headerData = (header: LedgerHeader): string =>
  [
    unsigned(header.ledger_index, 4),
    unsigned(BigInt(header.total_coins), 8),
    header.parent_hash,
    header.transaction_hash,
    header.account_hash,
    unsigned(header.parent_close_time, 4),
    unsigned(header.close_time, 4),
    unsigned(header.close_time_resolution, 1),
    unsigned(header.close_flags, 1)
  ].join("")

/** The `result` in binary form, with the field names of version 2. */
export const binaryLedgerResult = ({
  header,
  transactions
}: Pick<ClosedLedger, "header"> & Pick<Ledger, "transactions">): JsonObject => ({
  ledger: {
    closed: true,
    ledger_data: headerData(header),
    transactions: transactions
      .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
      .map((transaction) => {
        const { meta, tx } = blobsOf(transaction)
        return { hash: transaction.hash, meta_blob: meta, tx_blob: tx }
      })
  },
  ledger_hash: header.ledger_hash,
  ledger_index: header.ledger_index,
  validated: true
})

const listed = ({ header, transactions }: ClosedLedger, request: LedgerRequest): ReadonlyArray<Json> => {
  const byHash = transactions.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
  if (!request.expand) return byHash.map(({ hash }) => hash)
  return byHash.map((transaction) =>
    request.version === 1 ? flat(transaction) : nested(transaction, header)
  )
}

/** The time as rippled writes it: `2025-Feb-12 00:16:10.000000000 UTC`. */
const humanTime = (iso: string): string => {
  const [, day, month, year, time] = new Date(iso).toUTCString().split(" ")
  return `${year}-${month}-${day} ${time}.000000000 UTC`
}

/** The `result` of a request for a validated ledger. */
export const ledgerResult = (ledger: ClosedLedger, request: LedgerRequest): JsonObject => {
  const { header } = ledger
  const iso = isoTime(header.close_time)
  return {
    ledger: {
      ...header,
      close_time_human: humanTime(iso),
      close_time_iso: iso,
      closed: true,
      ledger_index: request.version === 1 ? String(header.ledger_index) : header.ledger_index,
      ...(request.transactions && { transactions: listed(ledger, request) })
    },
    ledger_hash: header.ledger_hash,
    ledger_index: header.ledger_index,
    validated: true
  }
}
