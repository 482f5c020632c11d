/**
 * What a Payment, CheckCash or AccountDelete really delivered (events.md 1.6). The amount in the transaction is only
 * a maximum when partial payments are allowed; believing it is the well-known exploit.
 */
import type { JsonObject } from "../domain/Ledger.ts"
import { type Amount, amountOf, negated, render, type Scaled, scaled, withValue } from "./Amounts.ts"
import { flagsOf, hasFlag, objectOf, textOf } from "./Fields.ts"
import type { TransactionContext } from "./Finding.ts"
import type { AffectedNode } from "./Nodes.ts"

const PARTIAL_PAYMENT = 0x0002_0000

/** From this ledger of the main network, or this close time of any network, on, metadata tell a partial delivery. */
const FIRST_LEDGER_WITH_DELIVERED_AMOUNT = 4_594_095
const CLOSE_TIME_WITH_DELIVERED_AMOUNT = 446_000_000

/** Steps 1 and 2: what the metadata say. */
const toldByMetadata = (meta: JsonObject): Amount | undefined =>
  // "unavailable" is no amount.
  amountOf(meta, "DeliveredAmount") ?? amountOf(meta, "delivered_amount")

const metadataTellPartial = (context: TransactionContext): boolean =>
  context.ledgerIndex >= FIRST_LEDGER_WITH_DELIVERED_AMOUNT ||
  (context.closeTime ?? 0) > CLOSE_TIME_WITH_DELIVERED_AMOUNT

/** The amount asked for: `DeliverMax` is version 2's name of a Payment's `Amount`. */
export const requestedAmount = (tx: JsonObject): Amount | undefined =>
  amountOf(tx, "Amount") ?? amountOf(tx, "DeliverMax")

/** Undefined when it cannot be derived. `receiver` is who was credited. */
export const deliveredAmount = (
  context: TransactionContext,
  receiver: string | undefined
): Amount | undefined => {
  const told = toldByMetadata(context.meta)
  if (told !== undefined) return told
  const requested = requestedAmount(context.tx)
  const isPartial = hasFlag(flagsOf(context.tx), PARTIAL_PAYMENT)
  if (requested !== undefined && (!isPartial || metadataTellPartial(context))) return requested
  const asset = requested ?? amountOf(context.tx, "DeliverMin")
  return asset === undefined || receiver === undefined ? undefined : credited(context, receiver, asset)
}

/** AccountDelete: the drops that went to the destination; undefined when not derivable. */
export const deliveredByAccountDelete = (
  context: TransactionContext,
  destination: string
): string | undefined => {
  const delivered = toldByMetadata(context.meta) ?? credited(context, destination, "0")
  return typeof delivered === "string" ? delivered : undefined
}

/** Step 5: `asset` with the amount by which the nodes show `receiver` richer. */
const credited = (context: TransactionContext, receiver: string, asset: Amount): Amount | undefined => {
  const change =
    typeof asset === "string"
      ? xrpChange(context, receiver)
      : "currency" in asset
        ? tokenChange(context, receiver, asset.currency, asset.issuer)
        : undefined
  return change !== undefined && change > 0n ? withValue(asset, render(change)) : undefined
}

const xrpChange = (context: TransactionContext, receiver: string): Scaled | undefined => {
  const root = context.nodes.find(
    (node) =>
      node.type === "AccountRoot" && node.change !== "deleted" && textOf(node.fields, "Account") === receiver
  )
  if (root === undefined) return undefined
  const after = textOf(root.fields, "Balance") ?? "0"
  const before = root.change === "created" ? "0" : (textOf(root.previous, "Balance") ?? after)
  const payer = textOf(context.tx, "Delegate") ?? context.account
  const fee = payer === receiver ? (textOf(context.tx, "Fee") ?? "0") : "0"
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

/** By how much the line's balance changed from `receiver`'s view; undefined for lines that are another matter. */
const lineChange = (
  line: AffectedNode,
  receiver: string,
  currency: string,
  issuer: string
): Scaled | undefined => {
  const low = textOf(objectOf(line.fields, "LowLimit") ?? {}, "issuer")
  const high = textOf(objectOf(line.fields, "HighLimit") ?? {}, "issuer")
  const counterparty = receiver === low ? high : receiver === high ? low : undefined
  if (counterparty === undefined || (receiver !== issuer && counterparty !== issuer)) return undefined
  const balance = objectOf(line.fields, "Balance")
  if (balance === undefined || textOf(balance, "currency") !== currency) return undefined
  const after = textOf(balance, "value") ?? "0"
  const before =
    line.change === "created" ? "0" : (textOf(objectOf(line.previous, "Balance") ?? {}, "value") ?? after)
  return receiver === low ? scaled(after) - scaled(before) : scaled(negated(after)) - scaled(negated(before))
}
