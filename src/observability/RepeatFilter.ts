/**
 * Messages that are repeated while something is away: the first is written at once, and then one in each window, with the
 * number of those left out since the one before.
 */

interface Window {
  readonly from: number
  leftOut: number
}

export interface RepeatFilterLimits {
  readonly windowMs: number
  /** Different messages remembered. */
  readonly messages: number
}

/** Told of a message: how many like it were left out before it, or undefined when it is left out, too. */
export const makeRepeatFilter = ({ windowMs, messages }: RepeatFilterLimits) => {
  const windows = new Map<string, Window>()
  return (message: string, nowMs: number): number | undefined => {
    const last = windows.get(message)
    // A clock that was set back begins a new window.
    if (last !== undefined && nowMs >= last.from && nowMs < last.from + windowMs) {
      last.leftOut++
      return undefined
    }
    if (windows.size >= messages) windows.clear()
    windows.set(message, { from: nowMs, leftOut: 0 })
    return last?.leftOut ?? 0
  }
}
