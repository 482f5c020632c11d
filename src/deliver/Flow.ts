/** How much went by in the last `windowMs`, as a sliding window of two counts. Pure but for its own counts. */
export interface Flow {
  readonly add: (count: number, nowMs: number) => void
  /** Of the count before, the part of it that the window still holds, as if it had come evenly. */
  readonly recent: (nowMs: number) => number
}

export const makeFlow = (windowMs: number): Flow => {
  let window = 0
  let before = 0
  let current = 0
  const turn = (nowMs: number) => {
    const now = Math.floor(nowMs / windowMs)
    if (now === window) return
    before = now === window + 1 ? current : 0
    current = 0
    window = now
  }
  return {
    add: (count, nowMs) => {
      turn(nowMs)
      current += count
    },
    recent: (nowMs) => {
      turn(nowMs)
      return current + before * (1 - (nowMs % windowMs) / windowMs)
    }
  }
}
