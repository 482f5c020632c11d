/**
 * The payload schema of each event type. The published JSON Schemas, the catalogue of events and the types are
 * generated from these schemas. Detection checks each payload against its published schema. They are listed in the
 * catalogue's order.
 */
import type { Schema } from "effect"
import type { EventType } from "./EventType.ts"
import { accountSettingsChanged } from "./payloads/AccountSettings.ts"
import { accountCreated, accountDeleted } from "./payloads/Accounts.ts"
import { checkCancelled, checkCashed, checkCreated } from "./payloads/Checks.ts"
import { escrowCancelled, escrowCreated, escrowFinished } from "./payloads/Escrows.ts"
import { nftOfferAccepted, nftOfferCancelled, nftOfferCreated } from "./payloads/NftOffers.ts"
import { nftBurned, nftMinted } from "./payloads/Nfts.ts"
import { dexOfferCancelled, dexOfferCreated, dexOfferFilled, dexOfferPartial } from "./payloads/Offers.ts"
import { paymentIssued, paymentXrp } from "./payloads/Payments.ts"
import { trustlineCreated, trustlineDeleted, trustlineModified } from "./payloads/TrustLines.ts"

export const payloads = {
  "payment.xrp": paymentXrp,
  "payment.issued": paymentIssued,
  "nft.minted": nftMinted,
  "nft.burned": nftBurned,
  "nft.offer_created": nftOfferCreated,
  "nft.offer_accepted": nftOfferAccepted,
  "nft.offer_cancelled": nftOfferCancelled,
  "dex.offer_created": dexOfferCreated,
  "dex.offer_partial": dexOfferPartial,
  "dex.offer_filled": dexOfferFilled,
  "dex.offer_cancelled": dexOfferCancelled,
  "trustline.created": trustlineCreated,
  "trustline.modified": trustlineModified,
  "trustline.deleted": trustlineDeleted,
  "account.created": accountCreated,
  "account.settings_changed": accountSettingsChanged,
  "account.deleted": accountDeleted,
  "escrow.created": escrowCreated,
  "escrow.finished": escrowFinished,
  "escrow.cancelled": escrowCancelled,
  "check.created": checkCreated,
  "check.cashed": checkCashed,
  "check.cancelled": checkCancelled
} satisfies Readonly<Record<EventType, Schema.Top>>

export type Payload<Type extends EventType> = (typeof payloads)[Type]["Type"]
