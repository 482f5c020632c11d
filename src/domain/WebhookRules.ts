/**
 * What a customer may write into a webhook: bounds that the API promises, and checks that say in words what is wrong.
 * Pure; the contract's schemas and the handlers use them. Addresses of endpoints have their own file (EndpointUrl.ts).
 */
import { accountIdOfAddress } from "./AccountId.ts"
import { type EventType, eventTypes, expandPattern } from "./EventType.ts"

export const webhookBounds = {
  /** Account addresses in one webhook's filter. */
  accountFilters: 10_000,
  /** Those of one webhook that a list shows. */
  listedAccountFilters: 100,
  /** Characters of an endpoint's address. */
  urlLength: 2_048,
  /** Characters of a webhook's description. */
  descriptionLength: 500,
  /** Headers of its own that a webhook may add, and the length of each name and value. */
  webhookHeaders: 20,
  webhookHeaderNameLength: 128,
  webhookHeaderLength: 1_024,
  /** Characters of a signing secret of one's own. */
  secretLength: { minimum: 16, maximum: 128 },
  /** Seconds for which the secret before a rotation signs too: a day is time enough to bring the new one everywhere. */
  graceSeconds: 86_400,
  /** Attempts at once to one webhook: the most, and unless it says otherwise. */
  maxInFlight: 256,
  defaultInFlight: 16,
  /** First attempts a second to one webhook. */
  maxPerSecond: 10_000
} as const

/** Every type that the patterns mean, in the order of `eventTypes`. */
export const expandPatterns = (patterns: ReadonlyArray<string>): ReadonlyArray<EventType> => {
  const wanted = new Set(patterns.flatMap(expandPattern))
  return eventTypes.filter((type) => wanted.has(type))
}

export const isEventPattern = (pattern: string): boolean => expandPattern(pattern).length > 0

/** Undefined when `address` is a classic address with a right checksum. */
export const addressProblem = (address: string): string | undefined =>
  accountIdOfAddress(address) !== undefined
    ? undefined
    : /^[XT][1-9A-HJ-NP-Za-km-z]{46}$/.test(address)
      ? "must be a classic address (r…); X-addresses are not accepted"
      : "must be a valid classic XRPL address (r…)"

/** Set by the service or by HTTP itself on every delivery. */
const ownHeaders = new Set([
  "host",
  "content-type",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer"
])
const OWN_PREFIX = "x-service-"

/** What answers show in the place of a header's value: values are often secrets. */
export const HIDDEN_VALUE = "***"

/** What is wrong with the headers a webhook wants to add; undefined when nothing is. */
export const headersProblem = (headers: Readonly<Record<string, string>>): string | undefined => {
  const names = Object.keys(headers)
  if (names.length > webhookBounds.webhookHeaders) {
    return `must hold at most ${webhookBounds.webhookHeaders} headers`
  }
  const seen = new Set<string>()
  for (const name of names) {
    const lower = name.toLowerCase()
    if (name.length > webhookBounds.webhookHeaderNameLength || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      return `must have HTTP header names of at most ${webhookBounds.webhookHeaderNameLength} characters`
    }
    if (ownHeaders.has(lower) || lower.startsWith(OWN_PREFIX)) {
      return `must not hold ${name}: the service sets it itself`
    }
    if (seen.has(lower)) return `must hold ${name} once; upper and lower case are the same header`
    seen.add(lower)
    const value = headers[name]!
    if (value === HIDDEN_VALUE) {
      return `must not hold ${HIDDEN_VALUE} in ${name}: values are not shown again, so give the value itself`
    }
    if (value.length > webhookBounds.webhookHeaderLength || !/^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(value)) {
      return `must have in ${name} a value of at most ${webhookBounds.webhookHeaderLength} visible ASCII characters`
    }
  }
  return undefined
}
