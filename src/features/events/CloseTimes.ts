/** Ranges of close times for queries on the event index. Ledgers close at whole seconds. Pure. */

/** Unix seconds. `before` is excluded. If there is no time between them, both are equal. */
export interface CloseTimes {
  readonly from: number
  readonly before: number
}

/** The ledger's clock counts seconds since 2000 in 32 bits, so it ends in 2136. */
const END_OF_TIME = 946_684_800 + 2 ** 32

const withinClock = (unixSeconds: number): number => Math.min(END_OF_TIME, Math.max(0, unixSeconds))

const ordered = (from: number, before: number): CloseTimes => ({ from, before: Math.max(from, before) })

/** The seconds after `since` and before `until`, which are Unix milliseconds, possibly with a fraction. */
export const secondsBetween = (since: number | undefined, until: number | undefined): CloseTimes =>
  ordered(
    since === undefined ? 0 : withinClock(Math.floor(since / 1_000) + 1),
    until === undefined ? END_OF_TIME : withinClock(Math.ceil(until / 1_000))
  )

/** The seconds that are in both. */
export const overlap = (one: CloseTimes, other: CloseTimes): CloseTimes =>
  ordered(Math.max(one.from, other.from), Math.min(one.before, other.before))

export const timeOf = (unixSeconds: number): string => new Date(unixSeconds * 1_000).toISOString()
