/**
 * Tracks which offset of one partition may be committed: the highest one below which all work is finished, although
 * work finishes out of order. It has no limit of its own: what is queued for longer than `DeliverLimits.rowAfterMs` counts
 * as finished, because its row is in the backlog.
 */
export interface Watermark {
  /** Offsets must be added in ascending order. */
  readonly add: (offset: number) => void
  readonly done: (offset: number) => void
  /** The next offset to read after a restart. Every offset below it is done. */
  readonly committable: () => number
}

export const makeWatermark = (start: number): Watermark => {
  /** From index `head` on: offsets at or above `committable`, ascending. */
  let offsets: Array<number> = []
  let head = 0
  const finished = new Set<number>()
  let committable = start

  return {
    add: (offset) => void offsets.push(offset),
    done: (offset) => {
      finished.add(offset)
      while (head < offsets.length && finished.delete(offsets[head]!)) committable = offsets[head++]! + 1
      // Finished offsets are cut off in large pieces: each cut copies the rest.
      if (head > 1_024) {
        offsets = offsets.slice(head)
        head = 0
      }
    },
    committable: () => committable
  }
}
