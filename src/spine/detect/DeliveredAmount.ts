/**
 * What a Payment, CheckCash or AccountDelete delivered (docs/detection-rules.md 1.6). If partial payments are allowed,
 * the transaction's own amount is only a maximum. Taking it for the delivered amount is a well-known exploit.
 */
import type { JsonObject } from "../event/Ledger.ts"
import type { Network } from "../event/Network.ts"
import {
  type Amount,
  amountOf,
  dropsOrZero,
  isMpt,
  negated,
  render,
  type Scaled,
  scaled,
  valueText,
  withValue
} from "./Amounts.ts"
import type { TransactionContext } from "./Detector.ts"
import {
  addressOf,
  currencyOf,
  flagsOf,
  hasFlag,
  need,
  needAddress,
  objectOf,
  tokenValueOf,
  uint32Of
} from "./Fields.ts"
import { mptChange } from "./MptChange.ts"
import type { AffectedNode } from "./Nodes.ts"

const PARTIAL_PAYMENT = 0x0002_0000
const SPONSORED_FEE = 0x1

/**
 * Metadata name a partial delivery from this ledger of the main network on, or after this close time on any network.
 */
const FIRST_LEDGER_WITH_DELIVERED_AMOUNT = 4_594_095
const CLOSE_TIME_WITH_DELIVERED_AMOUNT = 446_000_000

/** The network on which the amendment fixMPTDeliveredAmount is known to be in force, and its first ledger there. */
const FIRST_LEDGER_WITH_DELIVERED_MPT: Readonly<Partial<Record<Network, number>>> = { mainnet: 101_852_417 }

/** Step 1: the field of the metadata that the ledger's hash covers. */
const recordedAmount = (meta: JsonObject): Amount | undefined => amountOf(meta, "DeliveredAmount")

/** Step 2: the field that the API adds, for old ledgers too. */
const amountOfApi = (meta: JsonObject): Amount | undefined =>
  meta["delivered_amount"] === "unavailable" ? undefined : amountOf(meta, "delivered_amount")

const recordsPartialDelivery = (context: TransactionContext): boolean =>
  context.ledgerIndex >= FIRST_LEDGER_WITH_DELIVERED_AMOUNT ||
  (context.closeTime ?? 0) > CLOSE_TIME_WITH_DELIVERED_AMOUNT

/** The amount asked for. API version 2 calls a Payment's `Amount` `DeliverMax`. */
const requestedAmount = (tx: JsonObject): Amount | undefined =>
  amountOf(tx, "Amount") ?? amountOf(tx, "DeliverMax")

/** Undefined if it cannot be derived. `receiver` is the account that was paid. */
export const deliveredAmount = (context: TransactionContext, receiver: string): Amount | undefined => {
  const { meta, tx } = context
  const recorded = recordedAmount(meta)
  if (recorded !== undefined) return recorded
  const fromApi = amountOfApi(meta)
  const isPartial = hasFlag(flagsOf(tx), PARTIAL_PAYMENT)
  const requested = requestedAmount(tx)
  const maximum = requested ?? fromApi
  if (isPartial && maximum !== undefined && isMpt(maximum))
    return partialMptAmount(context, receiver, maximum)
  if (fromApi !== undefined) return fromApi
  if (requested !== undefined && (!isPartial || recordsPartialDelivery(context))) return requested
  const asset = requested ?? amountOf(tx, "DeliverMin")
  return asset === undefined ? undefined : gainOf(context, receiver, asset)
}

/**
 * Until the amendment fixMPTDeliveredAmount the metadata did not name a partial delivery of an MPT, and the API repeats
 * the maximum. From then on they name it. Where it is not known when that was, the nodes decide if they show less.
 */
const partialMptAmount = (
  context: TransactionContext,
  receiver: string,
  maximum: Amount
): Amount | undefined => {
  const first = firstLedgerWithDeliveredMpt(context)
  if (first !== undefined && context.ledgerIndex >= first) return maximum
  const gained = gainOf(context, receiver, maximum)
  if (first !== undefined) return gained
  return gained !== undefined && scaled(valueText(gained)) < scaled(valueText(maximum)) ? gained : maximum
}

const firstLedgerWithDeliveredMpt = ({ network }: TransactionContext): number | undefined =>
  network === undefined ? undefined : FIRST_LEDGER_WITH_DELIVERED_MPT[network]

/** Whether the nodes, and not the metadata, decided that a payment of an MPT delivered less than the maximum. */
export const isDoubtful = (context: TransactionContext, amount: Amount): boolean => {
  const { meta, tx } = context
  if (!isMpt(amount) || !hasFlag(flagsOf(tx), PARTIAL_PAYMENT)) return false
  if (firstLedgerWithDeliveredMpt(context) !== undefined) return false
  const maximum = recordedAmount(meta) ?? requestedAmount(tx) ?? amountOfApi(meta)
  return maximum !== undefined && valueText(maximum) !== valueText(amount)
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

/**
 * What the destination of a finished escrow got. Only the nodes show what is left of a token after its issuer's
 * transfer fee. Undefined if they do not.
 */
export const deliveredByEscrow = (
  context: TransactionContext,
  destination: string,
  amount: Amount
): Amount | undefined => {
  if (typeof amount === "string") return amount
  try {
    return gainOf(context, destination, amount)
  } catch {
    // A node that cannot be read shows nothing, and the event has the amount that was set aside.
    return undefined
  }
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
  const { account, tx } = context
  if (hasFlag(uint32Of(tx, "SponsorFlags") ?? 0, SPONSORED_FEE)) {
    // A Sponsorship entry may have paid the sponsor's fee.
    if (addressOf(tx, "Sponsor") === receiver) return undefined
    return scaled(after) - scaled(before)
  }
  const payer = addressOf(tx, "Delegate") ?? account
  const fee = payer === receiver ? dropsOrZero(tx, "Fee") : "0"
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
