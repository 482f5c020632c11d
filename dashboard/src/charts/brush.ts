/** A period chosen on a chart of bars, in whole bars. Pure. */

/** The chart: `count` bars of `pointMs` from `start`, in Unix milliseconds. */
export interface Bars {
  readonly start: number
  readonly pointMs: number
  readonly count: number
}

/** Edges of bars: 0 is the left one of the first bar. `from` is less than `to`. */
export interface Edges {
  readonly from: number
  readonly to: number
}

/** Unix milliseconds. Undefined: without an end. */
export interface Times {
  readonly since: number | undefined
  readonly until: number | undefined
}

const within = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

/** All bars from one to another, in any order. */
export const barsBetween = (one: number, other: number, { count }: Bars): Edges => ({
  from: within(Math.min(one, other), 0, count - 1),
  to: within(Math.max(one, other) + 1, 1, count)
})

/** The edges next to the times. Undefined if nothing is chosen, or nothing that the chart shows. */
export const edgesOf = ({ since, until }: Times, { count, pointMs, start }: Bars): Edges | undefined => {
  if (since === undefined && until === undefined) return undefined
  const edge = (at: number) => Math.round((at - start) / pointMs)
  const from = since === undefined ? 0 : within(edge(since), 0, count)
  const to = until === undefined ? count : within(edge(until), 0, count)
  return from < to ? { from, to } : undefined
}

/** Moves one edge by some bars; at least one bar stays chosen. */
export const moved = ({ from, to }: Edges, which: keyof Edges, by: number, { count }: Bars): Edges =>
  which === "from"
    ? { from: within(from + by, 0, to - 1), to }
    : { from, to: within(to + by, from + 1, count) }

/** Everything is no choice. Up to the last bar is without an end, so that what happens next belongs to it. */
export const timesOf = ({ from, to }: Edges, { count, pointMs, start }: Bars): Times => ({
  since: from === 0 && to === count ? undefined : start + from * pointMs,
  until: to === count ? undefined : start + to * pointMs
})
