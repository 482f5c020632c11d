/**
 * Ingest of one network: takes every validated ledger from the checkpoint on, exactly once and in order, each linked by
 * hash to the one before, and appends its events and its marker in one transaction. The last marker is the checkpoint.
 *
 *   checkpoint ─▶ fetch ahead, checked but not linked ─▶ link ─▶ detect ─▶ append ─▶ next
 *                                                         └─ broken chain: stopped, asks every minute until one links
 * Never skips, never goes back, never ends: what stands in the way is waited for and shown in its health.
 */
import { Clock, Effect, Schedule, Stream } from "effect"
import { Limits } from "../config/Limits.ts"
import { untilBack } from "../config/Retrying.ts"
import type { Ledger } from "../domain/Ledger.ts"
import { type Detection, type LedgerMarker, ledgersTopic } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { EventLog } from "../log/EventLog.ts"
import { Health } from "../observability/Health.ts"
import { Metrics } from "../observability/Metrics.ts"
import { type FetchedLedger, LedgerSource, type LedgerSourceError } from "./LedgerSource.ts"
import { healthOf, type Progress } from "./Progress.ts"
import { eventRecords, isChecked, markerOf, markerRecord, readMarker } from "./Records.ts"
import { checkLedger } from "./Sequence.ts"

export interface IngestOptions {
  readonly network: Network
  /** First ledger when there is no checkpoint; `latest`: the first one announced. */
  readonly start: "latest" | number
  readonly detect: (ledger: Ledger) => Detection
}

/** The network's part in `Health`. */
export const healthPart = (network: Network): string => `ledger.${network}`

const betweenRounds = Schedule.min([
  Schedule.exponential(Limits.ledgerRoundMs.first),
  Schedule.spaced(Limits.ledgerRoundMs.longest)
])

const forNetwork = <A, E, R>(effect: Effect.Effect<A, E, R>, { network }: IngestOptions) =>
  Effect.annotateLogs(effect, { network })

