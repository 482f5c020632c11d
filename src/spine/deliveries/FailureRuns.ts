/**
 * What attempts say about their webhook. A run is the failed requests since the newest answer. Requests count, so a
 * batch counts once; a batch whose response lists failed deliveries is an answer. An incident is a span in which a
 * webhook was failing. Times are Unix milliseconds. Pure.
 */
import { Limits } from "../config/Limits.ts"
import type { IncidentEnd } from "../domain/HealthState.ts"
import { withoutNul } from "../store/StoredText.ts"
import { firstIdAt, incidentId, type WebhookId } from "../words/Ids.ts"
import type { AttemptRecord } from "./Transitions.ts"

/** Columns of `webhooks` that tell a run. Without one, `failing_since` is null. */
export interface FailureRun {
  readonly failing_since: number | null
  readonly last_failed_at: number | null
  /** Failed requests. */
  readonly failed_attempts: number
  /** Deliveries that failed at their first attempt. */
  readonly failed_deliveries: number
  readonly last_error: string | null
  /** The delivery whose first attempt began the run. Null if the run began with a later attempt. */
  readonly failing_from: string | null
}

/** The columns of `webhooks` that attempts change, and those that decide how. */
export interface WebhookFailures extends FailureRun {
  readonly id: string
  readonly is_active: boolean
  readonly attempted_at: number | null
  readonly consecutive_failures: number
  /** The newest incident. It is open while it has no end. */
  readonly incident_id: string | null
  readonly incident_ended_at: number | null
}

/** A row of `incidents`. If the incident has a row, the counts are added to it. */
export interface IncidentChange {
  readonly id: string
  readonly webhook_id: WebhookId
  readonly began_at: number
  readonly ended_at: number | null
  readonly ended_by: IncidentEnd | null
  readonly cause: string | null
  readonly attempts_failed: number
  readonly failed_deliveries: number
  readonly first_delivery: string
}

const noFailure: FailureRun = {
  failing_since: null,
  last_failed_at: null,
  failed_attempts: 0,
  failed_deliveries: 0,
  last_error: null,
  failing_from: null
}

/**
 * The rule. A batch may pass through states that no row ever has, so it is asked here. PostgreSQL's column
 * `webhooks.is_failing`, which everything else reads, follows the function `webhook_is_failing` of migration 0011, and a
 * test compares both. To change the rule, add a migration with a new function and column.
 */
export const isFailing = ({ failed_attempts, failing_since, last_failed_at }: FailureRun): boolean =>
  failing_since !== null &&
  (failed_attempts >= 5 || (last_failed_at ?? failing_since) - failing_since >= 60_000)

export const isAnswered = ({ answered, status }: AttemptRecord): boolean =>
  status === "delivered" || answered === true

const afterFailure = (
  run: FailureRun,
  { attempt, deliveryId, endedAt, error }: AttemptRecord,
  isNewRequest: boolean
): FailureRun => {
  const isFirst = attempt === 1
  return {
    failing_since: Math.min(run.failing_since ?? endedAt, endedAt),
    last_failed_at: Math.max(run.last_failed_at ?? endedAt, endedAt),
    failed_attempts: run.failed_attempts + (isNewRequest ? 1 : 0),
    failed_deliveries: run.failed_deliveries + (isFirst ? 1 : 0),
    // It is written as JSON, in which PostgreSQL accepts no half of a character.
    last_error: error && withoutNul(error).toWellFormed(),
    failing_from: run.failing_since !== null ? run.failing_from : isFirst ? deliveryId : null
  }
}

/**
 * A webhook after its next attempts, and what follows for its incident. If the attempts have several spans in which the
 * webhook was failing, they become one incident.
 */
export const afterAttempts = (
  before: WebhookFailures,
  attempts: ReadonlyArray<AttemptRecord>
): { readonly webhook: WebhookFailures; readonly incident: IncidentChange | undefined } => {
  const isOpen = before.incident_id !== null && before.incident_ended_at === null
  // A run is told by `failing_since`: without it, the other columns mean nothing.
  let run: FailureRun = before.failing_since === null ? noFailure : before
  /** The part of `run` that is counted in its incident. */
  let counted = isOpen ? run : noFailure
  let { consecutive_failures } = before
  let incident: IncidentChange | undefined
  const requests = new Set<string>()

  /** If the webhook was failing in the run, the run is part of an incident. `answer` ended the run. */
  const addRun = (answer?: AttemptRecord) => {
    const { failing_since } = run
    if (failing_since === null || !before.is_active || !isFailing(run)) return
    const began_at = Math.min(incident?.began_at ?? failing_since, failing_since)
    const endedBefore = before.incident_ended_at ?? Number.NEGATIVE_INFINITY
    const continued = isOpen || began_at < endedBefore + Limits.incidentGapMs ? before.incident_id : null
    incident = {
      id: continued ?? incidentId(began_at, before.id),
      webhook_id: before.id,
      began_at,
      ended_at: answer === undefined ? null : Math.max(answer.endedAt, failing_since),
      ended_by: answer === undefined ? null : answer.manual === true ? "retry" : "attempt",
      cause: run.last_error,
      attempts_failed: (incident?.attempts_failed ?? 0) + run.failed_attempts - counted.failed_attempts,
      failed_deliveries:
        (incident?.failed_deliveries ?? 0) + run.failed_deliveries - counted.failed_deliveries,
      first_delivery: incident?.first_delivery ?? run.failing_from ?? firstIdAt("dlv_", began_at)
    }
  }

  for (const attempt of attempts) {
    if (attempt.status === "delivered") consecutive_failures = 0
    if (attempt.status === "failed") consecutive_failures++
    if (isAnswered(attempt)) {
      addRun(attempt)
      run = counted = noFailure
      requests.clear()
    } else {
      const request = attempt.details?.batchId ?? attempt.deliveryId
      run = afterFailure(run, attempt, !requests.has(request))
      requests.add(request)
    }
  }
  addRun()
  return {
    webhook: {
      ...before,
      ...run,
      attempted_at: before.attempted_at ?? Math.min(...attempts.map(({ endedAt }) => endedAt)),
      consecutive_failures,
      incident_id: incident?.id ?? before.incident_id,
      incident_ended_at: incident === undefined ? before.incident_ended_at : incident.ended_at
    },
    incident
  }
}
