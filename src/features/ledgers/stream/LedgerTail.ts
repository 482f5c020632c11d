/**
 * Keeps the newest routed ledgers of a network, with their events counted by type, for all streams of ledgers. One fiber
 * follows the log while the scope is open. A ledger is added once route has queued its events, so its deliveries are
 * known or will be soon. While the log cannot be read, no ledger is added; then reading resumes where it stopped.
 */
import { Effect, Latch, Schedule, type Scope } from "effect"
import { eventsTopic, type LedgerMarker, ledgersTopic } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { Log, type LogError } from "../../../spine/log/Log.ts"
import { countLedgerEvents } from "../../../spine/log/ledgers/LedgerEvents.ts"
import { markerIn } from "../../../spine/log/ledgers/LedgerMarkers.ts"
import { retryUntilSuccess } from "../../../spine/observe/RetryUntilSuccess.ts"
import { monotonicNow } from "../../../spine/words/Monotonic.ts"
import { StreamLimits } from "../../events/stream/Limits.ts"
import { KEPT_LEDGERS, type RoutedLedger } from "./LiveLedgers.ts"

/** Between checks whether route has reached a ledger. */
const ROUTED_POLL_MS = 100

export interface LedgerTail {
  /** Oldest first, at most `KEPT_LEDGERS`. */
  readonly ledgers: () => ReadonlyArray<RoutedLedger>
  /** Waits until there is a ledger past the one at `offset`. */
  readonly reached: (offset: number) => Effect.Effect<void>
}

export const makeLedgerTail = Effect.fnUntraced(function* (
  network: Network
): Effect.fn.Return<LedgerTail, LogError, Log | Scope.Scope> {
  const log = yield* Log
  const { readRecords } = yield* StreamLimits
  const partition = { topic: ledgersTopic(network), partition: 0 }
  const { end, start } = yield* log.offsets(partition)
  // In Kafka every second offset is the end of a transaction.
  let next = Math.max(start, end - 2 * KEPT_LEDGERS)
  let ledgers: ReadonlyArray<RoutedLedger> = []
  let grown = Latch.makeUnsafe()

  const isRouted = ({ event_count: count, first_event_offset: first }: LedgerMarker) =>
    first === null
      ? Effect.succeed(true)
      : log
          .committed("route", { topic: eventsTopic(network), partition: 0 })
          .pipe(Effect.map((committed) => committed >= first + count))

  const tell = () => {
    const waiting = grown
    grown = Latch.makeUnsafe()
    waiting.openUnsafe()
  }

  const readMore = Effect.gen(function* () {
    const records = yield* log.read({ ...partition, offset: next }, readRecords)
    if (records.length === 0) {
      yield* log.awaitOffset({ ...partition, offset: next })
      return
    }
    const placed = yield* Effect.forEach(records, (record) =>
      Effect.map(markerIn(record), (marker) => ({ marker, offset: record.offset }))
    )
    const newestAt = placed.at(-1)!.marker.detected_at
    for (const { marker, offset } of placed.slice(-KEPT_LEDGERS)) {
      if (!(yield* isRouted(marker))) {
        tell()
        yield* isRouted(marker).pipe(
          Effect.repeat({ until: (routed) => routed, schedule: Schedule.spaced(ROUTED_POLL_MS) })
        )
      }
      const events = yield* countLedgerEvents(log, network, marker)
      const ledger: RoutedLedger = {
        offset,
        network,
        ledgerIndex: marker.ledger_index,
        closedAt: marker.close_time,
        takenAt: marker.detected_at,
        events,
        // The first records that are read may be minutes old.
        routedAtMs: (yield* monotonicNow) - (newestAt - marker.detected_at)
      }
      ledgers = [...ledgers, ledger].slice(-KEPT_LEDGERS)
      next = offset + 1
    }
    // Together, so that the first viewer sees the newest ones at once.
    tell()
  })
  yield* readMore.pipe(
    retryUntilSuccess(`reading new ledgers of ${network} for streams`),
    Effect.forever,
    Effect.forkScoped
  )

  const reached = (offset: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      (ledgers.at(-1)?.offset ?? -1) > offset
        ? Effect.void
        : Effect.flatMap(Latch.await(grown), () => reached(offset))
    )
  return { ledgers: () => ledgers, reached }
})
