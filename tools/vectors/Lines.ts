/** RippleState entries for vectors, and how an event describes them. */
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { issuer } from "./Build.ts"

/** Stands in for the issuer of a line's balance. */
const NEUTRAL = "rrrrrrrrrrrrrrrrrrrrBZbvji"

export const LOW_RESERVE = 0x0001_0000
export const HIGH_RESERVE = 0x0002_0000

interface LineOptions {
  readonly low: string
  readonly high: string
  readonly balance?: string
  readonly lowLimit?: string
  readonly highLimit?: string
  readonly flags?: number
  readonly currency?: string
}

/** The fields of an entry; `balance` is from the low side's view. */
export const line = ({
  balance = "0",
  currency = "USD",
  flags = 0,
  high,
  highLimit = "0",
  low,
  lowLimit = "0"
}: LineOptions) => ({
  Balance: { currency, issuer: NEUTRAL, value: balance },
  Flags: flags,
  HighLimit: { currency, issuer: high, value: highLimit },
  LowLimit: { currency, issuer: low, value: lowLimit }
})

/** The payload of an event of a line without settings; `fields` adds and replaces. */
export const described = (fields: JsonObject): JsonObject => ({
  counterparty: issuer,
  currency: "USD",
  limit: "0",
  limit_peer: "0",
  balance: "0",
  no_ripple: false,
  no_ripple_peer: false,
  freeze: false,
  freeze_peer: false,
  deep_freeze: false,
  deep_freeze_peer: false,
  authorized: false,
  peer_authorized: false,
  ...fields
})
