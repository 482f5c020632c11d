/**
 * Limits and checks of the fields that a customer sets in a webhook. A check returns what is wrong, as the end of a
 * sentence that begins with the field's name. EndpointUrl.ts checks the URL. Pure.
 */
import { isAddress } from "./AccountId.ts"
import { type EventType, eventTypes, expandPattern } from "./EventType.ts"

/** By what lists of webhooks are sorted. The first is the default. */
export const webhookOrders = ["created_at", "health"] as const
export type WebhookOrder = (typeof webhookOrders)[number]

export const webhookBounds = {
  /** Addresses in the account filters of one webhook. */
  accountFilters: 10_000,
  /** Addresses that one request may add and remove: 40 KB, and a few milliseconds of the database. */
  changedAccountFilters: 1_000,
  /** Account filters of each webhook that a list of webhooks shows. */
  listedAccountFilters: 100,
  /** Characters of an endpoint's URL. */
  urlLength: 2_048,
  /** Characters of a webhook's description. */
  descriptionLength: 500,
  /** Characters of a text by which webhooks are searched. Ids and most names are shorter. */
  searchLength: 200,
  /** Headers that a webhook may add, and the length of each name and value: a value may be a JWT. */
  webhookHeaders: 20,
  webhookHeaderNameLength: 128,
  webhookHeaderLength: 4_096,
  /**
   * Characters of their names and values together. Many servers take 8 KB of headers in all. Those that the service and
   * HTTP add can have 1.6 KB.
   */
  webhookHeadersLength: 6_144,
  /** Characters of a secret that the customer chooses. */
  secretLength: { minimum: 16, maximum: 128 },
  /** Longest time in seconds for which the old secret signs too: a day, to install the new one in all receivers. */
  graceSeconds: 86_400,
  /** `max_in_flight` of a webhook: the largest value, and the default. */
  maxInFlight: 256,
  defaultInFlight: 16,
  /** `batch` of a webhook: how many events, and how long the first of them waits for others. */
  batchEvents: { minimum: 2, maximum: 500 },
  batchWaitMs: 5_000,
  /** Newest events that a preview examines: the largest number, and the default; and how many matches it names. */
  previewEvents: 10_000,
  defaultPreviewEvents: 1_000,
  previewSamples: 5,
  /** A preview of the last day: events whose payloads it examines, bars of its chart, and matches it shows. */
  previewCandidates: 5_000,
  previewParts: 48,
  previewDaySamples: 3,
  /** Largest `max_per_second` of a webhook. */
  maxPerSecond: 10_000
} as const

/** Every type that matches a pattern, in the order of `eventTypes`. A body has room for a pattern 200,000 times. */
export const expandPatterns = (patterns: ReadonlyArray<string>): ReadonlyArray<EventType> => {
  const wanted = new Set([...new Set(patterns)].flatMap(expandPattern))
  return eventTypes.filter((type) => wanted.has(type))
}

const families = new Set(eventTypes.map((type) => `${type.split(".", 1)[0]}.*`))

/** Everything, the families and the types. */
export const eventPatterns: ReadonlyArray<string> = ["*", ...families, ...eventTypes]

const allPatterns = new Set(eventPatterns)

export const isEventPattern = (pattern: string): boolean => allPatterns.has(pattern)

/** The patterns of webhooks that get an event which `pattern` matches: of its types, of their families, `*`. */
export const patternsMeeting = (pattern: string): ReadonlyArray<string> => [
  ...new Set(expandPattern(pattern).flatMap((type) => [type, `${type.split(".", 1)[0]}.*`, "*"]))
]

/** A text by which webhooks are searched. It counts code points, not UTF-16 units. */
export const searchProblem = (text: string): string | undefined =>
  text === "" || [...text].length > webhookBounds.searchLength
    ? `must have 1 to ${webhookBounds.searchLength} characters`
    : undefined

/** Undefined if `address` is a classic address with a valid checksum. */
export const addressProblem = (address: string): string | undefined =>
  isAddress(address)
    ? undefined
    : /^[XT][1-9A-HJ-NP-Za-km-z]{46}$/.test(address)
      ? "must be a classic address (r…); X-addresses are not accepted"
      : "must be a valid classic XRPL address (r…)"

/** Every secret of a webhook has these characters only. */
export const SECRET_CHARACTERS = /^[!-~]+$/

/** Headers that the service or HTTP itself sets on every delivery. */
const ownHeaders = new Set([
  "host",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer"
])
const OWN_PREFIXES = ["x-service-", "webhook-", "ce-"]

/** The API shows this instead of a header's value, because values are often secrets. */
export const HIDDEN_VALUE = "***"

export const headersProblem = (headers: Readonly<Record<string, string>>): string | undefined => {
  const names = Object.keys(headers)
  if (names.length > webhookBounds.webhookHeaders) {
    return `must contain at most ${webhookBounds.webhookHeaders} headers`
  }
  const seen = new Set<string>()
  let length = 0
  for (const name of names) {
    const lower = name.toLowerCase()
    if (name.length > webhookBounds.webhookHeaderNameLength || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      return `must have HTTP header names of at most ${webhookBounds.webhookHeaderNameLength} characters`
    }
    if (ownHeaders.has(lower) || OWN_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
      return `must not contain ${name}: the service sets it itself`
    }
    if (seen.has(lower)) return `must contain ${name} only once; header names ignore upper and lower case`
    seen.add(lower)
    const value = headers[name]!
    if (value === HIDDEN_VALUE) {
      return `must not contain ${HIDDEN_VALUE} in ${name}: this is only a placeholder; give the value itself`
    }
    if (value.length > webhookBounds.webhookHeaderLength || !/^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(value)) {
      return `must have a value of at most ${webhookBounds.webhookHeaderLength} visible ASCII characters in ${name}`
    }
    length += name.length + value.length
  }
  return length > webhookBounds.webhookHeadersLength
    ? `must have at most ${webhookBounds.webhookHeadersLength} characters in all names and values together`
    : undefined
}
