/** Amounts of the ledger as people read them. Exact: no amount becomes a floating-point number. Pure. */

import { GROUP } from "../../words/format.ts"

/** Longer numbers are shown as the ledger writes them, with an exponent. */
const DIGITS_MAX = 40

const DROPS_DIGITS = 6

/** Groups digits by thousands, as `count` does: "1 234 567.5". The ledger's text decides the digits. */
const grouped = (sign: string, whole: string, fraction: string): string => {
  const trimmed = fraction.replace(/0+$/, "")
  const grouping = whole.replace(/\B(?=(?:\d{3})+$)/g, GROUP)
  return `${sign}${grouping}${trimmed === "" ? "" : `.${trimmed}`}`
}

/** "1000000000000000e-3" as "1 000 000 000 000". Text that is no number stays as it is. */
export const decimal = (value: string): string => {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(value)
  if (match === null) return value
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (Math.max(point, digits.length - point, digits.length) > DIGITS_MAX) return value
  const padded = digits.padEnd(point, "0").padStart(digits.length - Math.min(point, 0) + 1, "0")
  const at = padded.length - Math.max(digits.length - point, 0)
  return grouped(sign, padded.slice(0, at).replace(/^0+(?=\d)/, ""), padded.slice(at))
}

/** 17310000 as "17.31 XRP"; undefined if the text is no whole number. */
export const xrp = (drops: string): string | undefined =>
  /^-?\d+$/.test(drops) ? `${decimal(`${drops}e-${DROPS_DIGITS}`)} XRP` : undefined

/**
 * A currency code of 40 hex digits as the text that it stands for, such as RLUSD. It stays as it is if the text is not
 * printable, has spaces, or could be taken for XRP or for a code of 3 characters.
 */
export const currencyName = (code: string): string => {
  if (!/^[0-9A-Fa-f]{40}$/.test(code)) return code
  const bytes = code.match(/../g)!.map((byte) => Number.parseInt(byte, 16))
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1
  const text = String.fromCharCode(...bytes.slice(0, end))
  return /^[\x21-\x7e]{4,20}$/.test(text) ? text : code
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export interface ReadableAmount {
  readonly text: string
  /** The issuer of a token, and its code if the text shows another. */
  readonly issuer?: string
  readonly code?: string
}

/** Undefined if the value is no amount: drops in a text, or a token with its value. */
export const readableAmount = (value: unknown): ReadableAmount | undefined => {
  if (typeof value === "string") {
    const text = xrp(value)
    return text === undefined ? undefined : { text }
  }
  if (!isRecord(value) || typeof value["value"] !== "string") return undefined
  const { currency, issuer, mpt_issuance_id: token } = value
  if (typeof token === "string") {
    return { text: `${decimal(value["value"])} of token ${token.slice(0, 8)}…`, code: token }
  }
  if (typeof currency !== "string" || typeof issuer !== "string") return undefined
  const name = currencyName(currency)
  return {
    text: `${decimal(value["value"])} ${name.length === 40 ? `${name.slice(0, 8)}…` : name}`,
    issuer,
    ...(name === currency && name.length < 40 ? {} : { code: currency })
  }
}

/** Fields that have an amount. A text in them means drops. */
const amountFields = new Set([
  "amount",
  "broker_fee",
  "delivered_amount",
  "filled_taker_gets",
  "filled_taker_pays",
  "initial_balance",
  "remaining_taker_gets",
  "remaining_taker_pays",
  "requested_taker_gets",
  "requested_taker_pays",
  "send_max",
  "taker_gets",
  "taker_pays"
])

export const amountOf = (field: string, value: unknown): ReadableAmount | undefined =>
  amountFields.has(field) ? readableAmount(value) : undefined
