/**
 * Moments as responses write them: ISO 8601, UTC, milliseconds. A page has forty of them, mostly of one day: the text of
 * the last day is kept, which takes a fifth of the time of `toISOString`.
 */
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** `09:30:00.000Z`. */
const TIME_CHARS = 13

const padded = (count: number, digits: number, end: string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) => `${String(n).padStart(digits, "0")}${end}`)
const hours = padded(24, 2, ":")
const minutes = padded(60, 2, ":")
/** Of a day. Few pieces make a text sooner than many. */
const clock = hours.flatMap((hour) => minutes.map((minute) => `${hour}${minute}`))
const seconds = padded(60, 2, ".")
const milliseconds = padded(1_000, 3, "Z")

let lastDay = Number.NaN
let lastDate = ""

/** From a column's value or from Unix milliseconds. */
export const iso = (moment: string | number): string => {
  const unixMs = Math.trunc(typeof moment === "number" ? moment : new Date(moment).getTime())
  const day = Math.floor(unixMs / DAY_MS)
  if (day !== lastDay) {
    lastDate = new Date(unixMs).toISOString().slice(0, -TIME_CHARS)
    lastDay = day
  }
  const ms = unixMs - day * DAY_MS
  const minute = Math.floor(ms / MINUTE_MS)
  const msOfMinute = ms - minute * MINUTE_MS
  const second = Math.floor(msOfMinute / 1_000)
  return `${lastDate}${clock[minute]}${seconds[second]}${milliseconds[msOfMinute - second * 1_000]}`
}
