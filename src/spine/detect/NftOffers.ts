/** nft.offer_created, and nft.offer_cancelled for offers deleted without a sale (docs/detection-rules.md 2.3). */
import type { Payload } from "../event/Payloads.ts"
import { amountOrZero } from "./Amounts.ts"
import {
  type Cause,
  event,
  type Findings,
  type NodeDetector,
  nothing,
  type TransactionContext
} from "./Detector.ts"
import { addressOf, flagsOf, hasFlag, hashOf, need, needAddress, timeOf } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

const SELL = 0x0000_0001

interface NftOffer {
  readonly owner: string
  readonly isSell: boolean
  readonly destination: string | undefined
  /** The fields that both events have. */
  readonly payload: Pick<
    Payload<"nft.offer_created">,
    "tx_hash" | "offer_id" | "nftoken_id" | "owner" | "is_sell" | "amount"
  >
}

const readOffer = (context: TransactionContext, { id, fields }: AffectedNode): NftOffer => {
  const owner = needAddress(fields, "Owner")
  const isSell = hasFlag(flagsOf(fields), SELL)
  const payload = {
    tx_hash: context.hash,
    offer_id: id,
    nftoken_id: need(hashOf(fields, "NFTokenID"), "NFTokenID"),
    owner,
    is_sell: isSell,
    amount: amountOrZero(fields, "Amount")
  }
  return { owner, isSell, destination: addressOf(fields, "Destination"), payload }
}

const readCreated = (context: TransactionContext, node: AffectedNode): Findings => {
  const { owner, isSell, destination, payload } = readOffer(context, node)
  const nft_owner = isSell ? owner : addressOf(context.tx, "Owner")
  const expiration = timeOf(node.fields, "Expiration")
  const fields = { ...payload, nft_owner, destination, expiration }
  return [event("nft.offer_created", fields, [owner, destination, nft_owner])]
}

const readCancelled = (context: TransactionContext, node: AffectedNode): Findings => {
  const { owner, destination, payload } = readOffer(context, node)
  const cancelled_by = context.type === "NFTokenCancelOffer" ? context.account : undefined
  const fields = {
    ...payload,
    destination,
    expiration: timeOf(node.fields, "Expiration"),
    reason: cancelReason(context, owner, destination),
    cancelled_by
  }
  return [event("nft.offer_cancelled", fields, [owner, destination, cancelled_by])]
}

const created: ReadonlyArray<Cause> = [{ type: "nft.offer_created", read: readCreated }]
const cancelled: ReadonlyArray<Cause> = [{ type: "nft.offer_cancelled", read: readCancelled }]

export const nftOffer: NodeDetector = (context, node) => {
  switch (node.change) {
    case "created":
      return created
    case "modified":
      return nothing
    case "deleted":
      return wasAccepted(context, node) ? nothing : cancelled
  }
}

const wasAccepted = ({ tx, type, succeeded }: TransactionContext, { id }: AffectedNode): boolean =>
  succeeded &&
  type === "NFTokenAcceptOffer" &&
  (hashOf(tx, "NFTokenSellOffer") === id || hashOf(tx, "NFTokenBuyOffer") === id)

const cancelReason = (
  { account, meta, type }: TransactionContext,
  owner: string,
  destination: string | undefined
): Payload<"nft.offer_cancelled">["reason"] => {
  switch (type) {
    case "NFTokenCancelOffer":
      // The ledger lets a stranger cancel an offer only after it has expired.
      return account === owner || account === destination ? "cancelled" : "expired"
    case "NFTokenBurn":
      return "nft_burned"
    case "AccountDelete":
      return "account_deleted"
    case "NFTokenAcceptOffer":
      return meta["TransactionResult"] === "tecEXPIRED" ? "expired" : "other"
    default:
      return "other"
  }
}
