/** Axes: round steps for values, whole hours or days for times. Pure. */

/** The smallest of 1, 2, 5, 10, 20, 50, … that divides `most` into at most `steps` parts. */
export const roundStep = (most: number, steps: number): number => {
  const least = Math.max(most / steps, 1)
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least
}

/** The least part of a mirrored axis on either side of its line, so that the scale does not jump at the first failure. */
const LEAST_SIDE = 0.15

/** An axis with values above a line (at most `up`) and below it (at most `down`), on one scale. */
export const mirroredAxis = (up: number, down: number) => {
  const most = Math.max(up, down, 1)
  const step = roundStep(most, 3)
  const marks = (until: number) =>
    Array.from({ length: Math.floor(until / step) }, (_, at) => (at + 1) * step)
  return {
    above: Math.max(up, most * LEAST_SIDE),
    below: Math.max(down, most * LEAST_SIDE),
    /** The values with a mark; those below the line are negative. */
    marks: [0, ...marks(up), ...marks(down).map((value) => -value)]
  }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const timeSteps = [
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  5 * DAY,
  7 * DAY
]

export interface TimeMark {
  readonly at: number
  /** Whether it is the start of a day in the viewer's zone, or the axis has days only. */
  readonly isDay: boolean
}

/** Marks at whole hours or days of the viewer's zone, at most `most`. */
export const timeMarks = (from: number, to: number, most: number): ReadonlyArray<TimeMark> => {
  const step = timeSteps.find((one) => (to - from) / one <= most) ?? 30 * DAY
  const zone = new Date(from).getTimezoneOffset() * MINUTE
  const marks: Array<TimeMark> = []
  for (let at = Math.ceil((from - zone) / step) * step + zone; at <= to; at += step)
    marks.push({ at, isDay: step >= DAY || (at - zone) % DAY === 0 })
  return marks
}
