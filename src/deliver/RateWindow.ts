/** `max_per_second` as a token bucket that holds one second's worth. Pure but for its own count. */
export interface RateWindow {
  /** Takes a token: 0 when there was one, else the milliseconds until there is. */
  readonly take: (maxPerSecond: number | null, nowMs: number) => number
  /** The token was not used. */
  readonly giveBack: () => void
}

export const makeRateWindow = (): RateWindow => {
  let tokens = Number.POSITIVE_INFINITY
  let filledAt = 0
  return {
    take: (maxPerSecond, nowMs) => {
      if (maxPerSecond === null) {
        tokens = Number.POSITIVE_INFINITY
        return 0
      }
      // A clock that jumps back gives no tokens, one that jumps ahead no more than a bucketful.
      const gained = (Math.max(0, nowMs - filledAt) / 1_000) * maxPerSecond
      tokens = Math.min(maxPerSecond, tokens + gained)
      filledAt = nowMs
      if (tokens >= 1) {
        tokens -= 1
        return 0
      }
      return Math.max(1, Math.ceil(((1 - tokens) / maxPerSecond) * 1_000))
    },
    giveBack: () => {
      tokens += 1
    }
  }
}
