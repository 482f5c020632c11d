/** Numbers, sizes and times in sentences for people: mails, notices, findings, commands. Pure. */
import { iso } from "./IsoTime.ts"

const SECOND_MS = 1_000
const MINUTE_S = 60
const HOUR_S = 3_600

/** `6,310` */
export const count = (n: number): string => n.toLocaleString("en-US")

/** `1 retry`, `6,310 retries` */
export const counted = (n: number, one: string, many: string): string => `${count(n)} ${n === 1 ? one : many}`

/** `10 s`, `0.5 s`. With `digits`: rounded to so many decimals. */
export const seconds = (ms: number, digits?: number): string => {
  const s = ms / SECOND_MS
  return digits === undefined
    ? `${count(s)} s`
    : `${s.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} s`
}

/** `45 s`, `4 min 19 s`, `3 h 38 min` */
export const duration = (ms: number): string => {
  const s = Math.round(ms / SECOND_MS)
  if (s < MINUTE_S) return `${s} s`
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min ${s % MINUTE_S} s`
  return `${Math.floor(s / HOUR_S)} h ${Math.floor((s % HOUR_S) / MINUTE_S)} min`
}

/** The largest unit of which there are two, and how many. */
const inOneUnit = (ms: number): readonly [n: number, unit: keyof typeof shortUnits] => {
  const s = Math.round(ms / SECOND_MS)
  const min = Math.round(s / MINUTE_S)
  if (s < 2 * MINUTE_S) return [s, "second"]
  return min < 2 * (HOUR_S / MINUTE_S) ? [min, "minute"] : [Math.round(s / HOUR_S), "hour"]
}
const shortUnits = { second: "s", minute: "min", hour: "h" } as const

/** `45 s`, `12 min`, `30 h` */
export const roughly = (ms: number): string => {
  const [n, unit] = inOneUnit(ms)
  return `${count(n)} ${shortUnits[unit]}`
}

/** `1 second`, `12 minutes`, `30 hours` */
export const roughlySpelled = (ms: number): string => {
  const [n, unit] = inOneUnit(ms)
  return counted(n, unit, `${unit}s`)
}

/** `2026-11-21 09:30 UTC` */
export const utcMinute = (unixMs: number): string => `${iso(unixMs).slice(0, 16).replace("T", " ")} UTC`

/** `2026-11-21 09:30:17 UTC` */
export const utcSecond = (unixMs: number): string => `${iso(unixMs).slice(0, 19).replace("T", " ")} UTC`

const KILO = 1_000
const sizes = ["B", "KB", "MB", "GB", "TB", "PB"] as const

/** `1.4 TB`, with two figures. */
export const size = (bytes: number): string => {
  const step = bytes < KILO ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(KILO)), sizes.length - 1)
  return `${Number((bytes / KILO ** step).toPrecision(2))} ${sizes[step]}`
}
