/** Hours as a map: a row for each day and a column for each hour of the viewer's zone. Pure. */
import type { LedgerCoverageHour } from "../../../api/ledgerhook.ts"
import type { Gap } from "./gaps.ts"

export const DAYS = 30
export const HOUR_MS = 3_600_000

export interface HourCell {
  /** Its beginning, in Unix milliseconds. */
  readonly at: number
  readonly ledgers: number
  readonly missing: number
  readonly events: number
}

export const isWatched = ({ events, ledgers }: HourCell): boolean => ledgers > 0 || events > 0

export interface DayRow {
  /** Its midnight. */
  readonly at: number
  /** By hour of the day. Undefined: not yet, or left out when clocks go forward. */
  readonly cells: ReadonlyArray<HourCell | undefined>
}

/** A service that is new has rows for at least so many days: before it watched there is nothing to see. */
const LEAST_DAYS = 7

/**
 * The last days up to that of `now`, oldest first, from the first on which ledgers were taken or are missing. When clocks
 * go back, two hours are one cell.
 */
export const rowsOf = (hours: ReadonlyArray<LedgerCoverageHour>, now: number): ReadonlyArray<DayRow> => {
  const today = new Date(now)
  const rows = Array.from({ length: DAYS }, (_, index) => {
    const at = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (DAYS - 1 - index)).getTime()
    return { at, cells: Array.from<HourCell | undefined>({ length: 24 }) }
  })
  const rowAt = new Map(rows.map((row) => [row.at, row]))
  for (const { hour, ledgers, missing, events } of hours) {
    const at = new Date(hour)
    const row = rowAt.get(new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime())
    if (row === undefined || at.getTime() > now) continue
    const before = row.cells[at.getHours()]
    row.cells[at.getHours()] = {
      at: before?.at ?? at.getTime(),
      ledgers: ledgers + (before?.ledgers ?? 0),
      missing: missing + (before?.missing ?? 0),
      events: events + (before?.events ?? 0)
    }
  }
  const first = rows.findIndex(({ cells }) =>
    cells.some((cell) => cell && (isWatched(cell) || cell.missing > 0))
  )
  return rows.slice(Math.min(first === -1 ? DAYS : first, DAYS - LEAST_DAYS))
}

/** Steps of the ramp. */
export const LEVELS = 3
/** A few hours with very many events would make all others look empty. */
const MOST = 0.98

/** The step of the ramp, from 1, for a number of events: the ramp fits the hours that there are. */
export const levelsOf = (cells: ReadonlyArray<HourCell>): ((events: number) => number) => {
  const counts = cells
    .filter(isWatched)
    .map(({ events }) => events)
    .toSorted((a, b) => a - b)
  // Hours that began or ended with the service have few ledgers.
  const least = counts[Math.floor(counts.length * (1 - MOST))] ?? 0
  const most = counts[Math.ceil(counts.length * MOST) - 1] ?? 0
  return (events) =>
    most <= least
      ? 1
      : Math.min(Math.max(1 + Math.floor((LEVELS * (events - least)) / (most - least)), 1), LEVELS)
}

/** Whether some of the gap is in the hour. */
export const isIn = ({ began, ended }: Gap, { at }: HourCell): boolean => began < at + HOUR_MS && ended >= at
