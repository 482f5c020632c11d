/**
 * A webhook's health as the API and the commands show it: its state, the facts beside it, and one sentence for people.
 * WebhookHealthQueries.ts decides the state. Pure.
 */
import type { HealthState } from "../../spine/domain/HealthState.ts"
import type { Hold } from "../../spine/domain/Quota.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { count, counted, roughlySpelled, utcSecond } from "../../spine/words/Words.ts"

/** A delivery that waits is `waiting` if it is to be retried, or has waited for this long: about one ledger. */
export const WAITING_MS = 5_000

/** Times are Unix milliseconds. */
export interface WebhookFacts {
  readonly state: HealthState
  readonly disabledAt: number | null
  readonly disabledReason: string | null
  /** Null: it is not paused. */
  readonly pausedAt: number | null
  readonly createdAt: number
  /** End of the first attempt that was no test. */
  readonly attemptedAt: number | null
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

const GONE = "HTTP 410"
const reasonOf = (error: string | null): string =>
  error === null ? "" : error === GONE ? `: the receiver says that it is gone (${GONE})` : `: ${error}`

const failuresOf = ({ failedAttempts, failedDeliveries }: WebhookFacts): string =>
  `${counted(failedAttempts, "attempt", "attempts")} of ${counted(Math.max(1, failedDeliveries), "delivery", "deliveries")} failed`

const waitingSentence = (
  { deliveries, isMinimum, lastError, retrying, since }: WaitingFacts,
  hold: Hold | null
): string => {
  const some = `${isMinimum ? "At least " : ""}${counted(deliveries, "delivery waits", "deliveries wait")} since ${utcSecond(since)}`
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
    return `Works, but ${failuresOf(facts)} since ${utcSecond(facts.failingSince ?? facts.createdAt)}${reasonOf(facts.lastError)}.`
  if (facts.incident === null) return "Works. No delivery waits."
  const { beganAt, endedAt } = facts.incident
  return `Works since ${utcSecond(endedAt)}, after failing for ${roughlySpelled(Math.max(1_000, endedAt - beganAt))}. No delivery waits.`
}

/** Since when it is in its state, and what to say of it. The state says which facts there are. */
const shownOf = (facts: WebhookFacts): Pick<Health, "since" | "sentence"> => {
  const { failingSince, waiting } = facts
  switch (facts.state) {
    case "disabled": {
      const since = facts.disabledAt ?? facts.createdAt
      return {
        since,
        sentence: `Disabled since ${utcSecond(since)}${reasonOf(facts.disabledReason)}. No events are queued for it.`
      }
    }
    case "paused": {
      const since = facts.pausedAt!
      return {
        since,
        sentence: `Paused since ${utcSecond(since)}: events are queued, and none is sent${
          waiting === null ? "" : `; ${numberOf(waiting)}`
        }.`
      }
    }
    case "new":
      return { since: facts.createdAt, sentence: "No event was sent to it yet." }
    case "failing": {
      const since = failingSince!
      return {
        since,
        sentence: `Failing since ${utcSecond(since)}${reasonOf(facts.lastError)}. ${failuresOf(facts)}${
          waiting === null ? "" : `, ${numberOf(waiting)}`
        }.`
      }
    }
    case "waiting":
      return { since: waiting!.since, sentence: waitingSentence(waiting!, facts.hold) }
    case "healthy":
      return {
        since: facts.incident?.endedAt ?? facts.attemptedAt ?? facts.createdAt,
        sentence: healthySentence(facts)
      }
  }
}

export const webhookHealth = (facts: WebhookFacts): Health => {
  const { failedAttempts, failingSince, hold, lastError, state, waiting } = facts
  const isSent = hold === null && state !== "disabled" && state !== "paused"
  return {
    ...shownOf(facts),
    state,
    lastError:
      (failingSince === null ? null : lastError) ?? (state === "waiting" ? waiting!.lastError : null),
    nextAttemptAt: isSent ? (waiting?.nextAttemptAt ?? null) : null,
    attemptsFailedInARow: failedAttempts,
    waiting: waiting?.deliveries ?? 0
  }
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