export const ingest = Effect.fnUntraced(function* ({
  network,
  start,
  detect
}: IngestOptions): Effect.fn.Return<never, never, EventLog | LedgerSource | Health> {
  const log = yield* EventLog
  const source = yield* LedgerSource
  const health = yield* Health

  let progress: Progress = {
    lastTaken: undefined,
    lastCloseTime: undefined,
    movedAt: yield* Clock.currentTimeMillis,
    obstacle: undefined
  }
  yield* health.watch(
    healthPart(network),
    Effect.gen(function* () {
      return healthOf(progress, yield* source.state, yield* Clock.currentTimeMillis)
    })
  )
  const obstructed = (kind: "waiting" | "stopped", detail: string) =>
    Effect.suspend(() => {
      // A ledger fetched ahead may be missing while the chain is stopped: the stop is what matters.
      if (kind === "waiting" && progress.obstacle?.kind === "stopped") return Effect.void
      const isNews = progress.obstacle?.detail !== detail
      progress = { ...progress, obstacle: { kind, detail } }
      if (!isNews) return Effect.void
      return kind === "stopped"
        ? Effect.logError("ingest stopped").pipe(Effect.annotateLogs({ detail }))
        : Effect.logWarning("ingest waits").pipe(Effect.annotateLogs({ detail }))
    })

  const lastMarker = log
    .last({ topic: ledgersTopic(network), partition: 0 })
    .pipe(Effect.map((record) => (record === undefined ? undefined : readMarker(record))))

  /** Rounds over the servers until one serves the ledger. */
  const obtain = (index: number, parentHash: string | undefined): Effect.Effect<FetchedLedger> => {
    const accept = (fetched: FetchedLedger) => {
      const announced = source.announced(index)
      return checkLedger(fetched, {
        index,
        parentHash,
        announcedHash: announced?.ledgerHash,
        announcedCount: announced?.transactionCount
      })
    }
    const round = source
      .fetch(index, accept)
      .pipe(
        Effect.tapError((error: LedgerSourceError) =>
          obstructed(
            error.reason === "broken_chain" ? "stopped" : "waiting",
            `${error.server}: ${error.detail}`
          )
        )
      )
    const unlessBroken = round.pipe(
      Effect.retry({ while: ({ reason }) => reason !== "broken_chain", schedule: betweenRounds })
    )
    return unlessBroken.pipe(Effect.retry(Schedule.spaced(Limits.brokenChainRetryMs)), Effect.orDie)
  }

  /** Whether the marker is the log's last record; the answer to a write of which we do not know whether it landed. */
  const landed = Effect.fnUntraced(function* (marker: LedgerMarker, previous: LedgerMarker | undefined) {
    const last = yield* lastMarker
    if (last?.ledger_hash === marker.ledger_hash) return true
    if (last?.ledger_hash === previous?.ledger_hash) return false
    return yield* Effect.die(
      new Error(
        `another process wrote ledger ${last?.ledger_index} of ${network} while this one wrote ${marker.ledger_index}`
      )
    )
  })

  const take = Effect.fnUntraced(function* (fetched: FetchedLedger, previous: LedgerMarker | undefined) {
    const { ledger } = fetched
    if (!isChecked(ledger))
      return yield* Effect.die(new Error(`ledger ${ledger.ledger_index} was not checked`))
    if (progress.obstacle?.kind === "stopped")
      yield* Effect.logInfo("ingest goes on").pipe(Effect.annotateLogs({ ledger_index: ledger.ledger_index }))
    progress = { ...progress, obstacle: undefined }
    const { events, alerts } = detect(ledger)
    for (const alert of alerts)
      yield* Effect.logWarning("an event could not be decided and is withheld").pipe(
        Effect.annotateLogs({ ledger_index: ledger.ledger_index, ...alert })
      )
    // Strictly increasing even when the clock goes back: delivery ids sort by it.
    const detectedAt = Math.max(yield* Clock.currentTimeMillis, (previous?.detected_at ?? 0) + 1)
    const marker = markerOf(ledger, events.length, null, detectedAt)
    const transaction = {
      append: eventRecords(network, ledger, events, detectedAt),
      appendThen: (positions: ReadonlyArray<{ readonly offset: number }>) => [
        markerRecord(network, { ...marker, first_event_offset: positions[0]?.offset ?? null })
      ]
    }
    let unsure = false
    yield* Effect.gen(function* () {
      if (unsure && (yield* landed(marker, previous))) return
      unsure = true
      yield* log.transaction(transaction)
    }).pipe(
      Effect.tapError((error) =>
        obstructed("waiting", `the log failed to ${error.operation} ${error.topic}`)
      ),
      Effect.retry(untilBack),
      Effect.orDie
    )
    progress = {
      lastTaken: marker.ledger_index,
      lastCloseTime: marker.close_time,
      movedAt: yield* Clock.currentTimeMillis,
      obstacle: undefined
    }
    yield* Metrics.ledgersTaken(network, 1)
    yield* Metrics.eventsDetected(network, events.length)
    yield* Metrics.detectionAlerts(network, alerts.length)
    yield* Effect.logDebug("ledger taken").pipe(
      Effect.annotateLogs({
        ledger_index: marker.ledger_index,
        events: events.length,
        server: fetched.server
      })
    )
    return marker
  })

  const checkpoint = yield* lastMarker.pipe(
    Effect.tapError((error) => obstructed("waiting", `the log failed to ${error.operation} ${error.topic}`)),
    Effect.retry(untilBack),
    Effect.orDie
  )
  const first =
    checkpoint !== undefined
      ? checkpoint.ledger_index + 1
      : start === "latest"
        ? (yield* source.awaitHead(1)).ledgerIndex
        : start
  progress = { ...progress, lastTaken: first - 1, lastCloseTime: checkpoint?.close_time, obstacle: undefined }
  yield* Effect.logInfo("ingest starts").pipe(Effect.annotateLogs({ first }))

  let previous = checkpoint
  return yield* Stream.unfold(first, (index) =>
    Effect.as(source.awaitHead(index), [index, index + 1] as const)
  ).pipe(
    // The parent's hash is known only once the parent is taken.
    Stream.mapEffect((index) => obtain(index, undefined), { concurrency: Limits.catchUpParallel }),
    Stream.runForEach(
      Effect.fnUntraced(function* (ahead) {
        const index = ahead.ledger.ledger_index
        const links = previous === undefined || previous.ledger_hash === ahead.ledger.parent_hash
        const fetched = links ? ahead : yield* obtain(index, previous?.ledger_hash)
        previous = yield* take(fetched, previous)
      })
    ),
    Effect.andThen(Effect.never)
  )
}, forNetwork)
