/**
 * What an account's books must say at the end of a simulated day, computed from the raw transactions and their metadata
 * alone: without detection, and without the service's balance changes.
 */

import type { SimulatedTransaction } from "../../src/features/simulator/ApplyTransaction.ts"
import type { ClosedLedger } from "../../src/features/simulator/Chain.ts"
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"

export interface ExpectedDeposit {
  readonly tx_hash: string
  readonly ledger_index: number
  readonly asset: string
  readonly amount: string
  readonly destination_tag: number | null
}

export interface ExpectedBooks {
  readonly deposits: ReadonlyArray<ExpectedDeposit>
  /** Before the first transaction, and after the last one; assets that the day touched. */
  readonly opening: ReadonlyMap<string, bigint>
  readonly closing: ReadonlyMap<string, bigint>
  /** What each transaction that changed a balance of the account took as its own fee, where it did nothing else. */
  readonly changedBy: ReadonlyArray<{ readonly tx_hash: string; readonly onlyFee: string | undefined }>
}

interface Node {
  readonly kind: string
  readonly LedgerEntryType: string
  readonly NewFields?: JsonObject
  readonly FinalFields?: JsonObject
  readonly PreviousFields?: JsonObject
}

const nodesOf = ({ meta }: SimulatedTransaction): ReadonlyArray<Node> =>
  // The simulator's metadata has rippled's form.
  (meta["AffectedNodes"] as ReadonlyArray<JsonObject>).map((entry) => {
    const [kind, node] = Object.entries(entry)[0]!
    return { kind, ...(node as object) } as Node
  })

/** Millionths, so that sums are exact: a simulated value has at most six decimals. */
export const units = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".")
  const magnitude = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"))
  return text.startsWith("-") ? -magnitude : magnitude
}

interface TokenJson {
  readonly currency: string
  readonly issuer: string
  readonly value: string
}
// An amount in ledger JSON is text or a token.
const tokenOf = (amount: Json | undefined) => amount as unknown as TokenJson
const assetOf = (amount: Json | undefined): string =>
  typeof amount === "string" ? "XRP" : `${tokenOf(amount).currency}.${tokenOf(amount).issuer}`
const textOf = (amount: Json | undefined): string =>
  typeof amount === "string" ? amount : tokenOf(amount).value

/** The asset and the account's balance before and after, for each of its entries that the transaction touched. */
const balancesIn = (transaction: SimulatedTransaction, account: string) =>
  nodesOf(transaction).flatMap(({ FinalFields, LedgerEntryType, NewFields, PreviousFields, kind }) => {
    const after = NewFields ?? FinalFields ?? {}
    const before: JsonObject = kind === "CreatedNode" ? {} : { ...after, ...PreviousFields }
    const [created, deleted] = [kind === "CreatedNode", kind === "DeletedNode"]
    if (LedgerEntryType === "AccountRoot" && after["Account"] === account)
      return [
        { asset: "XRP", before: units(String(before["Balance"])), after: units(String(after["Balance"])) }
      ]
    if (LedgerEntryType !== "RippleState") return []
    const [low, high] = [tokenOf(after["LowLimit"]), tokenOf(after["HighLimit"])]
    if (low.issuer !== account && high.issuer !== account) return []
    const [issuer, sign] = low.issuer === account ? [high.issuer, 1n] : [low.issuer, -1n]
    const balance = (fields: JsonObject) => sign * units(textOf(fields["Balance"]))
    return [
      {
        asset: `${low.currency}.${issuer}`,
        before: created ? 0n : balance(before),
        after: deleted ? 0n : balance(after)
      }
    ]
  })

/** What the transaction brought to the account from somebody else. */
const depositIn = (transaction: SimulatedTransaction, account: string) => {
  const { meta, tx } = transaction
  if (meta["TransactionResult"] !== "tesSUCCESS") return undefined
  const ended = (type: string) =>
    nodesOf(transaction).find((node) => node.kind === "DeletedNode" && node.LedgerEntryType === type)
      ?.FinalFields ?? {}
  const delivered = meta["DeliveredAmount"] ?? tx["Amount"]
  const found = (amount: Json | undefined, tag: Json | undefined) => ({
    asset: assetOf(amount),
    amount: textOf(amount),
    destination_tag: tag === undefined ? null : Number(tag)
  })
  switch (tx["TransactionType"]) {
    case "Payment":
      return tx["Destination"] === account && tx["Account"] !== account
        ? found(delivered, tx["DestinationTag"])
        : undefined
    case "CheckCash":
      return tx["Account"] === account ? found(delivered, ended("Check")["DestinationTag"]) : undefined
    case "EscrowFinish": {
      const escrow = ended("Escrow")
      return escrow["Destination"] === account && escrow["Account"] !== account
        ? found(escrow["Amount"], escrow["DestinationTag"])
        : undefined
    }
    case "AccountDelete":
      return tx["Destination"] === account ? found(delivered, tx["DestinationTag"]) : undefined
    default:
      return undefined
  }
}

export const expectedBooks = (ledgers: ReadonlyArray<ClosedLedger>, account: string): ExpectedBooks => {
  const deposits: Array<ExpectedDeposit> = []
  const changedBy: Array<ExpectedBooks["changedBy"][number]> = []
  const opening = new Map<string, bigint>()
  const closing = new Map<string, bigint>()
  for (const { header, transactions } of ledgers)
    for (const transaction of transactions) {
      const { hash: tx_hash, tx } = transaction
      const found = depositIn(transaction, account)
      if (found !== undefined) deposits.push({ tx_hash, ledger_index: header.ledger_index, ...found })
      const changed = balancesIn(transaction, account).filter(({ after, before }) => after !== before)
      for (const { after, asset, before } of changed) {
        if (!opening.has(asset)) opening.set(asset, before)
        closing.set(asset, after)
      }
      if (changed.length === 0) continue
      const fee = tx["Account"] === account ? `-${tx["Fee"]}` : ""
      const isFee = changed.every(
        ({ after, asset, before }) => asset === "XRP" && after - before === units(fee)
      )
      changedBy.push({ tx_hash, onlyFee: isFee ? fee : undefined })
    }
  return { deposits, opening, closing, changedBy }
}
