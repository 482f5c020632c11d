/** `max_per_second` as a token bucket that holds one second's worth. Pure but for its own count. */
export interface TokenBucket {
  /** 0 when there is a token, else the milliseconds until there is. */
  readonly waitMs: (maxPerSecond: number | null, nowMs: number) => number
  /** Takes the token that there is. */
  readonly take: () => void
}

export const makeTokenBucket = (): TokenBucket => {
  let tokens = Number.POSITIVE_INFINITY
  let filledAt = 0
  return {
    waitMs: (maxPerSecond, nowMs) => {
      if (maxPerSecond === null) {
        tokens = Number.POSITIVE_INFINITY
        return 0
      }
      // A clock that jumps back gives no tokens, one that jumps ahead no more than a bucketful.
      const gained = (Math.max(0, nowMs - filledAt) / 1_000) * maxPerSecond
      tokens = Math.min(maxPerSecond, tokens + gained)
      filledAt = nowMs
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) / maxPerSecond) * 1_000))
    },
    take: () => {
      tokens -= 1
    }
  }
}
