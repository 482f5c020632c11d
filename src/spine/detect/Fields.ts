/**
 * Reads fields of transactions and ledger entries. An absent field reads as undefined; `need` throws on it. A field of
 * the wrong form throws an error that names it. Detect.ts turns that into an alert and withholds the event, because an
 * event with a guessed value, or without the field, would be wrong.
 */
import { isAddress } from "../event/AccountId.ts"
import { isHash } from "../event/Hash.ts"
import { isoTime, type Json, type JsonObject } from "../event/Ledger.ts"
import { currencyCode, HEX, HEX_DIGITS_MAX, TOKEN_VALUE } from "../event/LedgerForms.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"

export const noFields: JsonObject = {}

export const need = <A>(value: A | undefined, name: string): A => {
  if (value === undefined) throw new Error(`${name} is missing`)
  return value
}

const malformed = (name: string, expected: string): Error => new Error(`${name} is not ${expected}`)

export const textField =
  (holds: (text: string) => boolean, expected: string) =>
  (fields: JsonObject, name: string): string | undefined => {
    const value = fields[name]
    if (value === undefined) return undefined
    if (typeof value !== "string" || !holds(value)) throw malformed(name, expected)
    return value
  }

// Readers that every event needs are written out for speed: the engine inlines them, but not an argument of `textField`.
export const addressOf = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== "string" || !isAddress(value)) throw malformed(name, "an address")
  return value
}

export const needAddress = (fields: JsonObject, name: string): string => need(addressOf(fields, name), name)

/** In the form that events have, so that it can be compared with the currency of an `Amount`. */
export const currencyOf = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  const code = typeof value === "string" ? currencyCode(value) : undefined
  if (code === undefined) throw malformed(name, "a currency")
  return code
}

export const hexOf = textField(
  (text) => text.length <= HEX_DIGITS_MAX && HEX.test(text),
  "at most 512 bytes in hex"
)

/** Characters. Token values have 16 significant digits and exponents from -96 to 80; longer texts only cost memory. */
const LONGEST_VALUE = 256
const LARGEST_EXPONENT = 96

export const isTokenValue = (text: string): boolean => {
  if (text.length > LONGEST_VALUE || !TOKEN_VALUE.test(text)) return false
  const exponent = text.indexOf("e")
  return exponent < 0 || Math.abs(Number(text.slice(exponent + 1))) <= LARGEST_EXPONENT
}

export const tokenValueOf = textField(isTokenValue, "a token value")

/** 256 bits as upper-case hex, from either case (docs/detection-rules.md 1.4). */
export const hashOf = (fields: JsonObject, name: string): string | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== "string" || !isHash(value)) throw malformed(name, "64 hex digits")
  return value.toUpperCase()
}

const unsigned = (fields: JsonObject, name: string, max: number): number | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  if (typeof value !== "number" || !(value >= 0 && value <= max) || !Number.isInteger(value))
    throw malformed(name, `an integer from 0 to ${max}`)
  return value
}

export const uint8Of = (fields: JsonObject, name: string) => unsigned(fields, name, 0xff)
export const uint16Of = (fields: JsonObject, name: string) => unsigned(fields, name, 0xff_ff)
export const uint32Of = (fields: JsonObject, name: string) => unsigned(fields, name, 0xff_ff_ff_ff)

export const objectOf = (fields: JsonObject, name: string): JsonObject | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  if (!isJsonObject(value)) throw malformed(name, "an object")
  return value
}

export const listOf = (fields: JsonObject, name: string): ReadonlyArray<Json> | undefined => {
  const value = fields[name]
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw malformed(name, "a list")
  // Array.isArray does not narrow a readonly array type.
  return value as ReadonlyArray<Json>
}

export const timeOf = (fields: JsonObject, name: string): string | undefined => {
  const seconds = uint32Of(fields, name)
  return seconds === undefined ? undefined : isoTime(seconds)
}

/** Missing flags are 0. Unsigned, because the highest bit is in use (docs/detection-rules.md 1.2). */
export const flagsOf = (fields: JsonObject): number => uint32Of(fields, "Flags") ?? 0

export const hasFlag = (flags: number, bit: number): boolean => (flags & bit) !== 0

/** Leaves out absent fields, which are never null (docs/detection-rules.md 1.4). Keeps the order of the keys. */
export const withoutAbsent = (fields: { readonly [name: string]: Json | undefined }): JsonObject => {
  const present: Record<string, Json> = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) present[name] = value
  }
  return present
}
