/** The metrics of ingest of one network: what it has taken, and how fast. */
import { Clock, Effect } from "effect"
import { eventTypes } from "../../event/EventType.ts"
import type { Network } from "../../event/Network.ts"
import { Metrics } from "../../observe/Metrics.ts"
import { monotonicClock } from "../../words/Monotonic.ts"
import { ledgersPerSecond } from "./CatchUpRate.ts"
import type { Progress } from "./IngestProgress.ts"
import type { DetectedLedger } from "./LedgerRecords.ts"

export const countTaken = Effect.fnUntraced(function* (
  network: Network,
  ledgers: ReadonlyArray<DetectedLedger>
) {
  yield* Metrics.ledgersTaken.add({ network }, ledgers.length)
  const events = ledgers.flatMap(({ detection }) => detection.events)
  for (const [type, { length }] of Map.groupBy(events, (event) => event.event_type))
    yield* Metrics.eventsDetected.add({ network, type }, length)
  const transactions = ledgers.reduce((sum, one) => sum + (one.transactions?.length ?? 0), 0)
  yield* Metrics.transactionsRecorded.add({ network }, transactions)
  const alerts = ledgers.reduce((sum, { detection }) => sum + detection.alerts.length, 0)
  yield* Metrics.detectionAlerts.add({ network }, alerts)
})

/** Shows the progress for as long as the scope lives. `idle`: why no ledger is expected, so that an old one is no fault. */
export const showProgress = Effect.fnUntraced(function* (
  network: Network,
  progress: () => Progress,
  idle: () => string | null
) {
  const clock = yield* Clock.Clock
  const nowMs = yield* monotonicClock
  for (const type of eventTypes) yield* Metrics.eventsDetected.add({ network, type }, 0)
  yield* countTaken(network, [])
  yield* Metrics.newestLedger.observe({ network }, () => progress().lastTaken ?? Number.NaN)
  yield* Metrics.newestLedgerAge.observe({ network }, () => {
    const { lastCloseTime: closed } = progress()
    if (closed === undefined || idle() !== null) return Number.NaN
    return Math.max(0, clock.currentTimeMillisUnsafe() - Date.parse(closed)) / 1_000
  })
  yield* Metrics.ledgerRate.observe({ network }, () => ledgersPerSecond(progress().samples, nowMs()) ?? 0)
})
