/** The time that the files of an export cover: a UTC day, or an hour of it. Pure. */
import { dateOf } from "../../spine/words/IsoTime.ts"

export const units = ["day", "hour"] as const
export type Unit = (typeof units)[number]

const unitMs: Readonly<Record<Unit, number>> = { day: 86_400_000, hour: 3_600_000 }

export interface Period {
  /** As `2026-11-21`. */
  readonly date: string
  /** From 0 to 23; null for the whole day. */
  readonly hour: number | null
  readonly endMs: number
}

/** The start of the day or hour that contains the time. All times in Unix milliseconds. */
export const startOf = (unit: Unit, ms: number): number => Math.floor(ms / unitMs[unit]) * unitMs[unit]

export const periodAt = (unit: Unit, ms: number): Period => {
  const start = startOf(unit, ms)
  return {
    date: dateOf(start),
    hour: unit === "day" ? null : new Date(start).getUTCHours(),
    endMs: start + unitMs[unit]
  }
}

/** `2026-11-21`, or `2026-11-21 13:00`. */
export const periodText = ({ date, hour }: Pick<Period, "date" | "hour">): string =>
  hour === null ? date : `${date} ${String(hour).padStart(2, "0")}:00`

/** The name of a file of the period, without its ending. */
export const fileName = (hour: number | null): string =>
  hour === null ? "events" : `events-${String(hour).padStart(2, "0")}`
