/**
 * The attempts of a webhook around an incident, by equal spans: at most 200 from a while before it until a while after it.
 * Counts are kept as long as deliveries. What waits is counted from attempts: a delivery waits from its first failed
 * attempt until it is delivered, so one that was given up waits on.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countWidths } from "../../spine/domain/StatsPeriod.ts"
import type { Incident } from "./IncidentStore.ts"

const MINUTE_MS = 60_000
const POINTS = 200
const pointWidthsMs = [1, 5, 15, 60, 360, 1_440].map((minutes) => minutes * MINUTE_MS)

interface Course {
  readonly pointMs: number
  readonly points: ReadonlyArray<{
    /** Its beginning, in Unix milliseconds. */
    readonly at: number
    readonly answered: number
    readonly failed: number
    /** At its end. */
    readonly waiting: number
  }>
}

interface Span {
  readonly fromMs: number
  /** Excluded. */
  readonly endMs: number
  readonly pointMs: number
}

/** A quarter of the incident before it, and half of it after it; at least 10 and 30 minutes. */
export const spanOf = (beganMs: number, endedMs: number | null, nowMs: number): Span => {
  const lengthMs = (endedMs ?? nowMs) - beganMs
  const fromMs = beganMs - Math.max(10 * MINUTE_MS, lengthMs / 4)
  const endMs = Math.min((endedMs ?? nowMs) + Math.max(30 * MINUTE_MS, lengthMs / 2), nowMs)
  const pointMs = pointWidthsMs.find((width) => (endMs - fromMs) / width <= POINTS) ?? pointWidthsMs.at(-1)!
  return {
    fromMs: Math.floor(fromMs / pointMs) * pointMs,
    endMs: (Math.floor(endMs / pointMs) + 1) * pointMs,
    pointMs
  }
}

interface CountRow {
  readonly point: number
  readonly status: "first_delivered" | "first_failed" | "later_delivered" | "later_failed"
  readonly count: number
}

/** Null if the counts of its end are no longer kept. `keptFromMs`: older ones are not. */
export const incidentCourse = Effect.fnUntraced(function* (
  incident: Incident,
  nowMs: number,
  keptFromMs: number
) {
  const sql = yield* SqlClient.SqlClient
  const { endMs, fromMs: wantedMs, pointMs } = spanOf(incident.beganAt, incident.endedAt, nowMs)
  if ((incident.endedAt ?? nowMs) < keptFromMs) return null
  const fromMs = Math.max(wantedMs, Math.ceil(keptFromMs / pointMs) * pointMs)
  const width = countWidths.findLast(({ widthMs }) => widthMs <= pointMs)!.width
  const rows = yield* sql<CountRow>`
    SELECT floor((extract(epoch FROM at) * 1000 - ${fromMs}::float8) / ${pointMs}::float8)::int AS point, status,
           sum(count)::float8 AS count
    FROM delivery_counts
    WHERE account_id = ${incident.account_id} AND network = ${incident.network} AND webhook_id = ${incident.webhook_id}
      AND status IN ('first_delivered', 'first_failed', 'later_delivered', 'later_failed') AND width = ${width}
      AND at >= ${new Date(fromMs)} AND at < ${new Date(endMs)}
    GROUP BY 1, 2`
  const counts = new Map(rows.map(({ count, point, status }) => [`${point} ${status}`, count]))
  let waiting = 0
  const points = Array.from({ length: Math.max(0, (endMs - fromMs) / pointMs) }, (_, point) => {
    const of = (status: CountRow["status"]) => counts.get(`${point} ${status}`) ?? 0
    waiting = Math.max(0, waiting + of("first_failed") - of("later_delivered"))
    return {
      at: fromMs + point * pointMs,
      answered: of("first_delivered") + of("later_delivered"),
      failed: of("first_failed") + of("later_failed"),
      waiting
    }
  })
  return { pointMs, points } satisfies Course
})
