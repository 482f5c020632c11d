/**
 * dex.*: offers in the book, from the side of their owner, the maker (docs/detection-rules.md 2.4). The taker's own
 * order causes an event only if a rest of it stays in the book. The taker is named in each maker's event.
 */
import type { JsonObject } from "../event/Ledger.ts"
import type { Payload } from "../event/Payloads.ts"
import {
  type Amount,
  amountOf,
  amountOrZero,
  difference,
  needAmount,
  sameValue,
  signOf,
  signOfAmount,
  valueOfSameAsset,
  valueText,
  withValue
} from "./Amounts.ts"
import {
  alert,
  type Cause,
  event,
  type Findings,
  type NodeDetector,
  nothing,
  type TransactionContext
} from "./Detector.ts"
import { flagsOf, hasFlag, hashOf, needAddress, timeOf, uint32Of } from "./Fields.ts"
import { type AffectedNode, nameOf, sequenceOf } from "./Nodes.ts"

const PASSIVE = 0x0001_0000
const SELL = 0x0002_0000
const HYBRID = 0x0004_0000

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

const readCreated = (context: TransactionContext, node: AffectedNode): Findings => {
  const { fields } = node
  const account = needAddress(fields, "Account")
  const gets = amountOrZero(fields, "TakerGets")
  const pays = amountOrZero(fields, "TakerPays")
  const flags = flagsOf(fields)
  const isTakers = context.type === "OfferCreate" && context.account === account
  const placed = {
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
    domain_id: hashOf(fields, "DomainID"),
    is_hybrid: isHybrid(fields)
  }
  return [event("dex.offer_created", placed, [account])]
}

/** Whether an offer in a permissioned domain is also in the open order book. */
const isHybrid = (fields: JsonObject): true | undefined =>
  hasFlag(flagsOf(fields), HYBRID) ? true : undefined

const requestedIfOther = (tx: JsonObject, side: Side, placed: Amount): Amount | undefined => {
  const requested = amountOf(tx, side)
  return requested === undefined || sameValue(valueText(requested), valueText(placed)) ? undefined : requested
}

const readTrade =
  (type: "dex.offer_partial" | "dex.offer_filled") =>
  (context: TransactionContext, node: AffectedNode): Findings => {
    const resting = readOffer(node)
    const { account } = resting
    const taker = context.account
    const gets = filled(node, "TakerGets", resting.gets)
    const pays = filled(node, "TakerPays", resting.pays)
    const taken = {
      tx_hash: context.hash,
      offer_id: node.id,
      offer_sequence: resting.sequence,
      account,
      taker,
      filled_taker_gets: gets,
      filled_taker_pays: pays,
      remaining_taker_gets: resting.gets,
      remaining_taker_pays: resting.pays,
      tx_type: context.type,
      domain_id: hashOf(node.fields, "DomainID"),
      is_hybrid: isHybrid(node.fields)
    }
    const found = event(type, taken, [account, taker])
    if (signOf(valueText(gets)) >= 0 && signOf(valueText(pays)) >= 0) return [found]
    const reason = `A trade made ${nameOf(node)} larger: a filled amount is negative.`
    return [found, alert("filled_amount_negative", type, reason)]
  }

/** How much of one side a trade took. If only the other side changed: 0, in this side's form. */
const filled = (node: AffectedNode, side: Side, now: Amount): Amount => {
  const before = valueOfSameAsset(node.previous, side, now)
  return withValue(now, before === undefined ? "0" : difference(before, valueText(now)))
}

const readCancelled = (context: TransactionContext, node: AffectedNode): Findings => {
  const { account, gets, pays, sequence } = readOffer(node)
  const cancelled = {
    tx_hash: context.hash,
    offer_id: node.id,
    offer_sequence: sequence,
    account,
    taker_gets: gets,
    taker_pays: pays,
    expiration: timeOf(node.fields, "Expiration"),
    reason: cancelReason(context, node, account === context.account, sequence),
    tx_type: context.type,
    domain_id: hashOf(node.fields, "DomainID"),
    is_hybrid: isHybrid(node.fields)
  }
  return [event("dex.offer_cancelled", cancelled, [account])]
}

const cancelReason = (
  context: TransactionContext,
  { fields, previous }: AffectedNode,
  isOwn: boolean,
  sequence: number
): Payload<"dex.offer_cancelled">["reason"] => {
  if (isOwn && uint32Of(context.tx, "OfferSequence") === sequence) {
    if (context.type === "OfferCancel") return "cancelled"
    if (context.type === "OfferCreate") return "replaced"
  }
  if (isOwn && context.type === "AccountDelete") return "account_deleted"
  if (wasTraded(previous)) return "unfunded"
  const expiration = uint32Of(fields, "Expiration")
  // rippled compares with the parent's close time, inclusive. If that is unknown, nothing has expired.
  const closed = context.parentCloseTime
  if (expiration !== undefined && closed !== undefined && expiration <= closed) return "expired"
  return isOwn && context.type === "OfferCreate" ? "self_crossed" : "unfunded"
}

const partial: Cause = { type: "dex.offer_partial", read: readTrade("dex.offer_partial") }
const cancelled: Cause = { type: "dex.offer_cancelled", read: readCancelled }
const causes = {
  created: [{ type: "dex.offer_created", read: readCreated }],
  partial: [partial],
  filled: [{ type: "dex.offer_filled", read: readTrade("dex.offer_filled") }],
  // The offer was taken as far as its owner's funds went. The rest was removed and not sold.
  drained: [partial, cancelled],
  cancelled: [cancelled]
} satisfies Readonly<Record<string, ReadonlyArray<Cause>>>

export const offer: NodeDetector = (_, { change, fields, previous }) => {
  if (change === "created") return causes.created
  const traded = wasTraded(previous)
  if (change === "modified") return traded ? causes.partial : nothing
  if (!traded) return causes.cancelled
  return isEmpty(fields) ? causes.filled : causes.drained
}

const wasTraded = (previous: JsonObject): boolean =>
  previous["TakerGets"] !== undefined || previous["TakerPays"] !== undefined

/** Whether one side is used up. The signs tell it, even if another part of an amount cannot be read. */
const isEmpty = (fields: JsonObject): boolean => {
  const gets = signOfAmount(fields["TakerGets"])
  const pays = signOfAmount(fields["TakerPays"])
  if ((gets ?? 1) <= 0 || (pays ?? 1) <= 0) return true
  if (gets === undefined) throw new Error("TakerGets is not an amount")
  if (pays === undefined) throw new Error("TakerPays is not an amount")
  return false
}
