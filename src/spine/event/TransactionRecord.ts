/**
 * Records of `xrpl.<network>.transactions`: a transaction of a validated ledger, as the server gave it, in one form. It
 * is that of version 2 of the API (docs/detection-rules.md 1.7): the transaction's own fields, whose names begin with a
 * capital, stand in `tx_json`, and of a payment's two names for one field only `DeliverMax`. Metadata and fields that
 * this program does not know are passed on unchanged. A record depends on its ledger only. Pure.
 */
import { Schema } from "effect"
import { isoTime, type JsonObject, type LedgerTransaction } from "./Ledger.ts"
import { type Network, networks } from "./Network.ts"
import { isJsonObject } from "./NormaliseLedger.ts"
import { Hash, required, Time, uint32 } from "./payloads/PayloadFields.ts"

const object = Schema.Record(Schema.String, Schema.Json)

export const transactionRecord = Schema.Struct({
  network: required(Schema.Literals(networks), "The network."),
  ledger_index: required(uint32, "The index of the validated ledger that contains the transaction."),
  ledger_hash: required(Hash, "The hash of that ledger."),
  close_time: required(Time, "When that ledger closed."),
  position: required(
    uint32,
    "The transaction's place in its ledger, from 0: the TransactionIndex of its metadata."
  ),
  hash: required(Hash, "The transaction's hash."),
  tx_json: required(
    object,
    "The transaction, as version 2 of the XRP Ledger's API shows it. DeliverMax of a payment is the field Amount that was signed."
  ),
  meta: required(
    object,
    "What the transaction changed, as the server gave it. Servers add fields of their own, such as delivered_amount; with XRPL_VERIFY=full they are absent."
  ),
  validated: required(Schema.Literal(true), "Always true: every ledger is validated.")
}).annotate({
  title: "Transaction record",
  description:
    "A record of the topic xrpl.<network>.transactions: every transaction of the ledgers taken with RAW_TRANSACTIONS=true, in ledger order.",
  examples: [
    {
      network: "mainnet",
      ledger_index: 94_084_608,
      ledger_hash: "5A3E9C1B7D2F4860A1B3C5D7E9F02143658799ABCDEF0123456789ABCDEF0123",
      close_time: "2025-11-21T00:26:41Z",
      position: 12,
      hash: "4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D",
      tx_json: {
        Account: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
        DeliverMax: "17310000",
        Destination: "rLXrxX6X9Ep8mvWwDaw3ooRehYfqDjnzdJ",
        DestinationTag: 4009078,
        Fee: "12",
        Sequence: 93_713_428,
        TransactionType: "Payment"
      },
      meta: {
        AffectedNodes: [],
        TransactionIndex: 12,
        TransactionResult: "tesSUCCESS",
        delivered_amount: "17310000"
      },
      validated: true
    }
  ]
})

export type TransactionRecord = (typeof transactionRecord)["Type"]

export const transactionsTopic = (network: Network): string => `xrpl.${network}.transactions`

/** The network of a topic of transactions; undefined for any other topic. */
export const networkOfTransactions = (topic: string): Network | undefined =>
  networks.find((network) => transactionsTopic(network) === topic)

/** The transaction's own fields. What the API adds beside them begins with a small letter. */
const ownFields = (tx: JsonObject): JsonObject => {
  const { Amount, ...rest } = tx
  const isPayment = tx["TransactionType"] === "Payment" && Amount !== undefined
  const named = isPayment ? { DeliverMax: Amount, ...rest } : tx
  return Object.fromEntries(Object.entries(named).filter(([name]) => /^[A-Z]/.test(name)))
}

export interface LedgerOfTransaction {
  readonly network: Network
  readonly ledger_index: number
  readonly ledger_hash: string
  /** Ripple time. */
  readonly close_time: number
}

/** The value of the record. */
export const transactionJson = (
  { network, ledger_index, ledger_hash, close_time }: LedgerOfTransaction,
  { hash, meta, tx }: LedgerTransaction,
  position: number
): string => {
  // The order of the keys decides the bytes.
  const record: TransactionRecord = {
    network,
    ledger_index,
    ledger_hash,
    close_time: isoTime(close_time),
    position,
    hash,
    tx_json: ownFields(tx),
    meta,
    validated: true
  }
  return JSON.stringify(record)
}

/** Numbers of 16 digits or more, with 15 decimals, or with an exponent, may not be what the server wrote. */
const LONG_NUMBER = /[:,[]-?(?:\d{16}|\d*\.\d{15}|[\d.]+e)/

const isInexact = (value: unknown): boolean =>
  typeof value === "number"
    ? !Number.isSafeInteger(value) && LONG_NUMBER.test(`:${value}`)
    : typeof value === "object" && value !== null && Object.values(value).some(isInexact)

/**
 * Whether a number in the JSON may have lost digits when the server's answer was parsed. rippled writes amounts and 64
 * bits as text, and has no numbers above 32 bits, so this is about fields of the future.
 */
export const hasInexactNumber = (json: string): boolean =>
  LONG_NUMBER.test(json) && isInexact(JSON.parse(json))

const isRecord = Schema.is(transactionRecord)

/** Undefined if the value is not a record of a transaction. */
export const parseTransactionRecord = (value: string | null): TransactionRecord | undefined => {
  try {
    const record: unknown = JSON.parse(value ?? "")
    return isJsonObject(record) && isRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}
