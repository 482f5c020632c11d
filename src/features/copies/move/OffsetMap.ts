/**
 * Where the records of a topic are in the other log: as runs of records whose offsets are consecutive in both logs.
 * Offsets differ because retention has dropped the first records and because Kafka's transaction markers take offsets.
 * Pure.
 */

/** The records at `source`, `source` + 1, … are at `target`, `target` + 1, … */
export interface Run {
  readonly source: number
  readonly target: number
  readonly records: number
}

export interface Ends {
  readonly start: number
  readonly end: number
}

/** Far below every offset. The differences of two such numbers are still exact. */
const LOWEST = -(2 ** 51)

export interface OffsetMap {
  /** Ascending. The first and the last run have no records: they map offsets before and after all records. */
  readonly runs: ReadonlyArray<Run>
  /** The place of the record at this offset, or of the next record if there is none. */
  readonly next: (offset: number) => number
}

export const makeOffsetMap = (source: Ends, target: Ends) => {
  const runs: Array<Run> = []
  const add = (from: number, to: number) => {
    const last = runs.at(-1)
    if (last !== undefined && from === last.source + last.records && to === last.target + last.records)
      runs[runs.length - 1] = { ...last, records: last.records + 1 }
    else runs.push({ source: from, target: to, records: 1 })
  }
  const finish = (): OffsetMap => {
    const first = runs[0] ?? { source: source.end, target: target.end }
    const all: ReadonlyArray<Run> = [
      { source: LOWEST, target: first.target - (first.source - LOWEST), records: first.source - LOWEST },
      ...runs,
      { source: source.end, target: target.end, records: -LOWEST }
    ]
    const next = (offset: number): number => {
      let low = 0
      let high = all.length - 1
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        if (all[middle]!.source <= offset) low = middle
        else high = middle - 1
      }
      const run = all[low]!
      return offset < run.source + run.records ? run.target + (offset - run.source) : all[low + 1]!.target
    }
    return { runs: all, next }
  }
  return { add, finish }
}
