/**
 * Reads amounts and computes with them exactly (docs/detection-rules.md 1.5). Copied values keep the ledger's
 * text. Computed values are integers scaled by 10^96, the finest step of a token value, so nothing is ever rounded.
 */
import { isAddress } from "../event/AccountId.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import { currencyCode, INTEGER, MPT_ISSUANCE_ID } from "../event/LedgerForms.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { currencyOf, isTokenValue, need } from "./Fields.ts"

type TokenAmount =
  | { readonly currency: string; readonly issuer: string; readonly value: string }
  | { readonly mpt_issuance_id: string; readonly value: string }

/** Drops of XRP, or an amount of a token. */
export type Amount = string | TokenAmount

/** A decimal number times 10^96. */
export type Scaled = bigint

const SCALE_DIGITS = 96
const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/

/** Characters. No number of the ledger is longer; longer texts would only cost memory. */
const LONGEST_TEXT = 256
/** Characters of 10^17 drops (all XRP) and of 2^63 - 1 units (the most of an MPT), with a minus sign. */
const LONGEST_DROPS = 19
const LONGEST_UNITS = 20

const isInteger = (text: string, longest: number): boolean => text.length <= longest && INTEGER.test(text)

/** Undefined if `value` is not an amount. The keys and the currency's text are as published. */
export const asAmount = (value: Json | undefined): Amount | undefined => {
  if (typeof value === "string") return isInteger(value, LONGEST_DROPS) ? value : undefined
  if (!isJsonObject(value)) return undefined
  const { currency, issuer, mpt_issuance_id, value: text } = value
  if (typeof text !== "string") return undefined
  if (typeof mpt_issuance_id === "string")
    return MPT_ISSUANCE_ID.test(mpt_issuance_id) && isInteger(text, LONGEST_UNITS)
      ? { mpt_issuance_id, value: text }
      : undefined
  const code = typeof currency === "string" ? currencyCode(currency) : undefined
  return code !== undefined && typeof issuer === "string" && isAddress(issuer) && isTokenValue(text)
    ? { currency: code, issuer, value: text }
    : undefined
}

/** Undefined if the field is absent. Throws if it is not an amount. */
export const amountOf = (fields: JsonObject, name: string): Amount | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  const amount = asAmount(value)
  if (amount === undefined) throw new Error(`${name} is not an amount`)
  return amount
}

export const needAmount = (fields: JsonObject, name: string): Amount => need(amountOf(fields, name), name)

/** The value of an amount of the same asset. Undefined if the field is absent; throws if it is anything else. */
export const valueOfSameAsset = (fields: JsonObject, name: string, asset: Amount): string | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  const text = typeof value === "string" ? value : isJsonObject(value) ? value["value"] : undefined
  if (typeof text === "string" && isSameAsset(value, text, asset)) return text
  throw new Error(`${name} is not an amount of the same asset`)
}

const isSameAsset = (value: Json, text: string, asset: Amount): boolean => {
  if (typeof asset === "string" || !isJsonObject(value))
    return typeof asset === typeof value && isInteger(text, LONGEST_DROPS)
  return "currency" in asset
    ? currencyOf(value, "currency") === asset.currency &&
        value["issuer"] === asset.issuer &&
        isTokenValue(text)
    : value["mpt_issuance_id"] === asset.mpt_issuance_id && isInteger(text, LONGEST_UNITS)
}

/** For fields in which the ledger leaves out 0 drops (docs/detection-rules.md 1.2). Elsewhere absent means unknown. */
export const amountOrZero = (fields: JsonObject, name: string): Amount => amountOf(fields, name) ?? "0"

/** Like `amountOrZero`, for a field that is always XRP. */
export const dropsOrZero = (fields: JsonObject, name: string): string => {
  const amount = amountOrZero(fields, name)
  if (typeof amount !== "string") throw new Error(`${name} is not XRP`)
  return amount
}

export const isMpt = (amount: Amount | undefined): boolean =>
  typeof amount === "object" && "mpt_issuance_id" in amount

export const valueText = (amount: Amount): string => (typeof amount === "string" ? amount : amount.value)

/** The same asset with another value. */
export const withValue = (amount: Amount, value: string): Amount =>
  typeof amount === "string" ? value : { ...amount, value }

/** -1, 0 or 1, by the digits alone. */
export const signOf = (text: string): -1 | 0 | 1 => {
  const exponent = text.search(/[eE]/)
  if (!/[1-9]/.test(exponent < 0 ? text : text.slice(0, exponent))) return 0
  return text.startsWith("-") ? -1 : 1
}

/** Of an amount of which perhaps only the value can be read. Undefined if not even that can. */
export const signOfAmount = (amount: Json | undefined): -1 | 0 | 1 | undefined => {
  const text = isJsonObject(amount) ? amount["value"] : amount
  return typeof text === "string" && isTokenValue(text) ? signOf(text) : undefined
}

/** Computed once: every power that scaling a token value needs. */
const powersOfTen = Array.from({ length: 2 * SCALE_DIGITS + 1 }, (_, exponent) => 10n ** BigInt(exponent))

/** Throws unless `text` is a decimal number in the ledger's range. */
export const scaled = (text: string): Scaled => {
  const parts = text.length <= LONGEST_TEXT ? DECIMAL.exec(text) : null
  if (parts === null) throw new Error(`"${text.slice(0, 40)}" is not a decimal number`)
  const [, sign, whole, fraction = "", exponent = "0"] = parts
  const shift = SCALE_DIGITS + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  if (shift < 0 && digits !== 0n) throw new Error(`"${text.slice(0, 40)}" is finer than any token value`)
  const magnitude = shift <= 0 ? digits : digits * (powersOfTen[shift] ?? 10n ** BigInt(shift))
  return sign === "-" ? -magnitude : magnitude
}

/** Plain notation: no exponent, no needless zeros. */
export const render = (value: Scaled): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(SCALE_DIGITS + 1, "0")
  const whole = digits.slice(0, -SCALE_DIGITS)
  const fraction = digits.slice(-SCALE_DIGITS).replace(/0+$/, "")
  return (value < 0n ? "-" : "") + (fraction === "" ? whole : `${whole}.${fraction}`)
}

/** Doubles subtract integers of up to 15 digits exactly. Most XRP amounts are that short. */
const SHORT_INTEGER = /^-?[0-9]{1,15}$/

export const difference = (a: string, b: string): string =>
  SHORT_INTEGER.test(a) && SHORT_INTEGER.test(b)
    ? String(Number(a) - Number(b))
    : render(scaled(a) - scaled(b))

export const sameValue = (a: string, b: string): boolean => a === b || scaled(a) === scaled(b)

/** The text with the opposite sign; zero has none. */
export const negated = (text: string): string => {
  if (signOf(text) === 0) return "0"
  return text.startsWith("-") ? text.slice(1) : `-${text}`
}
