/**
 * `max_per_second` as a token bucket whose capacity is the tokens of one second. `nowMs` is of the monotonic clock.
 */
export interface TokenBucket {
  /** Milliseconds until there is a token; 0 if there is one. */
  readonly waitMs: (maxPerSecond: number | null, nowMs: number) => number
  /** Takes a token. Call it only after `waitMs` was 0; the time since then adds tokens too. */
  readonly take: (maxPerSecond: number | null, nowMs: number) => void
}

export const makeTokenBucket = (): TokenBucket => {
  let tokens = Number.POSITIVE_INFINITY
  let filledAt = 0
  const fill = (maxPerSecond: number, nowMs: number) => {
    tokens = Math.min(maxPerSecond, tokens + ((nowMs - filledAt) / 1_000) * maxPerSecond)
    filledAt = nowMs
  }
  return {
    waitMs: (maxPerSecond, nowMs) => {
      if (maxPerSecond === null) {
        tokens = Number.POSITIVE_INFINITY
        return 0
      }
      fill(maxPerSecond, nowMs)
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) / maxPerSecond) * 1_000))
    },
    take: (maxPerSecond, nowMs) => {
      if (maxPerSecond !== null) fill(maxPerSecond, nowMs)
      tokens -= 1
    }
  }
}
