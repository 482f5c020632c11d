/**
 * Requests to a webhook and what they say about it: a fold over requests, one at a time, as the definition of what
 * PostgreSQL must have after the same requests, in whatever statements they were recorded.
 */

import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import type { AttemptRecord, FirstAttempt, NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import type { IncidentEnd } from "../../../src/spine/domain/HealthState.ts"
import { randomId } from "../../../src/spine/words/Ids.ts"
import { NOW, newDelivery } from "./deliveryRows.ts"

/** Each result is of one delivery. `listed`: a 2xx to a batch says that it failed. */
export type Result = "delivered" | "listed" | "retrying" | "failed"

export interface Request {
  readonly deliveries: ReadonlyArray<{
    readonly row: NewDelivery
    readonly result: Result
    readonly attempt?: number
  }>
  readonly endedAt: number
  /** Undefined for requests that carry one event. */
  readonly batchId?: string
  readonly error?: string
  readonly manual?: boolean
}

export const attemptsOf = (request: Request): ReadonlyArray<FirstAttempt> =>
  request.deliveries.map(({ attempt = 1, result, row }): FirstAttempt => {
    const record: AttemptRecord = {
      deliveryId: row.id,
      attempt,
      status: result === "listed" ? "retrying" : result,
      responseStatus: result === "delivered" || result === "listed" ? 200 : 503,
      responseTimeMs: 5,
      responseBody: null,
      error: result === "delivered" ? null : (request.error ?? "HTTP 503"),
      attemptedAt: request.endedAt - 5,
      endedAt: request.endedAt,
      nextDelayMs: result === "retrying" || result === "listed" ? 1_000 : null,
      answered: result === "listed",
      manual: request.manual,
      ...(request.batchId === undefined
        ? {}
        : {
            details: {
              connectMs: 1,
              firstByteMs: 2,
              totalMs: 5,
              responseHeaders: { server: "a\0" },
              batchId: request.batchId
            }
          })
    }
    return { row, attempt: record }
  })

export const randomRequest = (
  chance: SeededRandom,
  webhookId: string,
  endedAt: number,
  chanceToAnswer: number
): Request => {
  const answers = chance.flip(chanceToAnswer)
  const size = chance.flip(0.3) ? chance.int(1, 6) : 1
  const deliveries = Array.from({ length: size }, () => ({
    row: newDelivery(webhookId, NOW, "payment.xrp"),
    result: answers
      ? chance.pick(size > 1 ? (["delivered", "listed"] as const) : (["delivered"] as const))
      : chance.pick(["retrying", "failed"] as const)
  }))
  return {
    deliveries,
    endedAt,
    error: chance.pick(["HTTP 503", "HTTP 500", "connection refused"]),
    manual: chance.flip(0.2),
    ...(size > 1 ? { batchId: randomId("bat_", endedAt) } : {})
  }
}

interface Incident {
  began_at: number
  ended_at: number | null
  ended_by: IncidentEnd | null
  cause: string | null
  attempts_failed: number
  failed_deliveries: number
}

/** What the row of a webhook and its incidents must have. Times are Unix milliseconds. */
export interface Recorded {
  attempted_at: number | null
  failing_since: number | null
  last_failed_at: number | null
  failed_attempts: number
  failed_deliveries: number
  last_error: string | null
  is_failing: boolean
  incidents: ReadonlyArray<Incident>
}

export const nothing: Recorded = {
  attempted_at: null,
  failing_since: null,
  last_failed_at: null,
  failed_attempts: 0,
  failed_deliveries: 0,
  last_error: null,
  is_failing: false,
  incidents: []
}

const FIVE_MINUTES = 300_000

export const after = (before: Recorded, request: Request): Recorded => {
  const { endedAt } = request
  const attempted_at = before.attempted_at ?? endedAt
  const incidents = before.incidents.map((incident) => ({ ...incident }))
  const newest = incidents.at(-1)
  const isOpen = newest?.ended_at === null
  if (request.deliveries.some(({ result }) => result === "delivered" || result === "listed")) {
    if (newest !== undefined && isOpen) {
      newest.ended_at = endedAt
      newest.ended_by = request.manual === true ? "retry" : "attempt"
    }
    return { ...nothing, attempted_at, incidents }
  }
  const failing_since = before.failing_since ?? endedAt
  const failed_attempts = before.failed_attempts + 1
  const error = request.error ?? "HTTP 503"
  const first = request.deliveries.filter(({ attempt = 1 }) => attempt === 1).length
  const failed_deliveries = before.failed_deliveries + first
  const is_failing = failed_attempts >= 5 || endedAt - failing_since >= 60_000
  if (is_failing) {
    if (newest !== undefined && isOpen) {
      newest.attempts_failed++
      newest.failed_deliveries += first
    } else if (newest !== undefined && failing_since - newest.ended_at! < FIVE_MINUTES) {
      newest.ended_at = null
      newest.ended_by = null
      newest.attempts_failed += failed_attempts
      newest.failed_deliveries += failed_deliveries
    } else
      incidents.push({
        began_at: failing_since,
        ended_at: null,
        ended_by: null,
        cause: null,
        attempts_failed: failed_attempts,
        failed_deliveries
      })
    incidents.at(-1)!.cause = error
  }
  return {
    attempted_at,
    failing_since,
    last_failed_at: endedAt,
    failed_attempts,
    failed_deliveries,
    last_error: error,
    is_failing,
    incidents
  }
}
