/** What an event is about, as one sentence. Pure. */
import type { EventType } from "../../../words/eventTypes.ts"
import { cut } from "../../../words/format.ts"
import { amountOf, currencyName, decimal } from "../../events/amounts.ts"

type Payload = Readonly<Record<string, unknown>>

/** Names in braces are fields of the payload. */
const sentences: Record<EventType, string> = {
  "payment.xrp": "{sender} paid {amount} to {receiver}",
  "payment.issued": "{sender} paid {amount} to {receiver}",
  "nft.minted": "{issuer} minted {nftoken_id}, taxon {taxon}",
  "nft.burned": "{owner} no longer has {nftoken_id}: it was burned",
  "nft.offer_created": "{owner} offers {amount} for {nftoken_id}",
  "nft.offer_accepted": "{buyer} bought {nftoken_id} for {amount}",
  "nft.offer_cancelled": "{owner} no longer has an offer for {nftoken_id}",
  "dex.offer_created": "{account} offers {taker_gets} for {taker_pays}",
  "dex.offer_partial": "{account} sold {filled_taker_gets} for {filled_taker_pays}, a part of an offer",
  "dex.offer_filled": "{account} sold {filled_taker_gets} for {filled_taker_pays}",
  "dex.offer_cancelled": "{account} no longer offers {taker_gets} for {taker_pays}",
  "trustline.created": "{account} trusts {counterparty} for {limit}",
  "trustline.modified": "{account} and {counterparty} changed a trust line: {limit}",
  "trustline.deleted": "{account} and {counterparty} no longer have a trust line",
  "account.created": "{account} was created by {created_by} with {initial_balance}",
  "account.settings_changed": "{account} changed its settings",
  "account.deleted": "{account} was deleted, {destination} got {delivered_amount}",
  "escrow.created": "{owner} set aside {amount} for {destination}",
  "escrow.finished": "{destination} got {amount} that {owner} had set aside",
  "escrow.cancelled": "{owner} got {amount} back, set aside for {destination}",
  "check.created": "{account} wrote a check for {destination}: at most {send_max}",
  "check.cashed": "{destination} cashed a check of {account}: {amount}",
  "check.cancelled": "{account} has no longer a check for {destination}"
}

/** Characters of an address or an id before its middle. */
const HEAD = 6
const ID = /^(r[1-9A-HJ-NP-Za-km-z]{24,34}|[0-9A-F]{64})$/

export interface Part {
  readonly kind: "text" | "id" | "amount"
  readonly text: string
}

/** Usually one side trusts the other, which issues the token and has no limit. */
const withTruster = (payload: Payload): Payload => {
  const { account, counterparty, currency, limit, limit_peer } = payload
  if (typeof currency !== "string" || typeof limit !== "string") return payload
  const truster = limit === "0" ? { account: counterparty, counterparty: account, limit: limit_peer } : {}
  return { ...payload, ...truster }
}

const partOf = (field: string, payload: Payload): Part => {
  const value = payload[field]
  const amount =
    field === "limit" ? `${decimal(String(value))} ${currencyName(String(payload["currency"]))}` : undefined
  const text = amount ?? amountOf(field, value)?.text
  if (text !== undefined) return { kind: "amount", text }
  const plain = value === undefined ? "–" : String(value)
  return ID.test(plain) ? { kind: "id", text: cut(plain, HEAD) } : { kind: "text", text: plain }
}

/** The sentence in parts; of a type that it does not know, nothing. */
export const sentenceOf = (type: string, payload: Payload): ReadonlyArray<Part> => {
  const known = withTruster(payload)
  return ((sentences as Readonly<Record<string, string>>)[type] ?? "")
    .split(/\{(\w+)\}/)
    .map((text, at): Part => (at % 2 === 0 ? { kind: "text", text } : partOf(text, known)))
    .filter(({ text }) => text !== "")
}
