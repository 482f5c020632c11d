/**
 * dex.*: offers in the book, from the side of their owner, the maker (docs/detection-rules.md 2.4). The taker's own
 * order causes an event only if a rest of it stays in the book. The taker is named in each maker's event.
 */
import type { JsonObject } from "../domain/Ledger.ts"
import type { Payload } from "../domain/Payloads.ts"
import {
  type Amount,
  amountOf,
  difference,
  needAmount,
  sameValue,
  signOf,
  valueOfSameAsset,
  valueText,
  withValue
} from "./Amounts.ts"
import { flagsOf, hasFlag, hashOf, needAddress, timeOf, uint32Of } from "./Fields.ts"
import { alert, event, type Finding, type NodeDetector, nothing, type TransactionContext } from "./Finding.ts"
import { type AffectedNode, sequenceOf } from "./Nodes.ts"

const PASSIVE = 0x0001_0000
const SELL = 0x0002_0000

export const offer: NodeDetector = (context, node) => {
  if (node.change === "created") return [created(context, node)]
  const traded = node.previous["TakerGets"] !== undefined || node.previous["TakerPays"] !== undefined
  if (node.change === "modified" && !traded) return nothing
  const resting = readOffer(node)
  if (node.change === "modified") return trade(context, node, resting, "dex.offer_partial")
  if (!traded) return [cancelled(context, node, resting, traded)]
  if (hasNothingLeft(resting)) return trade(context, node, resting, "dex.offer_filled")
  // The offer was taken as far as its owner's funds went. The rest was removed and not sold.
  return [...trade(context, node, resting, "dex.offer_partial"), cancelled(context, node, resting, traded)]
}

type Side = "TakerGets" | "TakerPays"

interface RestingOffer {
  readonly sequence: number
  readonly account: string
  readonly gets: Amount
  readonly pays: Amount
}

const readOffer = (node: AffectedNode): RestingOffer => ({
  sequence: sequenceOf(node),
  account: needAddress(node.fields, "Account"),
  gets: needAmount(node.fields, "TakerGets"),
  pays: needAmount(node.fields, "TakerPays")
})

const hasNothingLeft = ({ gets, pays }: RestingOffer): boolean =>
  signOf(valueText(gets)) <= 0 || signOf(valueText(pays)) <= 0

const created = (context: TransactionContext, node: AffectedNode): Finding => {
  const { fields } = node
  const { account, gets, pays, sequence } = readOffer(node)
  const flags = flagsOf(fields)
  const isTakers = context.type === "OfferCreate" && context.account === account
  return event(
    "dex.offer_created",
    {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: sequence,
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

const requestedIfOther = (tx: JsonObject, side: Side, placed: Amount): Amount | undefined => {
  const requested = amountOf(tx, side)
  return requested === undefined || sameValue(valueText(requested), valueText(placed)) ? undefined : requested
}

const trade = (
  context: TransactionContext,
  node: AffectedNode,
  resting: RestingOffer,
  type: "dex.offer_partial" | "dex.offer_filled"
): ReadonlyArray<Finding> => {
  const { account, sequence } = resting
  const taker = context.account
  const gets = filled(node, "TakerGets", resting.gets)
  const pays = filled(node, "TakerPays", resting.pays)
  const found = event(
    type,
    {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: sequence,
      account,
      taker,
      filled_taker_gets: gets,
      filled_taker_pays: pays,
      remaining_taker_gets: resting.gets,
      remaining_taker_pays: resting.pays,
      tx_type: context.type
    },
    [account, taker]
  )
  return signOf(valueText(gets)) < 0 || signOf(valueText(pays)) < 0
    ? [
        found,
        alert(
          "filled_amount_negative",
          type,
          `A trade made Offer ${node.id} larger: a filled amount is negative.`
        )
      ]
    : [found]
}

/** How much of one side a trade took. If only the other side changed: 0, in this side's form. */
const filled = (node: AffectedNode, side: Side, now: Amount): Amount => {
  const before = valueOfSameAsset(node.previous, side, now)
  return withValue(now, before === undefined ? "0" : difference(before, valueText(now)))
}

const cancelled = (
  context: TransactionContext,
  node: AffectedNode,
  { account, gets, pays, sequence }: RestingOffer,
  traded: boolean
): Finding =>
  event(
    "dex.offer_cancelled",
    {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: sequence,
      account,
      taker_gets: gets,
      taker_pays: pays,
      expiration: timeOf(node.fields, "Expiration"),
      reason: cancelReason(context, node, account === context.account, sequence, traded),
      tx_type: context.type
    },
    [account]
  )

const cancelReason = (
  context: TransactionContext,
  { fields }: AffectedNode,
  isOwn: boolean,
  sequence: number,
  traded: boolean
): Payload<"dex.offer_cancelled">["reason"] => {
  if (isOwn && uint32Of(context.tx, "OfferSequence") === sequence) {
    if (context.type === "OfferCancel") return "cancelled"
    if (context.type === "OfferCreate") return "replaced"
  }
  if (isOwn && context.type === "AccountDelete") return "account_deleted"
  if (traded) return "unfunded"
  const expiration = uint32Of(fields, "Expiration")
  // rippled compares with the parent's close time, inclusive. If that is unknown, nothing has expired.
  const closed = context.parentCloseTime
  if (expiration !== undefined && closed !== undefined && expiration <= closed) return "expired"
  return isOwn && context.type === "OfferCreate" ? "self_crossed" : "unfunded"
}
