/** How much was counted in the last `windowMs`: two fixed windows that approximate a sliding one. */
export interface SlidingCount {
  readonly add: (count: number, nowMs: number) => void
  /**
   * The previous window counts in proportion to the part of it that is within `windowMs`, as if its items were spread
   * evenly.
   */
  readonly recent: (nowMs: number) => number
}

export const makeSlidingCount = (windowMs: number): SlidingCount => {
  let window = 0
  let before = 0
  let current = 0
  const slideTo = (nowMs: number) => {
    const now = Math.floor(nowMs / windowMs)
    if (now === window) return
    before = now === window + 1 ? current : 0
    current = 0
    window = now
  }
  return {
    add: (count, nowMs) => {
      slideTo(nowMs)
      current += count
    },
    recent: (nowMs) => {
      slideTo(nowMs)
      return current + before * (1 - (nowMs % windowMs) / windowMs)
    }
  }
}
