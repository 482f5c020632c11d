/**
 * A key has two rate windows, the minute and the UTC day, and so has its account, for all its keys together. A response
 * reports the one with the fewest requests left. If several have the same number: the key's before the account's, and
 * the day before the minute. Pure.
 */
import type { Admission, WindowUse } from "./KeyAdmission.ts"

export interface RateStanding {
  readonly admitted: boolean
  /** Whose window it is. */
  readonly of: "key" | "account"
  readonly per: "minute" | "day"
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetMs: number
}

/** `index` is the request's place, from 0, among the requests that were counted in one statement. */
export const rateStandingOf = (
  { account, admitted, day, minute }: Admission,
  index: number
): RateStanding => {
  const counted = Math.min(index + 1, admitted)
  const standing = (of: RateStanding["of"], per: RateStanding["per"], window: WindowUse): RateStanding => ({
    admitted: index < admitted,
    of,
    per,
    limit: window.limit,
    remaining: Math.max(0, window.limit - window.usedBefore - counted),
    resetMs: window.endsMs
  })
  return [
    standing("key", "day", day),
    standing("key", "minute", minute),
    standing("account", "day", account.day),
    standing("account", "minute", account.minute)
  ].reduce((fewest, one) => (one.remaining < fewest.remaining ? one : fewest))
}

export const rateHeaders = ({ limit, remaining, resetMs }: RateStanding) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(resetMs / 1_000)
})

/** Whole seconds, rounded up, so that the window is over after the wait. */
export const retryAfterSeconds = ({ resetMs }: RateStanding, nowMs: number): number =>
  Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))

/** The text of a 429: how long to wait, and which limit is reached if it is not the key's own. */
export const rateMessage = ({ limit, of, per }: RateStanding, seconds: number): string => {
  const wait = `Rate limit exceeded. Retry after ${seconds} seconds.`
  return of === "key"
    ? wait
    : `${wait} All keys of this account together may make ${limit} requests a ${per}.`
}
