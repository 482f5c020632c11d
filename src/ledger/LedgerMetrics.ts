/** The metrics of ingest of one network: what it has taken, and how far it is behind the servers. */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { eventTypes } from "../domain/EventType.ts"
import { monotonicClock } from "../domain/Monotonic.ts"
import type { Network } from "../domain/Network.ts"
import { Metrics } from "../observability/Metrics.ts"
import { ledgersPerSecond } from "./CatchUpRate.ts"
import type { DetectedLedger } from "./LedgerRecords.ts"
import { LedgerSource, type SourceState } from "./LedgerSource.ts"
import type { Progress } from "./Progress.ts"

export const countTaken = Effect.fnUntraced(function* (
  network: Network,
  ledgers: ReadonlyArray<DetectedLedger>
) {
  yield* Metrics.ledgersTaken.add({ network }, ledgers.length)
  const events = ledgers.flatMap(({ detection }) => detection.events)
  for (const [type, { length }] of Map.groupBy(events, (event) => event.event_type))
    yield* Metrics.eventsDetected.add({ network, type }, length)
  const alerts = ledgers.reduce((sum, { detection }) => sum + detection.alerts.length, 0)
  yield* Metrics.detectionAlerts.add({ network }, alerts)
})

/** While a simulated network is idle, a ledger that is old is no fault. */
const ageSeconds = ({ lastCloseTime }: Progress, { idle }: SourceState, nowMs: number): number =>
  lastCloseTime === undefined || idle !== undefined
    ? Number.NaN
    : Math.max(0, nowMs - Date.parse(lastCloseTime)) / 1_000

/** Shows the progress for as long as the scope lives. The state of the servers is read every `metricsReadMs`. */
export const showProgress = Effect.fnUntraced(function* (network: Network, progress: () => Progress) {
  const source = yield* LedgerSource
  const clock = yield* Clock.Clock
  const nowMs = yield* monotonicClock
  let state = yield* source.state
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.sleep(Limits.metricsReadMs),
        Effect.map(source.state, (now) => {
          state = now
        })
      )
    )
  )
  for (const type of eventTypes) yield* Metrics.eventsDetected.add({ network, type }, 0)
  yield* countTaken(network, [])
  yield* Metrics.newestLedger.observe({ network }, () => progress().lastTaken ?? Number.NaN)
  yield* Metrics.newestLedgerAge.observe({ network }, () =>
    ageSeconds(progress(), state, clock.currentTimeMillisUnsafe())
  )
  yield* Metrics.ledgersBehind.observe({ network }, () => {
    const { lastTaken } = progress()
    return lastTaken === undefined || state.head === undefined
      ? Number.NaN
      : Math.max(0, state.head.ledgerIndex - lastTaken)
  })
  yield* Metrics.ledgerRate.observe({ network }, () => ledgersPerSecond(progress().samples, nowMs()) ?? 0)
})
