/**
 * A key has two rate windows, the minute and the UTC day. A response reports the one with fewer requests left; if both
 * have the same number, the day. Pure.
 */
import type { Admission, WindowUse } from "../storage/accounts/KeyAdmission.ts"

export interface RateStanding {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetMs: number
}

/** `index` is the request's place, from 0, among the requests that were counted in one statement. */
export const rateStandingOf = ({ admitted, minute, day }: Admission, index: number): RateStanding => {
  const counted = Math.min(index + 1, admitted)
  const left = ({ limit, usedBefore }: WindowUse) => Math.max(0, limit - usedBefore - counted)
  const window = left(minute) < left(day) ? minute : day
  return {
    admitted: index < admitted,
    limit: window.limit,
    remaining: left(window),
    resetMs: window.endsMs
  }
}

export const rateHeaders = ({ limit, remaining, resetMs }: RateStanding) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(resetMs / 1_000)
})

/** Whole seconds, rounded up, so that the window is over after the wait. */
export const retryAfterSeconds = ({ resetMs }: RateStanding, nowMs: number): number =>
  Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))
