/** What is shown of recorded attempts: metrics, and a line for each at the level `debug`. */

import { Effect, LogLevel, References } from "effect"
import type { AttemptRecord } from "../../deliveries/Transitions.ts"
import { Metrics, statusClassOf } from "../../observe/Metrics.ts"
import type { AccountId, WebhookId } from "../../words/Ids.ts"
import type { Work } from "../Work.ts"

/** The outcome of one attempt. */
export interface Outcome {
  readonly attempt: AttemptRecord
  readonly accountId: AccountId
  readonly webhookId: WebhookId
  /** What was attempted. */
  readonly work: Work
}

const secondsOf = ({ attemptedAt, endedAt }: AttemptRecord): number =>
  Math.max(0, endedAt - attemptedAt) / 1_000

/** Only first attempts that nothing of their webhooks held back. */
const delayOf = ({ attempt, work }: Outcome) => {
  if (attempt.attempt !== 1 || !work.wasFree) return []
  const { network, timestamp } = work.event
  return [{ network, seconds: Math.max(0, attempt.attemptedAt - Date.parse(timestamp)) / 1_000 }]
}

export const showAttempts = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
  const attempts = outcomes.map(({ attempt }) => attempt)
  for (const [outcome, ended] of Map.groupBy(attempts, ({ status }) => status)) {
    for (const [status_class, { length }] of Map.groupBy(ended, (one) => statusClassOf(one.responseStatus)))
      yield* Metrics.deliveryAttempts.add({ outcome, status_class }, length)
    yield* Metrics.attemptDuration.record({ outcome }, ended.map(secondsOf))
  }
  for (const [network, ones] of Map.groupBy(outcomes.flatMap(delayOf), (one) => one.network))
    yield* Metrics.serviceDelay.record(
      { network },
      ones.map(({ seconds }) => seconds)
    )
  // Annotations are made only if somebody wants them.
  if (!LogLevel.isLessThanOrEqualTo(yield* References.MinimumLogLevel, "Debug")) return
  for (const { attempt, webhookId, work } of outcomes) {
    yield* Effect.logDebug("attempt").pipe(
      Effect.annotateLogs({
        webhook_id: webhookId,
        delivery_id: attempt.deliveryId,
        event_id: work.event.event_id,
        event_type: work.event.event_type,
        network: work.event.network,
        kind: work.kind,
        attempt: attempt.attempt,
        outcome: attempt.status,
        status: attempt.responseStatus,
        error: attempt.error,
        duration_ms: attempt.endedAt - attempt.attemptedAt
      })
    )
  }
})
