/** What happened, in a few words: "410.84 USD paid". An amount that the payload lacks is left out. Pure. */
import type { EventType } from "../../../words/eventTypes.ts"
import { currencyName } from "../amounts.ts"
import { changesIn, labelOf } from "../fields.ts"
import { amountIn } from "../summary.ts"

type Payload = Readonly<Record<string, unknown>>

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** "Domain changed", or "3 settings changed". */
const changed = (payload: Payload): string => {
  const changes = changesIn(payload["changes"]) ?? []
  return changes.length === 1
    ? `${labelOf(changes[0]!.what)} changed`
    : `${changes.length > 1 ? `${changes.length} settings` : "Settings"} changed`
}

const nftOffer = (payload: Payload, amount: string): string =>
  payload["is_sell"] === true ? `an NFT for ${amount}` : `${amount} for an NFT`

const line = (payload: Payload): string =>
  typeof payload["currency"] === "string" ? `${currencyName(payload["currency"])} trust line` : "trust line"

/** `amount`: the payload's amount; "an amount" if it has none. */
const headlines: Readonly<Record<EventType, (amount: string, payload: Payload) => string>> = {
  "payment.xrp": (amount) => `${amount} paid`,
  "payment.issued": (amount) => `${amount} paid`,
  "nft.minted": () => "NFT minted",
  "nft.burned": () => "NFT burned",
  "nft.offer_created": (amount, payload) => `offered: ${nftOffer(payload, amount)}`,
  "nft.offer_accepted": (amount) => `NFT sold for ${amount}`,
  "nft.offer_cancelled": (amount, payload) => `offer ended: ${nftOffer(payload, amount)}`,
  "dex.offer_created": (amount) => `offered: ${amount}`,
  "dex.offer_partial": (amount) => `offer taken in part: ${amount}`,
  "dex.offer_filled": (amount) => `offer filled: ${amount}`,
  "dex.offer_cancelled": (amount) => `offer ended: ${amount}`,
  "trustline.created": (_, payload) => `${line(payload)} created`,
  "trustline.modified": (_, payload) => `${line(payload)}: ${changed(payload).toLowerCase()}`,
  "trustline.deleted": (_, payload) => `${line(payload)} deleted`,
  "account.created": (amount) => `account created with ${amount}`,
  "account.settings_changed": (_, payload) => changed(payload),
  "account.deleted": (amount, payload) =>
    payload["delivered_amount"] === undefined ? "account deleted" : `account deleted, ${amount} paid out`,
  "escrow.created": (amount) => `${amount} put in escrow`,
  "escrow.finished": (amount) => `${amount} released from escrow`,
  "escrow.cancelled": (amount) => `${amount} returned from escrow`,
  "check.created": (amount) => `check over ${amount} written`,
  "check.cashed": (amount) => `check over ${amount} cashed`,
  "check.cancelled": (amount) => `check over ${amount} cancelled`
}

export const headlineOf = (type: EventType, payload: Payload): string => {
  const amount = amountIn(payload)
  return capital(headlines[type](amount === "" ? "an amount" : amount, payload))
}
