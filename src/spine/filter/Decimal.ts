/**
 * Compares decimal numbers that are given as text, exactly. The ledger writes amounts as text because a JSON number
 * cannot hold them: drops go up to 10^17, token values have an exponent from -96 to 80, and computed values have up
 * to 200 digits. No floating point is used, and an exponent is never expanded into digits. Pure.
 */

/** The value is `sign` × 0.`digits` × 10^`magnitude`. Equal numbers have equal parts. */
export interface Decimal {
  readonly sign: -1 | 0 | 1
  readonly magnitude: number
  /** Without zeros at either end; empty for zero. */
  readonly digits: string
}

/** Longest number in characters. Detection computes none that is longer. */
export const DECIMAL_LENGTH = 300

const FORM = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,6}))?$/

const ZERO: Decimal = { sign: 0, magnitude: 0, digits: "" }

/** Undefined if the text is not a decimal number. */
export const parseDecimal = (text: string): Decimal | undefined => {
  const parts = text.length <= DECIMAL_LENGTH ? FORM.exec(text) : null
  if (parts === null) return undefined
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts
  const all = whole + fraction
  let first = 0
  while (all[first] === "0") first++
  if (first === all.length) return ZERO
  let end = all.length
  while (all[end - 1] === "0") end--
  return {
    sign: sign === "-" ? -1 : 1,
    magnitude: whole.length - first + Number(exponent),
    digits: all.slice(first, end)
  }
}

/** Below 0 if `a` is smaller, 0 if they are equal, above 0 if `a` is larger. */
export const compareDecimals = (a: Decimal, b: Decimal): number => {
  if (a.sign !== b.sign) return a.sign - b.sign
  if (a.magnitude !== b.magnitude) return a.sign * (a.magnitude - b.magnitude)
  // Both start at the same power of ten, so the digits sort as text in the order of the numbers.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.sign : a.sign
}

/** Two numbers have the same key if and only if they are equal. */
export const decimalKey = ({ sign, magnitude, digits }: Decimal): string => `${sign} ${magnitude} ${digits}`
