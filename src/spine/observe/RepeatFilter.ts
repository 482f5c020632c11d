/**
 * Limits repeated log messages. The first is written at once. Then there is at most one line in each window, which
 * says how many were left out: with the next message, or from `summaries` if none comes.
 */

interface Window<A> {
  from: number
  leftOut: number
  /** The newest message that was left out, or the one that was written. */
  last: A
}

export interface RepeatFilterLimits {
  readonly windowMs: number
  /** How many different messages are remembered. When there are more, all are forgotten. */
  readonly messages: number
}

export interface RepeatFilter<A> {
  /** How many equal messages were left out since the last one written, or undefined to leave this one out. */
  readonly add: (kind: string, message: A, nowMs: number) => number | undefined
  /** The messages whose window has ended with some left out. A new window begins for each of them. */
  readonly summaries: (nowMs: number) => ReadonlyArray<{ readonly message: A; readonly leftOut: number }>
}

export const makeRepeatFilter = <A>({ windowMs, messages }: RepeatFilterLimits): RepeatFilter<A> => {
  const windows = new Map<string, Window<A>>()
  // If the clock was set back, a new window begins.
  const isOpen = ({ from }: Window<A>, nowMs: number) => nowMs >= from && nowMs < from + windowMs
  return {
    add: (kind, message, nowMs) => {
      const known = windows.get(kind)
      if (known !== undefined && isOpen(known, nowMs)) {
        known.leftOut++
        known.last = message
        return undefined
      }
      if (windows.size >= messages) windows.clear()
      windows.set(kind, { from: nowMs, leftOut: 0, last: message })
      return known?.leftOut ?? 0
    },
    summaries: (nowMs) => {
      const ended = [...windows].filter(([, window]) => !isOpen(window, nowMs))
      return ended.flatMap(([kind, window]) => {
        const { leftOut, last } = window
        if (leftOut === 0) {
          windows.delete(kind)
          return []
        }
        windows.set(kind, { from: nowMs, leftOut: 0, last })
        return [{ message: last, leftOut }]
      })
    }
  }
}
