/** Whether a series of samples grows: its slope after the warm-up, and what that means in words. */

export interface Sample {
  /** Minutes since the load began. */
  readonly minute: number
  readonly value: number
}

/** The first part of a run, in which caches fill and tables get their first rows. */
const WARM_UP = 0.25
/** A change over the run is noise if it is smaller than this part of the median, or than the quartiles' distance. */
const FLAT = 0.1

export const afterWarmUp = (samples: ReadonlyArray<Sample>): ReadonlyArray<Sample> =>
  samples.slice(Math.floor(samples.length * WARM_UP))

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

export interface Slope {
  readonly perHour: number
  readonly verdict: "flat" | "growing" | "shrinking"
}

/** Theil and Sen's: the median of the slopes of all pairs, which single peaks do not move. */
export const slopeOf = (all: ReadonlyArray<Sample>): Slope => {
  const samples = afterWarmUp(all)
  const slopes = samples.flatMap((a, i) =>
    samples.slice(i + 1).map((b) => (b.value - a.value) / (b.minute - a.minute))
  )
  const perMinute = quantile(slopes, 0.5)
  const change = perMinute * ((samples.at(-1)?.minute ?? 0) - (samples[0]?.minute ?? 0))
  const values = samples.map(({ value }) => value)
  // Without the trend, which would count as noise otherwise.
  const rest = samples.map(({ minute, value }) => value - perMinute * minute)
  const noise = Math.max(FLAT * Math.abs(quantile(values, 0.5)), quantile(rest, 0.75) - quantile(rest, 0.25))
  const small = Math.abs(change) <= noise
  return { perHour: perMinute * 60, verdict: small ? "flat" : change > 0 ? "growing" : "shrinking" }
}
