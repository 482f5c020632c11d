/** Payloads of nft.offer_*: offers for NFTs, from creation to sale or end (docs/detection-rules.md 2.3). */
import { Schema } from "effect"
import { issuer, nftoken_id, transfer_fee } from "./Nfts.ts"
import { Address, Amount, Hash, optional, payload, required, Time, tx_hash } from "./PayloadFields.ts"

/** Fields of both event types, in their order. */
const common = {
  tx_hash,
  offer_id: required(Hash, "The offer's ledger entry."),
  nftoken_id,
  owner: required(Address, "The account that made the offer."),
  is_sell: required(Schema.Boolean, "Whether it offers to sell the token; otherwise to buy it."),
  amount: required(Amount, 'The price. "0" gives the token away.')
}
const destination = optional(Address, "The only account that may accept.")
const expiration = optional(Time, "When the offer expires. It cannot be accepted from then on.")

export const nftOfferCreated = payload(
  "An offer to sell or buy an NFT was created, by NFTokenCreateOffer or NFTokenMint.",
  {
    ...common,
    nft_owner: optional(Address, "The account that owns the token, if the transaction says so."),
    destination,
    expiration
  },
  {
    tx_hash: "BB9FAB22612274690030E767D2129BB42083EC0514BC61E6C003677282FEC1C1",
    offer_id: "08453580C77FCEA8E29598D1D161351984C551F23408AD651320A80B808FC339",
    nftoken_id: "00080000F5AA06B60748E4FC02D553AEB6D36F8C8A84A80A6B13EBA200000111",
    owner: "r3EoGM9sAouWvW5X3cmNVaTfu7rwhZwHG7",
    is_sell: false,
    amount: "27000000",
    nft_owner: "rphXAuKpDBM1BUB9DUqP4MLCgWnNrnu5Ee",
    expiration: "2025-11-21T00:26:47Z"
  }
)

export const nftOfferAccepted = payload(
  "An NFT was sold: an NFTokenAcceptOffer succeeded. A sale causes one event, even if a broker matched two offers.",
  {
    tx_hash,
    nftoken_id,
    seller: required(Address, "The account that held the token."),
    buyer: required(Address, "The account that holds it now."),
    amount: required(Amount, "What the buyer paid; the broker's fee and the issuer's share come out of it."),
    sell_offer_id: optional(Hash, "The accepted offer to sell."),
    buy_offer_id: optional(
      Hash,
      "The accepted offer to buy. Both ids are given if a broker matched the offers."
    ),
    broker: optional(Address, "The account that matched the two offers."),
    broker_fee: optional(Amount, "What the broker kept."),
    issuer,
    transfer_fee
  },
  {
    tx_hash: "55D2094DCE0761934BD12C8A25A0E756FBD16DE5CB41F968E75A9ADA31EE0E72",
    nftoken_id: "00080000F5AA06B60748E4FC02D553AEB6D36F8C8A84A80A6B13EBA200000111",
    seller: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
    buyer: "rphXAuKpDBM1BUB9DUqP4MLCgWnNrnu5Ee",
    amount: "9000000",
    sell_offer_id: "9F6A0937E9E991750CE24BCCE0E47DF48016C00347A9DB6A2C14AF2679802A15",
    issuer: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
    transfer_fee: 0
  }
)

export const nftOfferCancelled = payload(
  "An offer for an NFT was removed from the ledger without being accepted. Expiry alone causes no event: an expired offer stays until someone removes it.",
  {
    ...common,
    destination,
    expiration,
    reason: required(
      Schema.Literals(["cancelled", "expired", "nft_burned", "account_deleted", "other"]),
      "cancelled: by its owner or destination. expired: another account removed it, or tried to accept it, after it had expired. nft_burned: the token was burned. account_deleted: the owner's account was deleted. other: any other reason."
    ),
    cancelled_by: optional(Address, "The account that sent the NFTokenCancelOffer.")
  },
  {
    tx_hash: "233F2A8D1C210931A625C7765F0CB6FC134C07543E8518636F2177027B0AB125",
    offer_id: "42F58F1D9063CE5B6F8A920417BD4D3253DD23679DDD3CC3E269CBFFB6CF55E6",
    nftoken_id: "00090000290B4EB045CBE502A2FCB7281531E971D8295162F896D6A10000010C",
    owner: "rh8YLdGiuPibFrvELXNzH9EoCZah4Yrwdg",
    is_sell: true,
    amount: "14000000",
    reason: "cancelled",
    cancelled_by: "rh8YLdGiuPibFrvELXNzH9EoCZah4Yrwdg"
  }
)
