/** Whether a backlog grows or shrinks, and when it will be gone, from samples of how much waits. Pure. */
import { Limits } from "../../../spine/config/Limits.ts"

/** Samples of a stage's backlog: 5 minutes of reports. */
export const SAMPLES = 300_000 / Limits.reportMs

export interface Sample {
  /** Milliseconds of the monotonic clock. */
  readonly atMs: number
  readonly waiting: number
}

/**
 * `unknown`: the samples cover less than a minute. `none`: nothing waited at some moment of the last minute, so there is
 * no backlog. `stuck`: nothing changed for a minute.
 */
export type Trend =
  | { readonly kind: "unknown" | "none" | "stuck" }
  | { readonly kind: "growing"; readonly perSecond: number }
  | { readonly kind: "shrinking"; readonly leftS: number }

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** Adds the newest sample, and drops the oldest if there are too many. */
export const addSample = (samples: ReadonlyArray<Sample>, sample: Sample): ReadonlyArray<Sample> => [
  ...samples.slice(1 - SAMPLES),
  sample
]

/** `samples`: the oldest first. */
export const trendOf = (samples: ReadonlyArray<Sample>): Trend => {
  const newest = samples.at(-1)
  const oldest = samples[0]
  if (newest === undefined || oldest === undefined) return { kind: "unknown" }
  const isOfLastMinute = ({ atMs }: Sample) => newest.atMs - atMs <= MINUTE_MS
  const recent = samples.filter(isOfLastMinute)
  if (recent.some(({ waiting }) => waiting === 0)) return { kind: "none" }
  if (newest.atMs - oldest.atMs < MINUTE_MS) return { kind: "unknown" }
  if (recent.every(({ waiting }) => waiting === newest.waiting)) return { kind: "stuck" }
  const perSecond = ((newest.waiting - oldest.waiting) * SECOND_MS) / (newest.atMs - oldest.atMs)
  return perSecond < 0
    ? { kind: "shrinking", leftS: Math.ceil(newest.waiting / -perSecond) }
    : { kind: "growing", perSecond }
}
