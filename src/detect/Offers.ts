/**
 * dex.*: the life of resting offers, told from the maker's side (events.md 2.4). The taker's own order leaves an
 * event only if a remainder of it comes to rest; the taker is named in each maker's event.
 */
import type { JsonObject } from "../domain/Ledger.ts"
import type { Payload } from "../domain/Payloads.ts"
import {
  type Amount,
  amountOf,
  amountOrZero,
  difference,
  sameValue,
  signOf,
  valueText,
  withValue
} from "./Amounts.ts"
import { flagsOf, hasFlag, hashOf, integerOf, need, needText, textOf, timeOf } from "./Fields.ts"
import { alert, event, type Finding, type NodeDetector, nothing, type TransactionContext } from "./Finding.ts"
import { type AffectedNode, sequenceOf } from "./Nodes.ts"

const PASSIVE = 0x0001_0000
const SELL = 0x0002_0000

export const offer: NodeDetector = (context, node) => {
  if (node.change === "created") return [created(context, node)]
  const traded = node.previous["TakerGets"] !== undefined || node.previous["TakerPays"] !== undefined
  if (node.change === "modified") return traded ? trade(context, node, "dex.offer_partial") : nothing
  if (!traded) return [cancelled(context, node, traded)]
  if (hasNothingLeft(node)) return trade(context, node, "dex.offer_filled")
  // Consumed as far as its owner's funds went, then deleted with a remainder (D11).
  return [...trade(context, node, "dex.offer_partial"), cancelled(context, node, traded)]
}

type Side = "TakerGets" | "TakerPays"

const amountNow = (node: AffectedNode, side: Side): Amount => need(amountOf(node.fields, side), side)

const hasNothingLeft = (node: AffectedNode): boolean =>
  signOf(valueText(amountNow(node, "TakerGets"))) <= 0 || signOf(valueText(amountNow(node, "TakerPays"))) <= 0

const created = (context: TransactionContext, node: AffectedNode): Finding => {
  const { fields } = node
  const account = needText(fields, "Account")
  const flags = flagsOf(fields)
  const gets = amountOrZero(fields, "TakerGets")
  const pays = amountOrZero(fields, "TakerPays")
  const isTakers = context.type === "OfferCreate" && context.account === account
  return event(
    "dex.offer_created",
    {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: sequenceOf(node),
      account,
      taker_gets: gets,
      taker_pays: pays,
      requested_taker_gets: isTakers ? requestedIfOther(context.tx, "TakerGets", gets) : undefined,
      requested_taker_pays: isTakers ? requestedIfOther(context.tx, "TakerPays", pays) : undefined,
      expiration: timeOf(fields, "Expiration"),
      is_sell: hasFlag(flags, SELL),
      is_passive: hasFlag(flags, PASSIVE),
      domain_id: hashOf(fields, "DomainID")
    },
    [account]
  )
}

const requestedIfOther = (tx: JsonObject, side: Side, placedAmount: Amount): Amount | undefined => {
  const requested = amountOf(tx, side)
  return requested === undefined || sameValue(valueText(requested), valueText(placedAmount))
    ? undefined
    : requested
}

const trade = (
  context: TransactionContext,
  node: AffectedNode,
  type: "dex.offer_partial" | "dex.offer_filled"
): ReadonlyArray<Finding> => {
  const account = needText(node.fields, "Account")
  const taker = need(context.account, "Account of the transaction")
  const gets = filled(node, "TakerGets")
  const pays = filled(node, "TakerPays")
  const found = event(
    type,
    {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: sequenceOf(node),
      account,
      taker,
      filled_taker_gets: gets,
      filled_taker_pays: pays,
      remaining_taker_gets: amountNow(node, "TakerGets"),
      remaining_taker_pays: amountNow(node, "TakerPays"),
      tx_type: context.type
    },
    [account, taker]
  )
  return signOf(valueText(gets)) < 0 || signOf(valueText(pays)) < 0
    ? [found, alert(type, `Offer ${node.id} grew by a trade: a filled amount is negative.`)]
    : [found]
}

/** What a trade took from one side; zero in that side's form when only the other one changed. */
const filled = (node: AffectedNode, side: Side): Amount => {
  const now = amountNow(node, side)
  if (node.previous[side] === undefined) return withValue(now, "0")
  const before = need(amountOf(node.previous, side), `the former ${side}`)
  return withValue(now, difference(valueText(before), valueText(now)))
}

const cancelled = (context: TransactionContext, node: AffectedNode, traded: boolean): Finding => {
  const { fields } = node
  const account = needText(fields, "Account")
  return event(
    "dex.offer_cancelled",
    {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: sequenceOf(node),
      account,
      taker_gets: amountNow(node, "TakerGets"),
      taker_pays: amountNow(node, "TakerPays"),
      expiration: timeOf(fields, "Expiration"),
      reason: cancelReason(context, fields, traded),
      tx_type: context.type
    },
    [account]
  )
}

const cancelReason = (
  context: TransactionContext,
  fields: JsonObject,
  traded: boolean
): Payload<"dex.offer_cancelled">["reason"] => {
  const isOwn = textOf(fields, "Account") === context.account
  const named = integerOf(context.tx, "OfferSequence")
  if (isOwn && named !== undefined && integerOf(fields, "Sequence") === named) {
    if (context.type === "OfferCancel") return "cancelled"
    if (context.type === "OfferCreate") return "replaced"
  }
  if (isOwn && context.type === "AccountDelete") return "account_deleted"
  if (traded) return "unfunded"
  const expiration = integerOf(fields, "Expiration")
  // The ledger compares with the parent's close time, inclusive; where that is unknown nothing has expired.
  const closed = context.parentCloseTime
  if (expiration !== undefined && closed !== undefined && expiration <= closed) return "expired"
  return isOwn && context.type === "OfferCreate" ? "self_crossed" : "unfunded"
}
