/** Which ledgers an export has covered: chains that link by hash, and the gaps between them. Pure. */
import type { LedgerMarker } from "../../../spine/event/LedgerEvent.ts"

/** Ledgers from `first` to `last`, both included. */
export interface Interval {
  readonly first: number
  readonly last: number
}

/** The parts of `of` that are in none of `taken`, which are in order. */
export const without = (of: Interval, taken: ReadonlyArray<Interval>): ReadonlyArray<Interval> => {
  const left: Array<Interval> = []
  let { first } = of
  for (const one of taken) {
    if (one.last < first || one.first > of.last) continue
    if (one.first > first) left.push({ first, last: one.first - 1 })
    first = one.last + 1
  }
  return first <= of.last ? [...left, { first, last: of.last }] : left
}

/** A chain of ledgers in the manifest: each links by hash to the one before. */
export interface Span {
  readonly first_ledger: number
  readonly last_ledger: number
  /** The hash of the ledger before the first one. */
  readonly parent_hash: string
  readonly last_hash: string
  readonly first_close_time: string
  readonly last_close_time: string
  /** Events of all types. */
  readonly events: number
  /** Present if the ledgers are simulated. */
  readonly simulated?: true
  /** Ledgers of the chain that an operator skipped: their events are missing. */
  readonly skipped?: ReadonlyArray<{ readonly ledger_index: number; readonly reason: string }>
}

export const spanOf = (marker: LedgerMarker): Span => ({
  first_ledger: marker.ledger_index,
  last_ledger: marker.ledger_index,
  parent_hash: marker.parent_hash,
  last_hash: marker.ledger_hash,
  first_close_time: marker.close_time,
  last_close_time: marker.close_time,
  events: marker.event_count,
  ...(marker.simulated === true ? { simulated: true } : {}),
  ...(marker.skipped === undefined
    ? {}
    : { skipped: [{ ledger_index: marker.ledger_index, reason: marker.skipped }] })
})

/** The spans with the next one joined to the last, if it is its child. */
export const joinSpan = (spans: ReadonlyArray<Span>, next: Span): ReadonlyArray<Span> => {
  const last = spans.at(-1)
  const linked =
    last !== undefined &&
    next.first_ledger === last.last_ledger + 1 &&
    next.parent_hash === last.last_hash &&
    next.simulated === last.simulated
  if (!linked) return [...spans, next]
  const { events, last_close_time, last_hash, last_ledger } = next
  const skipped = [...(last.skipped ?? []), ...(next.skipped ?? [])]
  return [
    ...spans.slice(0, -1),
    {
      ...last,
      last_ledger,
      last_hash,
      last_close_time,
      events: last.events + events,
      ...(skipped.length > 0 && { skipped })
    }
  ]
}

export const intervalOf = ({ first_ledger, last_ledger }: Span): Interval => ({
  first: first_ledger,
  last: last_ledger
})

/** Whether every ledger of the interval is in one of the spans. */
export const covers = (spans: ReadonlyArray<Span>, interval: Interval): boolean =>
  without(interval, spans.map(intervalOf)).length === 0

export const coversAll = (spans: ReadonlyArray<Span>, others: ReadonlyArray<Span>): boolean =>
  others.every((other) => covers(spans, intervalOf(other)))

export const ledgersIn = (intervals: ReadonlyArray<Interval>): number =>
  intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Between two spans: ledgers that are not exported, or, with `missing` 0, two chains that do not link. */
export interface Gap {
  readonly after_ledger: number
  readonly before_ledger: number
  readonly missing: number
}

export const gapsOf = (spans: ReadonlyArray<Span>): ReadonlyArray<Gap> =>
  spans.slice(1).map(({ first_ledger }, i) => {
    const after = spans[i]!.last_ledger
    return { after_ledger: after, before_ledger: first_ledger, missing: first_ledger - after - 1 }
  })
