/**
 * The text forms of ledger values, as patterns that detection and the published payload schemas share: what detection
 * emits therefore always passes the schemas. `[0-9]` instead of `\d`, since other languages read `\d` differently.
 */

/** A classic address by its letters; the checksum needs `isAddress`. */
export const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/u

export const HEX = /^(?:[0-9A-Fa-f]{2})*$/u

export const EMAIL_HASH = /^[0-9A-F]{32}$/u

export const TRANSACTION_TYPE = /^[A-Za-z0-9]+$/u

/** Three characters, or 160 bits. */
export const CURRENCY = /^(?:[A-Za-z0-9?!@#$%^&*<>(){}[\]|]{3}|[0-9A-F]{40})$/u

export const INTEGER = /^-?[0-9]+$/u

/** A token value in rippled's text form. */
export const TOKEN_VALUE = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]+)?$/u

export const MPT_ISSUANCE_ID = /^[0-9A-F]{48}$/u

/** The ledger allows an NFT's issuer at most 50 % of a sale, in 1/100000. */
export const TRANSFER_FEE_MAX = 50_000
