/**
 * Amounts as the ledger writes them and exact arithmetic on them (events.md 1.5). Copied values keep their text;
 * computed ones are integers scaled by 10^96, the finest step a token value can have, so nothing is ever rounded.
 */
import type { Json, JsonObject } from "../domain/Ledger.ts"
import { isJsonObject } from "../domain/NormaliseLedger.ts"
import { need } from "./Fields.ts"

type TokenAmount =
  | { readonly currency: string; readonly issuer: string; readonly value: string }
  | { readonly mpt_issuance_id: string; readonly value: string }

/** Drops of XRP, or an amount of a token. */
export type Amount = string | TokenAmount

/** A decimal number times 10^96. */
export type Scaled = bigint

const SCALE_DIGITS = 96
const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/

/** Token values have 16 significant digits; longer texts are no amounts, and would only cost memory. */
const LONGEST_TEXT = 256

/** Undefined when `value` is not an amount. Keys come in the published order. */
export const asAmount = (value: Json | undefined): Amount | undefined => {
  if (typeof value === "string") return isDecimal(value) ? value : undefined
  if (!isJsonObject(value)) return undefined
  const { currency, issuer, mpt_issuance_id, value: text } = value
  if (typeof text !== "string" || !isDecimal(text)) return undefined
  if (typeof mpt_issuance_id === "string") return { mpt_issuance_id, value: text }
  return typeof currency === "string" && typeof issuer === "string"
    ? { currency, issuer, value: text }
    : undefined
}

export const amountOf = (fields: JsonObject, name: string): Amount | undefined => asAmount(fields[name])

/** NewFields leave out zero drops (events.md 1.2); a field that is there must be an amount. */
export const amountOrZero = (fields: JsonObject, name: string): Amount =>
  fields[name] === undefined ? "0" : need(amountOf(fields, name), name)

/** As `amountOrZero`, of a field that is always XRP. */
export const dropsOrZero = (fields: JsonObject, name: string): string => {
  const amount = amountOrZero(fields, name)
  return need(typeof amount === "string" ? amount : undefined, name)
}

const isDecimal = (text: string): boolean => text.length <= LONGEST_TEXT && DECIMAL.test(text)

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

/** Of every shift that a token value of the ledger needs. */
const powersOfTen = Array.from({ length: 2 * SCALE_DIGITS + 1 }, (_, exponent) => 10n ** BigInt(exponent))

/** `text` must be a decimal number of the ledger's range; anything else dies. */
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

/** Plain notation without exponent and without needless zeros. */
export const render = (value: Scaled): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(SCALE_DIGITS + 1, "0")
  const whole = digits.slice(0, -SCALE_DIGITS)
  const fraction = digits.slice(-SCALE_DIGITS).replace(/0+$/, "")
  return (value < 0n ? "-" : "") + (fraction === "" ? whole : `${whole}.${fraction}`)
}

/** Integers this short subtract exactly as doubles: the common case of XRP amounts. */
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
