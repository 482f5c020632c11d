/** Incidents by day of the viewer's zone. Pure. */
import type { Incident } from "../../../api/ledgerhook.ts"

export interface CalendarDay {
  /** Its midnight, in Unix milliseconds. */
  readonly at: number
  /** The parts of the day in which something failed: 0 is its midnight, 1 the next one. */
  readonly failing: ReadonlyArray<{ readonly from: number; readonly to: number }>
}

type Span = Pick<Incident, "began_at" | "ended_at">

/** `now` may be rounded down, and so before the beginning. */
const endOf = ({ began_at, ended_at }: Span, now: number) =>
  ended_at === null ? Math.max(now, Date.parse(began_at)) : Date.parse(ended_at)

/** In milliseconds. */
export const lengthOf = (incident: Span, now: number): number =>
  Math.max(0, endOf(incident, now) - Date.parse(incident.began_at))

/** Of all of them together. */
export const totalLength = (incidents: ReadonlyArray<Span>, now: number): number =>
  incidents.reduce((sum, incident) => sum + lengthOf(incident, now), 0)

/** The last `count` days up to the one of `now`, oldest first. */
export const calendarDays = (
  incidents: ReadonlyArray<Span>,
  now: number,
  count: number
): ReadonlyArray<CalendarDay> => {
  const today = new Date(now)
  const midnight = (back: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - back).getTime()
  return Array.from({ length: count }, (_, index) => {
    const [at, next] = [midnight(count - 1 - index), midnight(count - 2 - index)]
    const failing = incidents.flatMap((incident) => {
      const from = Math.max(Date.parse(incident.began_at), at)
      const to = Math.min(endOf(incident, now), next)
      return to < from || from >= next
        ? []
        : [{ from: (from - at) / (next - at), to: (to - at) / (next - at) }]
    })
    return { at, failing }
  })
}
