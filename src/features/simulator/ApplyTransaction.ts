/**
 * Turns a draft into a validated transaction: adds fee, sequence and signature, hashes it, applies it, and returns it
 * with its metadata and the events it must cause. The signature has the right form but is not valid.
 */
import { type EventType, rankOf } from "../../spine/event/EventType.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import { loadXrpl } from "../../spine/ledger/servers/LoadXrpl.ts"
import { quantityOf } from "./IntegerAmounts.ts"
import { accountKey, digestOf } from "./Keys.ts"
import type { Draft } from "./Scenario.ts"
import { TransactionView } from "./TransactionView.ts"
import type { World } from "./World.ts"

export interface SimulatedTransaction {
  readonly hash: string
  readonly tx: JsonObject
  /** As rippled stores it, without the fields that its API adds. */
  readonly meta: JsonObject
  /** The events it must cause, in the order of their rank, each as often as it must occur. */
  readonly expected: ReadonlyArray<EventType>
  /** The scenario's name, for people. */
  readonly scenario: string
}

/**
 * `binary`: hashes and transaction tree as rippled computes them from the binary form, about 1 ms a transaction.
 * `digest`: made-up hashes of the JSON, for ledgers with many transactions.
 */
export type Hashing = "binary" | "digest"

/** `LastLedgerSequence` minus the current ledger: the value that wallets usually set. */
const LAST_LEDGER_AHEAD = 20

const signed = (world: World, draft: Draft, fee: bigint, sequence: number): JsonObject => {
  const key = digestOf(`key of ${draft.tx.Account}`)
  const unsigned = {
    ...draft.tx,
    Fee: fee.toString(),
    Flags: draft.tx["Flags"] ?? 0,
    LastLedgerSequence: world.ledgerIndex + LAST_LEDGER_AHEAD,
    Sequence: sequence,
    SigningPubKey: `ED${key}`
  }
  const signature = digestOf(JSON.stringify(unsigned))
  return { ...unsigned, TxnSignature: signature + digestOf(signature) }
}

const hashOf = (tx: JsonObject, hashing: Hashing): string => {
  if (hashing === "digest") return digestOf(JSON.stringify(tx))
  const { encode, hashes } = loadXrpl()
  // The codec takes any object with the ledger's field names; its parameter type lists only the types it knows.
  return hashes.hashSignedTx(encode(tx as never))
}

export const applyTransaction = (
  world: World,
  { draft, scenario }: { readonly draft: Draft; readonly scenario: string },
  transactionIndex: number,
  hashing: Hashing
): SimulatedTransaction => {
  const account = draft.tx.Account
  const fee = draft.fee ?? BigInt(world.random.pick([10, 10, 12, 12, 15, 20]))
  const root = world.state.entry(accountKey(account)).fields
  const sequence = Number(root["Sequence"])
  const tx = signed(world, draft, fee, sequence)
  const hash = hashOf(tx, hashing)

  const { ledgerIndex, parentCloseTime } = world
  const view = new TransactionView(world.state, { account, hash, sequence, ledgerIndex, parentCloseTime })
  view.updateAccount(account, {
    Balance: (quantityOf(root["Balance"]) - fee).toString(),
    Sequence: sequence + 1,
    ...(root["AccountTxnID"] !== undefined && { AccountTxnID: hash })
  })
  draft.apply?.(view)
  const meta: JsonObject = {
    AffectedNodes: view.affectedNodes(),
    ...(view.delivered !== undefined && { DeliveredAmount: view.delivered }),
    TransactionIndex: transactionIndex,
    TransactionResult: draft.result ?? "tesSUCCESS"
  }
  const expected = [...(draft.expected ?? []), ...view.expected].sort((a, b) => rankOf(a) - rankOf(b))
  return { hash, tx, meta, expected, scenario }
}
