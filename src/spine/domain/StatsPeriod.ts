/** Periods of delivery statistics: how long each is, and how wide a point of its series. Pure. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const statsPeriods = ["1h", "24h", "7d", "30d"] as const
export type StatsPeriod = (typeof statsPeriods)[number]

/** Time widths by which deliveries are counted, as PostgreSQL intervals. A point has one of these widths. */
export const countWidths = [
  { width: "1 minute", widthMs: MINUTE_MS },
  { width: "1 hour", widthMs: HOUR_MS },
  { width: "6 hours", widthMs: 6 * HOUR_MS },
  { width: "1 day", widthMs: DAY_MS }
] as const

/** Points begin at whole multiples of their width (UTC), so a period may touch one more point than fits into it. */
export const statsWidths: Readonly<
  Record<StatsPeriod, { readonly periodMs: number; readonly pointMs: number }>
> = {
  "1h": { periodMs: HOUR_MS, pointMs: MINUTE_MS },
  "24h": { periodMs: DAY_MS, pointMs: HOUR_MS },
  "7d": { periodMs: 7 * DAY_MS, pointMs: 6 * HOUR_MS },
  "30d": { periodMs: 30 * DAY_MS, pointMs: DAY_MS }
}
