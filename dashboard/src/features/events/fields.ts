/** What the fields of payloads mean to a viewer. Pure. */
import { decimal } from "./amounts.ts"

/** destination_tag as "Destination tag". */
export const labelOf = (field: string): string => {
  if (field === "tx_hash") return "Transaction"
  const words = field
    .replace(/^nftoken/, "NFT")
    .replace(/^tx_/, "transaction ")
    .replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const isAddress = (value: string): boolean => /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(value)

export const isTime = (value: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)

/** Fields whose hex digits usually stand for text. */
const textFields = new Set(["uri", "domain"])

/** The text that hex digits stand for; undefined if they are no UTF-8, or the field has other bytes. */
export const hexText = (field: string, value: string): string | undefined => {
  if (!textFields.has(field) || !/^(?:[0-9A-Fa-f]{2})+$/.test(value)) return undefined
  const bytes = value.match(/../g)!.map((byte) => Number.parseInt(byte, 16))
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes))
  } catch {
    return undefined
  }
}

/** Amounts of the trust line's currency, whose code is in another field. */
export const tokenFields = new Set(["limit", "limit_peer", "previous_limit", "balance"])

/**
 * Rates as a percentage. transfer_fee, what an issuer keeps of a resale, is in units of 1/100,000. transfer_rate, what
 * a transfer costs, is 1,000,000,000 for 0%. Undefined for other fields.
 */
export const rateText = (field: string, value: number): string | undefined =>
  field === "transfer_fee"
    ? `${decimal(`${value}e-3`)}%`
    : field === "transfer_rate" && value >= 1_000_000_000
      ? `${decimal(`${value - 1_000_000_000}e-7`)}%`
      : undefined

/** One entry of the field `changes`: a setting of an account or of a trust line. */
export interface Change {
  readonly what: string
  readonly previous: unknown
  readonly value: unknown
}

/** Undefined if the value is no list of changes. */
export const changesIn = (value: unknown): ReadonlyArray<Change> | undefined => {
  if (!Array.isArray(value)) return undefined
  const changes = value.map((entry: Readonly<Record<string, unknown>> | null) => ({
    what: entry?.["setting"] ?? entry?.["field"],
    previous: entry?.["previous"],
    value: entry?.["value"]
  }))
  return changes.every((change): change is Change => typeof change.what === "string") ? changes : undefined
}
