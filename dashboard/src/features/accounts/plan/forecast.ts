/** Where the month's attempts end up at the pace of the last days. Days and months are UTC, as the quota's. Pure. */
import type { Account } from "../../../api/ledgerhook.ts"

type Usage = Account["usage"]

const DAY_MS = 86_400_000
/** The pace is that of this many whole days before today, or of fewer in a young month. */
const PACE_DAYS = 7
/** With fewer whole days, a forecast would be a guess. */
const LEAST_DAYS = 3

export interface Day {
  /** Unix milliseconds of its start. */
  readonly at: number
  readonly made: number
  /** What is still to come at this pace, and the part of it that would wait because the quota is used up. */
  readonly toCome: number
  readonly wouldWait: number
}

export interface Forecast {
  /** Attempts of the whole month. */
  readonly total: number
  /** When the quota is used up, in Unix milliseconds; undefined if that is not in this month. */
  readonly usedUpAt: number | undefined
}

const monthOf = ({ month }: Usage) => {
  const [year, number] = month.split("-").map(Number) as [number, number]
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) }
}

export const monthEnd = (usage: Usage): number => monthOf(usage).to

/** Attempts a day; undefined in the first days of a month. */
const paceOf = ({ days }: Usage): number | undefined => {
  const whole = days.slice(0, -1).slice(-PACE_DAYS)
  if (whole.length < LEAST_DAYS) return undefined
  return whole.reduce((sum, { deliveries }) => sum + deliveries, 0) / whole.length
}

/** Undefined in the first days of a month, and if nothing is sent. */
export const forecastOf = (usage: Usage, nowMs: number): Forecast | undefined => {
  const pace = paceOf(usage)
  if (pace === undefined || pace === 0) return undefined
  const { deliveries, quota } = usage
  const end = monthEnd(usage)
  const total = Math.round(deliveries + (pace * Math.max(end - nowMs, 0)) / DAY_MS)
  const usedUpAt =
    quota === null || deliveries >= quota ? undefined : nowMs + ((quota - deliveries) / pace) * DAY_MS
  return { total, usedUpAt: usedUpAt === undefined || usedUpAt >= end ? undefined : usedUpAt }
}

/** Every day of the month. */
export const daysOf = (usage: Usage, nowMs: number): ReadonlyArray<Day> => {
  const { from, to } = monthOf(usage)
  const forecast = forecastOf(usage, nowMs)
  const pace = forecast === undefined ? 0 : paceOf(usage)!
  const made = new Map(usage.days.map(({ date, deliveries }) => [date, deliveries]))
  const left = { quota: usage.quota === null ? Number.POSITIVE_INFINITY : usage.quota - usage.deliveries }
  const days: Array<Day> = []
  for (let at = from; at < to; at += DAY_MS) {
    const more = (pace * Math.min(Math.max(at + DAY_MS - nowMs, 0), DAY_MS)) / DAY_MS
    const toCome = Math.min(more, Math.max(left.quota, 0))
    left.quota -= toCome
    const date = new Date(at).toISOString().slice(0, 10)
    days.push({ at, made: made.get(date) ?? 0, toCome, wouldWait: more - toCome })
  }
  return days
}
