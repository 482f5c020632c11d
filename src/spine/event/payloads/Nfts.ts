/** Payloads of nft.minted and nft.burned (docs/detection-rules.md 2.3). */
import { Schema } from "effect"
import { TRANSFER_FEE_MAX } from "../LedgerForms.ts"
import { Address, Hash, Hex, optional, payload, required, tx_hash, uint16, uint32 } from "./PayloadFields.ts"

export const nftoken_id = required(Hash, "The NFTokenID.")
export const issuer = required(Address, "The token's issuer.")
const taxon = required(uint32, "The taxon, a number by which the issuer groups tokens.")
const serial = required(uint32, "The token's serial number among the tokens of its issuer.")

export const transfer_fee = required(
  Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: TRANSFER_FEE_MAX })),
  "The issuer's share of each resale, in units of 1/100000."
)

export const nftMinted = payload(
  "An NFTokenMint succeeded. If it names an amount, it also creates an offer, and an nft.offer_created event of the same transaction follows.",
  {
    tx_hash,
    nftoken_id,
    issuer,
    owner: required(Address, "The account that minted the token and holds it."),
    taxon,
    serial,
    flags: required(uint16, "The flags in the NFTokenID, not those of the transaction."),
    transfer_fee,
    uri: optional(Hex, "The URI of the token.")
  },
  {
    tx_hash: "2510B179CA78D61CE88C8A7860D9D70E92FB97DC2B3C2BAE33B9C4C36E98386D",
    nftoken_id: "00090000290B4EB045CBE502A2FCB7281531E971D8295162F896D6A10000010C",
    issuer: "rhkpEWtmZjxxDA9mV3VUSDxwVFVPWBp9eP",
    owner: "rhkpEWtmZjxxDA9mV3VUSDxwVFVPWBp9eP",
    taxon: 6,
    serial: 268,
    flags: 9,
    transfer_fee: 0,
    uri: "68747470733A2F2F6578616D706C652E636F6D2F6E66742F323638"
  }
)

export const nftBurned = payload(
  "An NFTokenBurn succeeded. Offers for the token that it removes cause nft.offer_cancelled events of the same transaction.",
  {
    tx_hash,
    nftoken_id,
    owner: required(Address, "The account that held the token."),
    burned_by: required(Address, "The account that burned the token: its owner or, if allowed, its issuer."),
    issuer,
    taxon,
    serial
  },
  {
    tx_hash: "DFAA351A5D9D5175F5F10EB157EDDFD7FA51BF9A82C2C58A566FFE972B1AE66A",
    nftoken_id: "00081DB0F5AA06B60748E4FC02D553AEB6D36F8C8A84A80A98DF8DA000000113",
    owner: "rQ92iWMPibLkyg4zyKXuoCPSNHoqZYRzKu",
    burned_by: "rQ92iWMPibLkyg4zyKXuoCPSNHoqZYRzKu",
    issuer: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX",
    taxon: 14,
    serial: 275
  }
)
