/** Counts and durations of recorded attempts, for the metrics. */
import { Effect } from "effect"
import type { Network } from "../domain/Network.ts"
import { Metrics, statusClassOf } from "../observability/Metrics.ts"
import type { AttemptRecord } from "../storage/deliveries/Transitions.ts"
import type { Work } from "./Lane.ts"

/** Undefined for retries and replays: their events are older than the delay that the metric shows. */
export const sinceClose = ({ attempt, event, kind }: Work, { attemptedAt }: AttemptRecord) =>
  attempt === 1 && kind === "live"
    ? { network: event.network, ms: Math.max(0, attemptedAt - Date.parse(event.timestamp)) }
    : undefined

export interface MeasuredOutcome {
  /** Undefined if the attempt was recorded before. */
  readonly attempt: AttemptRecord | undefined
  /** For the first attempt of a live delivery: the time from its ledger's close to the start of the attempt. */
  readonly sinceClose?: { readonly network: Network; readonly ms: number } | undefined
}

export const countAttempts = Effect.fnUntraced(function* (outcomes: ReadonlyArray<MeasuredOutcome>) {
  const attempts = outcomes.flatMap(({ attempt }) => attempt ?? [])
  for (const [outcome, ended] of Map.groupBy(attempts, ({ status }) => status)) {
    for (const [status_class, { length }] of Map.groupBy(ended, (one) => statusClassOf(one.responseStatus)))
      yield* Metrics.deliveryAttempts.add({ outcome, status_class }, length)
    yield* Metrics.attemptDuration.record(
      { outcome },
      ended.map(({ attemptedAt, endedAt }) => Math.max(0, endedAt - attemptedAt) / 1_000)
    )
  }
  const first = outcomes.flatMap((outcome) => outcome.sinceClose ?? [])
  for (const [network, ones] of Map.groupBy(first, (one) => one.network))
    yield* Metrics.firstAttemptDelay.record(
      { network },
      ones.map(({ ms }) => ms / 1_000)
    )
})
