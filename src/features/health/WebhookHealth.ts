/**
 * A webhook's health, made of recorded facts, with one sentence for people. The API and the commands show it and add
 * nothing. Pure. The first state that is true holds:
 *
 *   disabled   nothing is queued for it; if it is `paused`, events are queued and not sent
 *   new        no event has been sent to it
 *   failing    nothing was answered for at least 5 requests or a minute (the function `webhook_is_failing` in PostgreSQL)
 *   waiting    a delivery waits for a retry, a rate or its place
 *   healthy    anything else
 */
import type { HealthState } from "../../spine/domain/HealthState.ts"
import type { Hold } from "../../spine/domain/Quota.ts"
import type { WebhookStatus } from "../../spine/domain/Webhook.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { count, counted } from "../../spine/words/Words.ts"

/** A delivery that waits is `waiting` if it is to be retried, or has waited for this long: about one ledger. */
export const WAITING_MS = 5_000

/** Times are Unix milliseconds. */
export interface WebhookFacts {
  readonly status: WebhookStatus
  readonly disabledAt: number | null
  readonly disabledReason: string | null
  /** Null: it is not paused. */
  readonly pausedAt: number | null
  readonly createdAt: number
  /** End of the first attempt that was no test. */
  readonly attemptedAt: number | null
  readonly isFailing: boolean
  /** Of the failed requests since the newest answer. Null, 0 and null if there are none. */
  readonly failingSince: number | null
  readonly failedAttempts: number
  readonly lastError: string | null
  /** How many deliveries failed at their first attempt since then. */
  readonly failedDeliveries: number
  /** The newest incident, if it is over. */
  readonly incident: { readonly beganAt: number; readonly endedAt: number } | null
  /** Why nothing is sent for it although it is active. Null: nothing holds it. */
  readonly hold: Hold | null
  /** Live deliveries that wait. Null if none does for long enough. */
  readonly waiting: WaitingFacts | null
}

export interface WaitingFacts {
  /** When the oldest was made. */
  readonly since: number
  readonly deliveries: number
  /** There may be more. */
  readonly isMinimum: boolean
  /** Those of them that failed at least once. */
  readonly retrying: number
  readonly nextAttemptAt: number | null
  /** Why the oldest that failed did. */
  readonly lastError: string | null
}

export interface Health {
  readonly state: HealthState
  readonly since: number
  readonly lastError: string | null
  readonly nextAttemptAt: number | null
  readonly attemptsFailedInARow: number
  /** Live deliveries that wait for long enough to be told; at least so many. */
  readonly waiting: number
  readonly sentence: string
}

/** `2026-11-21 09:30:00 UTC` */
const moment = (unixMs: number): string => `${iso(unixMs).slice(0, 19).replace("T", " ")} UTC`

const lengthOf = (ms: number): string => {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  if (seconds < 120) return counted(seconds, "second", "seconds")
  const minutes = Math.round(seconds / 60)
  return minutes < 120
    ? counted(minutes, "minute", "minutes")
    : counted(Math.round(minutes / 60), "hour", "hours")
}

const GONE = "HTTP 410"
const reasonOf = (error: string | null): string =>
  error === null ? "" : error === GONE ? `: the receiver says that it is gone (${GONE})` : `: ${error}`

const failuresOf = ({ failedAttempts, failedDeliveries }: WebhookFacts): string =>
  `${counted(failedAttempts, "attempt", "attempts")} of ${counted(Math.max(1, failedDeliveries), "delivery", "deliveries")} failed`

const waitingSentence = (
  { deliveries, isMinimum, lastError, retrying, since }: WaitingFacts,
  hold: Hold | null
): string => {
  const some = `${isMinimum ? "At least " : ""}${counted(deliveries, "delivery waits", "deliveries wait")} since ${moment(since)}`
  if (hold === "suspended") return `${some}: the account is suspended.`
  if (hold === "quota") return `${some}: the account's quota of this month is used up.`
  if (retrying === 0) return `${some} for the webhook's own speed or rate.`
  const part = retrying === deliveries ? "" : `, ${count(retrying)} of them`
  return `${some}${part} for a retry${reasonOf(lastError)}.`
}

const numberOf = ({ deliveries, isMinimum }: WaitingFacts): string =>
  `${isMinimum ? "at least " : ""}${counted(deliveries, "delivery waits", "deliveries wait")}`

const healthySentence = (facts: WebhookFacts): string => {
  if (facts.failedAttempts > 0)
    return `Works, but ${failuresOf(facts)} since ${moment(facts.failingSince ?? facts.createdAt)}${reasonOf(facts.lastError)}.`
  if (facts.incident === null) return "Works. No delivery waits."
  const { beganAt, endedAt } = facts.incident
  return `Works since ${moment(endedAt)}, after failing for ${lengthOf(endedAt - beganAt)}. No delivery waits.`
}

export const webhookHealth = (facts: WebhookFacts): Health => {
  const { failedAttempts, failingSince, hold, lastError, waiting } = facts
  const run = {
    lastError: failingSince === null ? null : lastError,
    nextAttemptAt: hold === null ? (waiting?.nextAttemptAt ?? null) : null,
    attemptsFailedInARow: failedAttempts,
    waiting: waiting?.deliveries ?? 0
  }
  if (facts.status === "disabled") {
    const since = facts.disabledAt ?? facts.createdAt
    return {
      ...run,
      state: "disabled",
      since,
      // Nothing is sent until it is enabled.
      nextAttemptAt: null,
      sentence: `Disabled since ${moment(since)}${reasonOf(facts.disabledReason)}. No events are queued for it.`
    }
  }
  if (facts.pausedAt !== null) {
    return {
      ...run,
      state: "paused",
      since: facts.pausedAt,
      nextAttemptAt: null,
      sentence: `Paused since ${moment(facts.pausedAt)}: events are queued, and none is sent${
        waiting === null ? "" : `; ${numberOf(waiting)}`
      }.`
    }
  }
  if (facts.attemptedAt === null && failingSince === null) {
    return { ...run, state: "new", since: facts.createdAt, sentence: "No event was sent to it yet." }
  }
  if (facts.isFailing && failingSince !== null) {
    const sentence = `Failing since ${moment(failingSince)}${reasonOf(lastError)}. ${failuresOf(facts)}${
      waiting === null ? "" : `, ${numberOf(waiting)}`
    }.`
    return { ...run, state: "failing", since: failingSince, sentence }
  }
  if (waiting !== null) {
    return {
      ...run,
      lastError: run.lastError ?? waiting.lastError,
      state: "waiting",
      since: waiting.since,
      sentence: waitingSentence(waiting, facts.hold)
    }
  }
  const since = facts.incident?.endedAt ?? facts.attemptedAt ?? facts.createdAt
  return { ...run, state: "healthy", since, sentence: healthySentence(facts) }
}

/** As the API and the commands show it. */
export const shownHealth = ({
  attemptsFailedInARow,
  lastError,
  nextAttemptAt,
  sentence,
  since,
  state
}: Health) => ({
  state,
  since: iso(since),
  last_error: lastError,
  next_attempt_at: nextAttemptAt === null ? null : iso(nextAttemptAt),
  attempts_failed_in_a_row: attemptsFailedInARow,
  sentence
})
