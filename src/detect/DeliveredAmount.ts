/**
 * What a Payment, CheckCash or AccountDelete delivered (docs/detection-rules.md 1.6). If partial payments are allowed,
 * the transaction's own amount is only a maximum. Taking it for the delivered amount is a well-known exploit.
 */
import type { JsonObject } from "../domain/Ledger.ts"
import {
  type Amount,
  amountOf,
  dropsOrZero,
  isMpt,
  negated,
  render,
  type Scaled,
  scaled,
  withValue
} from "./Amounts.ts"
import {
  addressOf,
  currencyOf,
  flagsOf,
  hasFlag,
  need,
  needAddress,
  objectOf,
  tokenValueOf
} from "./Fields.ts"
import type { TransactionContext } from "./Finding.ts"
import { mptChange } from "./MptChange.ts"
import type { AffectedNode } from "./Nodes.ts"

const PARTIAL_PAYMENT = 0x0002_0000

/**
 * Metadata name a partial delivery from this ledger of the main network on, or after this close time on any network.
 */
const FIRST_LEDGER_WITH_DELIVERED_AMOUNT = 4_594_095
const CLOSE_TIME_WITH_DELIVERED_AMOUNT = 446_000_000

/** Step 1: the field of the metadata that the ledger's hash covers. */
const recordedAmount = (meta: JsonObject): Amount | undefined => amountOf(meta, "DeliveredAmount")

/** Step 2: the field that the API adds, for old ledgers too. */
const amountOfApi = (meta: JsonObject): Amount | undefined =>
  meta["delivered_amount"] === "unavailable" ? undefined : amountOf(meta, "delivered_amount")

const recordsPartialDelivery = (context: TransactionContext): boolean =>
  context.ledgerIndex >= FIRST_LEDGER_WITH_DELIVERED_AMOUNT ||
  (context.closeTime ?? 0) > CLOSE_TIME_WITH_DELIVERED_AMOUNT

/** The amount asked for. API version 2 calls a Payment's `Amount` `DeliverMax`. */
export const requestedAmount = (tx: JsonObject): Amount | undefined =>
  amountOf(tx, "Amount") ?? amountOf(tx, "DeliverMax")

/** Undefined if it cannot be derived. `receiver` is the account that was paid. */
export const deliveredAmount = (context: TransactionContext, receiver: string): Amount | undefined => {
  const { meta, tx } = context
  const recorded = recordedAmount(meta)
  if (recorded !== undefined) return recorded
  const fromApi = amountOfApi(meta)
  const isPartial = hasFlag(flagsOf(tx), PARTIAL_PAYMENT)
  if (fromApi !== undefined && !isPartial) return fromApi
  const requested = requestedAmount(tx)
  // Before the amendment fixMPTDeliveredAmount the API repeats the maximum here.
  const isUnproven = isPartial && (isMpt(fromApi) || isMpt(requested))
  if (!isUnproven) {
    if (fromApi !== undefined) return fromApi
    if (requested !== undefined && (!isPartial || recordsPartialDelivery(context))) return requested
  }
  const asset = requested ?? amountOf(tx, "DeliverMin")
  return asset === undefined ? undefined : gainOf(context, receiver, asset)
}

/** The drops that an AccountDelete sent to the destination; undefined if they cannot be derived. */
export const deliveredByAccountDelete = (
  context: TransactionContext,
  destination: string
): string | undefined => {
  const { meta } = context
  const delivered = recordedAmount(meta) ?? amountOfApi(meta) ?? gainOf(context, destination, "0")
  return typeof delivered === "string" ? delivered : undefined
}

/** Step 5: how much of `asset` the receiver gained, by the nodes. */
const gainOf = (context: TransactionContext, receiver: string, asset: Amount): Amount | undefined => {
  // An unreadable node may have changed the balance.
  if (context.fault !== undefined) return undefined
  const change =
    typeof asset === "string"
      ? xrpChange(context, receiver)
      : "currency" in asset
        ? tokenChange(context, receiver, asset.currency, asset.issuer)
        : mptChange(context, receiver, asset.mpt_issuance_id)
  return change !== undefined && change > 0n ? withValue(asset, render(change)) : undefined
}

const xrpChange = (context: TransactionContext, receiver: string): Scaled | undefined => {
  const root = context.nodes.find(
    (node) =>
      node.type === "AccountRoot" &&
      node.change !== "deleted" &&
      addressOf(node.fields, "Account") === receiver
  )
  if (root === undefined) return undefined
  // Only a created AccountRoot leaves out a balance of 0.
  if (root.change === "modified" && root.fields["Balance"] === undefined) return undefined
  const after = dropsOrZero(root.fields, "Balance")
  const isUnchanged = root.change === "modified" && root.previous["Balance"] === undefined
  const before = isUnchanged ? after : dropsOrZero(root.previous, "Balance")
  const payer = addressOf(context.tx, "Delegate") ?? context.account
  const fee = payer === receiver ? dropsOrZero(context.tx, "Fee") : "0"
  return scaled(after) - scaled(before) + scaled(fee)
}

const tokenChange = (
  context: TransactionContext,
  receiver: string,
  currency: string,
  issuer: string
): Scaled | undefined => {
  const changes = context.nodes
    .filter((node) => node.type === "RippleState")
    .map((line) => lineChange(line, receiver, currency, issuer))
    .filter((change) => change !== undefined)
  return changes.length === 0 ? undefined : changes.reduce((sum, change) => sum + change, 0n)
}

/** The change of the line's balance from the receiver's view; undefined if the line does not count. */
const lineChange = (
  line: AffectedNode,
  receiver: string,
  currency: string,
  issuer: string
): Scaled | undefined => {
  const low = needAddress(need(objectOf(line.fields, "LowLimit"), "LowLimit"), "issuer")
  const high = needAddress(need(objectOf(line.fields, "HighLimit"), "HighLimit"), "issuer")
  const counterparty = receiver === low ? high : receiver === high ? low : undefined
  if (counterparty === undefined || (receiver !== issuer && counterparty !== issuer)) return undefined
  const balance = need(objectOf(line.fields, "Balance"), "Balance")
  if (currencyOf(balance, "currency") !== currency) return undefined
  const after = lineValue(balance)
  const former = objectOf(line.previous, "Balance")
  const before = line.change === "created" ? "0" : former === undefined ? after : lineValue(former)
  return receiver === low ? scaled(after) - scaled(before) : scaled(negated(after)) - scaled(negated(before))
}

const lineValue = (balance: JsonObject): string => need(tokenValueOf(balance, "value"), "the balance")
