/**
 * Patterns for ledger values written as text. Detection and the published payload schemas share them, so what detection
 * emits always passes the schemas. They use `[0-9]`, because `\d` matches more in some other languages.
 */

/** Checks the characters of a classic address. `isAddress` also verifies the checksum. */
export const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/u

export const HEX = /^(?:[0-9A-Fa-f]{2})*$/u

/** The ledger itself allows at most 256 bytes for a URI, a domain and a fulfilment, and fewer for other bytes. */
export const HEX_DIGITS_MAX = 1_024

export const EMAIL_HASH = /^[0-9A-F]{32}$/u

export const TRANSACTION_TYPE = /^[A-Za-z0-9]+$/u

/** A currency code: three characters of rippled's set, or 160 bits in hex. */
export const CURRENCY = /^(?:[A-Za-z0-9?!@#$%^&*<>(){}[\]|]{3}|[0-9A-F]{40})$/u

/** The code that rippled calls `noCurrency` and writes as `1`. A TrustSet may name it. */
const NO_CURRENCY = "0000000000000000000000000000000000000001"

/** 160 bits that may stand for three characters. */
const STANDARD_CODE = /^0{24}([0-9A-F]{6})0{10}$/u

/**
 * A token's currency code in the one form that events have (docs/detection-rules.md 1.5), whether rippled or a codec
 * wrote it; undefined if it is none. XRP is no token, and rippled never writes its code as three characters.
 */
export const currencyCode = (text: string): string | undefined => {
  if (text === "1") return NO_CURRENCY
  if (text === "XRP" || !CURRENCY.test(text)) return undefined
  const bytes = STANDARD_CODE.exec(text)?.[1]
  if (bytes === undefined) return text
  const characters = Buffer.from(bytes, "hex").toString("latin1")
  return characters !== "XRP" && CURRENCY.test(characters) ? characters : text
}

export const INTEGER = /^-?[0-9]+$/u

/** A token value in rippled's text form. */
export const TOKEN_VALUE = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]+)?$/u

export const MPT_ISSUANCE_ID = /^[0-9A-F]{48}$/u

/** The ledger allows an NFT's issuer at most 50 % of a sale, in 1/100000. */
export const TRANSFER_FEE_MAX = 50_000
