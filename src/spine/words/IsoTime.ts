/** Parses and writes ISO 8601 date-times with an offset. No other form is accepted. */

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/

const daysOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

/**
 * Unix milliseconds, with a fraction where the text has one; undefined if the text is not valid. A space before the
 * offset counts as `+`, which is what an unescaped plus sign in a query string becomes.
 */
export const parseIsoTime = (given: string): number | undefined => {
  const text = given.replace(/ (?=\d{2}:?\d{2}$)/, "+")
  const match = FORM.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = "00", fraction = ""] = match
  const valid =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysOf(Number(year), Number(month)) &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59
  if (!valid) return undefined
  const offset = text.endsWith("Z") ? "Z" : text.slice(-6).replace(/^.?([+-]\d{2}):?(\d{2})$/, "$1:$2")
  const whole = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  return whole + Number(`0.${fraction || "0"}`) * 1_000
}

/** A time in a response: UTC with milliseconds. The input is a column's value or Unix milliseconds. */
export const iso = (moment: string | number): string => new Date(moment).toISOString()

/** `2026-11-21`: the UTC day of a moment. */
export const dateOf = (unixMs: number): string => iso(unixMs).slice(0, 10)
