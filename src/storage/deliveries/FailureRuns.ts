/**
 * What attempts say about their webhook. A run is the failed requests since the newest answer. Requests count, so a
 * batch counts once; a batch whose response lists failed deliveries is an answer. An incident is a span in which a
 * webhook was failing. Pure.
 */
import { Limits } from "../../config/Limits.ts"
import type { IncidentEnd } from "../../domain/HealthState.ts"
import { firstIdAt, incidentId } from "../../domain/Ids.ts"
import type { Network } from "../../domain/Network.ts"
import type { AttemptRecord } from "./Transitions.ts"

/** Times are Unix milliseconds. Without a failed request, `failingSince` is null. */
export interface FailureRun {
  readonly failingSince: number | null
  readonly lastFailedAt: number | null
  /** Failed requests. */
  readonly failedAttempts: number
  /** Deliveries that failed at their first attempt. */
  readonly failedDeliveries: number
  readonly lastError: string | null
  /** The delivery whose first attempt began the run. Null if it began with another attempt. */
  readonly failingFrom: string | null
}

/** The part of a webhook's row that its attempts change, and what decides how. */
export interface WebhookFailures extends FailureRun {
  readonly id: string
  readonly accountId: string
  readonly network: Network
  readonly isActive: boolean
  /** Deliveries that have failed finally since the newest one that was delivered. */
  readonly consecutiveFailures: number
  /** The newest incident. It is open while it has no end. */
  readonly incidentId: string | null
  readonly incidentEndedAt: number | null
}

/** A new incident, or what is added to one that has this id. */
export interface IncidentChange {
  readonly id: string
  readonly beganAt: number
  readonly endedAt: number | null
  readonly endedBy: IncidentEnd | null
  readonly cause: string | null
  readonly attemptsFailed: number
  readonly failedDeliveries: number
  readonly firstDelivery: string
}

const noFailure: FailureRun = {
  failingSince: null,
  lastFailedAt: null,
  failedAttempts: 0,
  failedDeliveries: 0,
  lastError: null,
  failingFrom: null
}

/** The rule of the function `webhook_is_failing` in PostgreSQL. Release 0.2 writes no `lastFailedAt`. */
export const isFailing = ({ failedAttempts, failingSince, lastFailedAt }: FailureRun): boolean =>
  failingSince !== null && (failedAttempts >= 5 || (lastFailedAt ?? failingSince) - failingSince >= 60_000)

const isAnswered = ({ answered, status }: AttemptRecord): boolean =>
  status === "delivered" || answered === true

const afterFailure = (
  run: FailureRun,
  { attempt, deliveryId, endedAt, error }: AttemptRecord,
  isNewRequest: boolean
): FailureRun => {
  const isFirst = attempt === 1
  return {
    failingSince: Math.min(run.failingSince ?? endedAt, endedAt),
    lastFailedAt: Math.max(run.lastFailedAt ?? endedAt, endedAt),
    failedAttempts: run.failedAttempts + (isNewRequest ? 1 : 0),
    failedDeliveries: run.failedDeliveries + (isFirst ? 1 : 0),
    lastError: error,
    failingFrom: run.failingSince !== null ? run.failingFrom : isFirst ? deliveryId : null
  }
}

/**
 * A webhook after its next attempts, and the change of an incident that follows from them. If the attempts contain
 * several spans in which the webhook was failing, the spans become one incident.
 */
export const afterAttempts = (
  before: WebhookFailures,
  attempts: ReadonlyArray<AttemptRecord>
): { readonly webhook: WebhookFailures; readonly incident: IncidentChange | undefined } => {
  const isOpen = before.incidentId !== null && before.incidentEndedAt === null
  // Release 0.2 resets only two of the columns.
  let run: FailureRun = before.failingSince === null ? noFailure : before
  /** The part of `run` that its incident has counted. */
  let counted = isOpen ? run : noFailure
  let requests = new Set<string>()
  let { consecutiveFailures } = before
  let incident: IncidentChange | undefined

  /** `answer` ends the run. */
  const addSpan = (answer: AttemptRecord | undefined) => {
    const { failedAttempts, failedDeliveries, failingFrom, failingSince, lastError } = run
    if (failingSince === null || !before.isActive || !isFailing(run)) return
    const beganAt = Math.min(incident?.beganAt ?? failingSince, failingSince)
    const continues =
      isOpen || (before.incidentEndedAt !== null && beganAt < before.incidentEndedAt + Limits.incidentGapMs)
    incident = {
      id: (continues ? before.incidentId : null) ?? incidentId(beganAt, before.id),
      beganAt,
      endedAt: answer === undefined ? null : Math.max(answer.endedAt, failingSince),
      endedBy: answer === undefined ? null : answer.manual === true ? "retry" : "attempt",
      cause: lastError,
      attemptsFailed: (incident?.attemptsFailed ?? 0) + failedAttempts - counted.failedAttempts,
      failedDeliveries: (incident?.failedDeliveries ?? 0) + failedDeliveries - counted.failedDeliveries,
      firstDelivery: incident?.firstDelivery ?? failingFrom ?? firstIdAt("dlv_", beganAt)
    }
  }

  for (const attempt of attempts) {
    if (attempt.status === "delivered") consecutiveFailures = 0
    else if (attempt.status === "failed") consecutiveFailures++
    if (isAnswered(attempt)) {
      addSpan(attempt)
      run = counted = noFailure
      requests = new Set()
    } else {
      const request = attempt.details?.batchId ?? attempt.deliveryId
      run = afterFailure(run, attempt, !requests.has(request))
      requests.add(request)
    }
  }
  addSpan(undefined)
  return {
    webhook: {
      ...before,
      ...run,
      consecutiveFailures,
      incidentId: incident?.id ?? before.incidentId,
      incidentEndedAt: incident === undefined ? before.incidentEndedAt : incident.endedAt
    },
    incident
  }
}
