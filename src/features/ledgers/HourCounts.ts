/**
 * Counts ledgers by the hour in which they closed: taken ones, and those that are missing between two ranges. Nobody
 * knows when a missing ledger closed, so a gap's ledgers are spread evenly over its time. Ranges may overlap if ingest
 * was started again at an earlier ledger; a ledger counts once. Pure.
 */

export const HOUR_MS = 3_600_000

/** A ledger and when it closed, in Unix milliseconds. */
export interface ClosedLedger {
  readonly index: number
  readonly at: number
}

/** Ledgers without a gap. */
export interface TakenRange {
  readonly first: ClosedLedger
  readonly last: ClosedLedger
  /** Simulated ledgers are a chain of their own. */
  readonly simulated: boolean
  /** The first ledger that closed at or after a whole hour. It is asked only for hours within the range. */
  readonly firstFrom: (hourMs: number) => number
}

export interface HourCount {
  readonly ledgers: number
  readonly missing: number
}

export const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) * HOUR_MS

/** The first ledger that closed at or after a time between two ledgers, if those between them closed at one pace. */
export const evenly =
  (from: ClosedLedger, to: ClosedLedger) =>
  (atMs: number): number =>
    from.index + Math.ceil(((atMs - from.at) * (to.index - from.index)) / (to.at - from.at))

/** The number of ledgers from `from` to `to` that closed in each hour. `firstFrom` is as in `TakenRange`. */
const byHour = (
  from: ClosedLedger,
  to: ClosedLedger,
  firstFrom: (hourMs: number) => number
): ReadonlyArray<readonly [hourMs: number, ledgers: number]> => {
  const found: Array<readonly [number, number]> = []
  const last = hourOf(to.at)
  let index = from.index
  for (let hour = hourOf(from.at); hour <= last; hour += HOUR_MS) {
    const end =
      hour === last ? to.index + 1 : Math.min(Math.max(firstFrom(hour + HOUR_MS), index), to.index + 1)
    if (end > index) found.push([hour, end - index])
    index = end
  }
  return found
}

/** The counts of each hour that has a ledger or lacks one. */
export const countByHour = (ranges: ReadonlyArray<TakenRange>): ReadonlyMap<number, HourCount> => {
  const counts = new Map<number, HourCount>()
  const add = (what: keyof HourCount, hours: ReturnType<typeof byHour>) => {
    for (const [hour, some] of hours) {
      const { ledgers, missing } = counts.get(hour) ?? { ledgers: 0, missing: 0 }
      counts.set(
        hour,
        what === "ledgers" ? { ledgers: ledgers + some, missing } : { ledgers, missing: missing + some }
      )
    }
  }
  for (const simulated of [false, true]) {
    let end: ClosedLedger | undefined
    const chain = ranges.filter((range) => range.simulated === simulated)
    for (const { first, firstFrom, last } of chain.toSorted((a, b) => a.first.at - b.first.at)) {
      const overlaps = end !== undefined && first.at <= end.at
      if (overlaps && last.index <= end!.index) continue
      // A network that was reset starts again with a lower index: that is no gap.
      if (end !== undefined && !overlaps && first.index > end.index + 1)
        add(
          "missing",
          byHour(
            { index: end.index + 1, at: end.at },
            { index: first.index - 1, at: first.at },
            evenly(end, first)
          )
        )
      const from = overlaps
        ? { index: Math.max(first.index, end!.index + 1), at: Math.max(first.at, end!.at) }
        : first
      add("ledgers", byHour(from, last, firstFrom))
      end = last
    }
  }
  return counts
}
