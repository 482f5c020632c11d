/** nft.minted, nft.burned and nft.offer_accepted (docs/detection-rules.md 2.3, 3). */
import { accountIdOfAddress, addressOfAccountId } from "../event/AccountId.ts"
import { amountOf, amountOrZero } from "./Amounts.ts"
import {
  alert,
  event,
  type Findings,
  type TransactionContext,
  type TransactionDetector,
  Undecided
} from "./Detector.ts"
import { addressOf, hashOf, hexOf, need, needAddress } from "./Fields.ts"
import { mintedIdByCount, mintedIdByPages, parseNftokenId } from "./NftokenId.ts"
import type { AffectedNode } from "./Nodes.ts"

const readMinted = (context: TransactionContext): Findings => {
  const owner = context.account
  const ownerId = accountIdOfAddress(owner)
  const issuer = addressOf(context.tx, "Issuer") ?? owner
  const issuerId = issuer === owner ? ownerId : accountIdOfAddress(issuer)
  const byCount = mintedIdByCount(context, issuer, issuerId)
  const id = mintedIdByPages(context, ownerId) ?? byCount
  if (id === undefined)
    throw new Undecided(
      "nft_id_unknown",
      "The NFTokenID follows neither from the NFTokenPages nor from the issuer's AccountRoot."
    )
  const { flags, transferFee, issuerId: issuerIdInId, taxon, serial } = parseNftokenId(id)
  const payload = {
    tx_hash: context.hash,
    nftoken_id: id,
    issuer,
    owner,
    taxon,
    serial,
    flags,
    transfer_fee: transferFee,
    uri: hexOf(context.tx, "URI")
  }
  const minted = event("nft.minted", payload, [owner, issuer])
  const isDoubtful = byCount === undefined ? issuerIdInId !== issuerId : byCount !== id
  return isDoubtful
    ? [
        minted,
        alert(
          "nft_id_disputed",
          "nft.minted",
          `NFTokenID ${id}, found in the NFTokenPages, is not the one composed from the transaction.`
        )
      ]
    : [minted]
}

export const nftMint: TransactionDetector = { typeOf: () => "nft.minted", read: readMinted }

const readBurned = (context: TransactionContext): Findings => {
  const id = need(hashOf(context.tx, "NFTokenID"), "NFTokenID")
  const burned_by = context.account
  const owner = addressOf(context.tx, "Owner") ?? burned_by
  const { issuerId, taxon, serial } = parseNftokenId(id)
  const issuer = addressOfAccountId(issuerId)
  const payload = { tx_hash: context.hash, nftoken_id: id, owner, burned_by, issuer, taxon, serial }
  return [event("nft.burned", payload, [owner, burned_by, issuer])]
}

export const nftBurn: TransactionDetector = { typeOf: () => "nft.burned", read: readBurned }

/** One event for each sale, also if a broker matches two offers. */
const readAccepted = (context: TransactionContext): Findings => {
  const sellId = hashOf(context.tx, "NFTokenSellOffer")
  const buyId = hashOf(context.tx, "NFTokenBuyOffer")
  const sell = acceptedOffer(context, sellId)
  const buy = acceptedOffer(context, buyId)
  const pricing = buy ?? sell
  const isMissing = (sellId !== undefined && sell === undefined) || (buyId !== undefined && buy === undefined)
  if (pricing === undefined || isMissing)
    throw new Undecided(
      "accepted_offer_missing",
      "An accepted NFTokenOffer is not among the deleted entries."
    )
  return sale(context, { sellId, buyId, sell, buy, pricing })
}

export const nftAcceptOffer: TransactionDetector = { typeOf: () => "nft.offer_accepted", read: readAccepted }

interface AcceptedOffers {
  readonly sellId: string | undefined
  readonly buyId: string | undefined
  readonly sell: AffectedNode | undefined
  readonly buy: AffectedNode | undefined
  /** The offer whose amount is the price that the buyer pays. */
  readonly pricing: AffectedNode
}

const sale = (
  context: TransactionContext,
  { sellId, buyId, sell, buy, pricing }: AcceptedOffers
): Findings => {
  const { tx } = context
  const id = need(hashOf(pricing.fields, "NFTokenID"), "NFTokenID")
  const acceptor = context.account
  const seller = sell === undefined ? acceptor : needAddress(sell.fields, "Owner")
  const buyer = buy === undefined ? acceptor : needAddress(buy.fields, "Owner")
  const isBrokered = sell !== undefined && buy !== undefined
  const broker = isBrokered ? acceptor : undefined
  const { issuerId, transferFee } = parseNftokenId(id)
  const issuer = addressOfAccountId(issuerId)
  const payload = {
    tx_hash: context.hash,
    nftoken_id: id,
    seller,
    buyer,
    amount: amountOrZero(pricing.fields, "Amount"),
    sell_offer_id: sellId,
    buy_offer_id: buyId,
    broker,
    broker_fee: isBrokered ? amountOf(tx, "NFTokenBrokerFee") : undefined,
    issuer,
    transfer_fee: transferFee
  }
  return [event("nft.offer_accepted", payload, [seller, buyer, broker, issuer])]
}

const acceptedOffer = (context: TransactionContext, id: string | undefined): AffectedNode | undefined =>
  id === undefined
    ? undefined
    : context.nodes.find(
        (node) => node.type === "NFTokenOffer" && node.change === "deleted" && node.id === id
      )
