/**
 * Offsets of one partition finish out of order; what may be committed is the highest one below which all are done.
 * Pure bookkeeping: bounded by StageLimits.partitionOpenRecords, and what is taken while one attempt is under way.
 */
export interface Watermark {
  /** Offsets must be added in growing order. */
  readonly add: (offset: number) => void
  readonly done: (offset: number) => void
  /** The next offset to read after a restart: everything before it is done. */
  readonly committable: () => number
}

export const makeWatermark = (start: number): Watermark => {
  /** Offsets not yet passed, oldest first, from index `head` on. */
  let offsets: Array<number> = []
  let head = 0
  const finished = new Set<number>()
  let committable = start

  return {
    add: (offset) => void offsets.push(offset),
    done: (offset) => {
      finished.add(offset)
      while (head < offsets.length && finished.delete(offsets[head]!)) committable = offsets[head++]! + 1
      // Passed offsets are cut off in large pieces: cutting one by one would cost a copy each.
      if (head > 1_024) {
        offsets = offsets.slice(head)
        head = 0
      }
    },
    committable: () => committable
  }
}
