/**
 * Limits repeated log messages. The first is written at once, then one for each window. Each says how many were left
 * out since the one before.
 */

interface Window {
  readonly from: number
  leftOut: number
}

export interface RepeatFilterLimits {
  readonly windowMs: number
  /** How many different messages are remembered. When there are more, all are forgotten. */
  readonly messages: number
}

/** For each message: how many equal ones were left out since the last one written, or undefined to leave it out. */
export const makeRepeatFilter = ({ windowMs, messages }: RepeatFilterLimits) => {
  const windows = new Map<string, Window>()
  return (message: string, nowMs: number): number | undefined => {
    const last = windows.get(message)
    // If the clock was set back, a new window begins.
    if (last !== undefined && nowMs >= last.from && nowMs < last.from + windowMs) {
      last.leftOut++
      return undefined
    }
    if (windows.size >= messages) windows.clear()
    windows.set(message, { from: nowMs, leftOut: 0 })
    return last?.leftOut ?? 0
  }
}
