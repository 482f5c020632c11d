/** Axes: round steps for values, whole hours or days for times. Pure. */

/** The smallest of 1, 2, 5, 10, 20, 50, … that divides `most` into at most `steps` parts. */
export const roundStep = (most: number, steps: number): number => {
  const least = Math.max(most / steps, 1)
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least
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
