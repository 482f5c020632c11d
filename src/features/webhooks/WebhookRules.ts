/**
 * Checks of the fields that a customer sets in a webhook. A check returns what is wrong, as the end of a sentence that
 * begins with the field's name. EndpointUrl.ts checks the URL. Pure.
 */
import { HIDDEN_VALUE } from "../../spine/domain/RequestHeaders.ts"
import { webhookBounds } from "./Limits.ts"

/** By what lists of webhooks are sorted. The first is the default. */
export const webhookOrders = ["created_at", "health"] as const
export type WebhookOrder = (typeof webhookOrders)[number]

/** A text by which webhooks are searched. It counts code points, not UTF-16 units. */
export const searchProblem = (text: string): string | undefined =>
  text === "" || [...text].length > webhookBounds.searchLength
    ? `must have 1 to ${webhookBounds.searchLength} characters`
    : undefined

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
