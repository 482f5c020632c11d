/**
 * Amounts as integers: drops of XRP and millionths of a token. Both have six decimals, and all arithmetic is exact.
 * Token values stay below 10^10, so that rippled writes them in plain notation, without an exponent.
 */
import type { Json, JsonObject } from "../../spine/event/Ledger.ts"

export interface Token {
  readonly currency: string
  readonly issuer: string
}
export type Asset = "XRP" | Token

/** Drops of XRP, or millionths of one XRP or one token unit. */
export const UNIT = 1_000_000n

/** The issuer that rippled writes into a trust line's balance: ACCOUNT_ONE, which nobody owns. */
export const NEUTRAL_ISSUER = "rrrrrrrrrrrrrrrrrrrrBZbvji"

export const valueText = (quantity: bigint): string => {
  const magnitude = quantity < 0n ? -quantity : quantity
  const fraction = (magnitude % UNIT).toString().padStart(6, "0").replace(/0+$/, "")
  return `${quantity < 0n ? "-" : ""}${magnitude / UNIT}${fraction === "" ? "" : `.${fraction}`}`
}

const quantityOfText = (text: string): bigint => {
  const [whole, fraction = ""] = text.replace("-", "").split(".")
  const magnitude = BigInt(whole!) * UNIT + BigInt(fraction.padEnd(6, "0"))
  return text.startsWith("-") ? -magnitude : magnitude
}

export const amountOf = (asset: Asset, quantity: bigint): Json =>
  asset === "XRP"
    ? quantity.toString()
    : { currency: asset.currency, issuer: asset.issuer, value: valueText(quantity) }

/** The quantity of an amount field. An absent field is zero. */
export const quantityOf = (amount: Json | undefined): bigint => {
  if (amount === undefined) return 0n
  if (typeof amount === "string") return BigInt(amount)
  // Every amount in the simulated state was written by `amountOf`, so what is not text is a token amount.
  return quantityOfText(String((amount as JsonObject)["value"]))
}

export const assetOf = (amount: Json | undefined): Asset => {
  if (amount === undefined || typeof amount === "string") return "XRP"
  const { currency, issuer } = amount as JsonObject // as in quantityOf
  return { currency: String(currency), issuer: String(issuer) }
}

/** `Math.min` does not accept bigints. */
export const minimum = (first: bigint, ...others: ReadonlyArray<bigint>): bigint => {
  let least = first
  for (const quantity of others) if (quantity < least) least = quantity
  return least
}
