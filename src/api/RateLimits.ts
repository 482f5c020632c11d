/**
 * What a request's answer says of its key's two rate windows: of the one with fewer requests left, or, of equals, of the
 * one that lasts longer. Pure.
 */
import type { Admission, WindowUse } from "../storage/accounts/KeyAdmission.ts"

export interface RateStanding {
  readonly admitted: boolean
  readonly limit: number
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetMs: number
}

/** Of request number `index`, from 0, of those that were counted together. */
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

/** Whole seconds, rounded up: who waits as long finds a new window. */
export const retryAfterSeconds = ({ resetMs }: RateStanding, nowMs: number): number =>
  Math.max(1, Math.ceil((resetMs - nowMs) / 1_000))
