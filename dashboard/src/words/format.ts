/** Numbers, durations and times as people read them: one locale, 24 hours, the viewer's zone. Pure. */

const LOCALE = "en-GB"

/** Between groups of digits. It does not break; `copyPlainDigits` leaves it out of what is copied. */
export const GROUP = "\u202f"
/** Between a number and its unit. It does not break. */
const UNIT = "\u00a0"

const counts = new Intl.NumberFormat(LOCALE)
const short = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 })

/** 1284 as "1 284". */
export const count = (value: number): string => counts.format(value).replaceAll(",", GROUP)

/** 12,345,678 as "12.3M", for the axes of charts. */
export const shortCount = (value: number): string => (value < 10_000 ? count(value) : short.format(value))

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** The sum of counts by name. */
export const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, some) => sum + some, 0)

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000]
] as const

/** 850 as "850 ms", 95,000 as "1 min 35 s": the two largest units. `whole`: no parts of a second. */
export const duration = (ms: number, whole = false): string => {
  if (ms < 1_000) return whole ? `0${UNIT}s` : `${count(Math.round(ms))}${UNIT}ms`
  const first = units.findIndex(([, size]) => ms >= size)
  const [unit, size] = units[first]!
  const most = Math.floor(ms / size)
  const next = units[first + 1]
  if (next === undefined)
    return !whole && ms < 10_000 ? `${(ms / 1_000).toFixed(1)}${UNIT}s` : `${most}${UNIT}s`
  const rest = Math.floor((ms - most * size) / next[1])
  return rest === 0 ? `${most}${UNIT}${unit}` : `${most}${UNIT}${unit}${UNIT}${rest}${UNIT}${next[0]}`
}

const DAY_MS = 86_400_000

const format = (options: Intl.DateTimeFormatOptions) => {
  const of = new Intl.DateTimeFormat(LOCALE, { hourCycle: "h23", ...options })
  // All months have three letters.
  return (at: number | Date): string => of.format(at).replace("Sept", "Sep")
}
const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const

/** "09:41:12" */
export const clockTime = format(clock)
/** "09:41" */
export const hourMinute = format({ hour: "2-digit", minute: "2-digit" })
/** "19 Nov" */
export const localDay = format({ day: "numeric", month: "short" })
/** "19 Nov": the day in UTC. */
export const utcDay = format({ day: "numeric", month: "short", timeZone: "UTC" })
const dayOfYear = format({ day: "numeric", month: "short", year: "numeric" })
const sameYear = format({ day: "numeric", month: "short", ...clock })
const otherYear = format({ day: "numeric", month: "short", year: "numeric", ...clock })
const exact = format({ weekday: "short", day: "numeric", month: "short", year: "numeric", ...clock })

const zoneName = (style: "short" | "shortOffset"): string =>
  new Intl.DateTimeFormat(LOCALE, { timeZoneName: style })
    .formatToParts(new Date())
    .find(({ type }) => type === "timeZoneName")!.value

/** "CET (UTC+1)", or "UTC". */
export const ZONE = ((): string => {
  const [name, offset] = [zoneName("short"), zoneName("shortOffset").replace("GMT", "UTC")]
  return name === offset || offset === "UTC" ? name.replace("GMT", "UTC") : `${name} (${offset})`
})()

/** "19 Nov, 08:18:40", with the year only if it is not that of `now`. */
export const localTime = (at: Date, now = new Date()): string =>
  (at.getFullYear() === now.getFullYear() ? sameYear : otherYear)(at)

/** "19 Nov", with the year only if it is not that of `now`. */
export const localDate = (at: Date, now = new Date()): string =>
  (at.getFullYear() === now.getFullYear() ? localDay : dayOfYear)(at)

/** "09:41", with the day if it is more than one before `nowMs`. */
export const dayTime = (atMs: number, nowMs: number): string =>
  nowMs - atMs <= DAY_MS ? hourMinute(atMs) : `${localDay(atMs)}, ${hourMinute(atMs)}`

/** "Wed, 25 Nov 2026, 09:41:12 CET (UTC+1)" */
export const exactTime = (at: Date): string => `${exact(at)} ${ZONE}`

/** "3 s ago", "in 3 s"; undefined if it is further away than a day. */
export const relativeTime = (atMs: number, nowMs: number): string | undefined => {
  const ms = Math.abs(nowMs - atMs)
  if (ms >= DAY_MS) return undefined
  // Clocks of the service and of the viewer may differ by less than this.
  if (ms < 1_000) return "now"
  return atMs < nowMs ? `${duration(ms, true)} ago` : `in ${duration(ms, true)}`
}

/** "34EA07…34A5": the middle of an id or a hash says nothing to people. `head`: characters before it. */
export const cut = (text: string, head: number): string => `${text.slice(0, head)}…${text.slice(-4)}`

/** What is copied from the page has plain digits. */
export const plainDigits = (text: string): string => text.replaceAll(GROUP, "").replaceAll(UNIT, " ")
