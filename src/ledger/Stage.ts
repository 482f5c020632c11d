/**
 * Ingest of one network: takes every validated ledger from the checkpoint on, once and in order, each linked by hash to
 * the one before, and appends its events and its marker in one transaction, of several ledgers while it catches up. The
 * last marker is the checkpoint, unless it is of another chain: a test network that was simulated and has servers now
 * begins anew. Never skips, never goes back, never ends: what is in the way is waited for, and shown.
 *
 *   checkpoint ─▶ fetch ahead, checked but not linked ─▶ link ─▶ detect ─▶ append ─▶ next
 *                                                         └─ broken chain: stopped, asks every minute until one links
 */
import { Effect, Queue, Result, type Scope, Stream } from "effect"
import { Limits } from "../config/Limits.ts"
import type { Ledger } from "../domain/Ledger.ts"
import type { Detection, LedgerMarker } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { EventLog } from "../log/EventLog.ts"
import { type Health, ledgerPart } from "../observability/Health.ts"
import { Metrics } from "../observability/Metrics.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { traced } from "../observability/Tracing.ts"
import { makeLedgerAppender } from "./LedgerAppender.ts"
import { checkLedger } from "./LedgerCheck.ts"
import { type DetectedLedger, isChecked } from "./LedgerRecords.ts"
import { type FetchedLedger, LedgerSource, takenLedger } from "./LedgerSource.ts"
import { makeProgressReporter, type ProgressReporter } from "./ProgressReporter.ts"

export interface IngestOptions {
  readonly network: Network
  /** First ledger when there is no checkpoint; `latest`: the first one announced. */
  readonly start: "latest" | number
  readonly detect: (ledger: Ledger) => Detection
  /** Told of what was withheld, before the ledger is appended: after a crash it may be told of the same again. */
  readonly onAlerts?: (ledgerIndex: number, alerts: Detection["alerts"]) => Effect.Effect<void>
}

const betweenRoundsMs = (rounds: number): number =>
  Math.min(Limits.ledgerRoundMs.longest, Limits.ledgerRoundMs.first * 2 ** rounds)

/** Rounds over the servers until one serves the ledger. */
const makeObtain = (source: LedgerSource["Service"], reporter: ProgressReporter) =>
  Effect.fnUntraced(function* (index: number, parentHash: string | undefined) {
    const accept = (fetched: FetchedLedger) => {
      const announced = source.announced(index, fetched.server)
      return checkLedger(fetched, {
        index,
        parentHash,
        announcedHash: announced?.ledgerHash,
        announcedCount: announced?.transactionCount
      })
    }
    for (let rounds = 0; ; rounds++) {
      const outcome = yield* Effect.result(source.fetch(index, accept))
      if (Result.isSuccess(outcome)) return outcome.success
      const { detail, reason, server } = outcome.failure
      const isBroken = reason === "broken_chain"
      yield* reporter.blocked(isBroken ? "stopped" : "waiting", `${server}: ${detail}`)
      const waitMs = isBroken ? Limits.brokenChainRetryMs : betweenRoundsMs(rounds)
      // A server that announces the ledger meanwhile is worth asking at once.
      yield* Effect.raceFirst(Effect.sleep(waitMs), source.awaitNews(index))
    }
  })

const forNetwork = <A, E, R>(effect: Effect.Effect<A, E, R>, { network }: IngestOptions) =>
  Effect.annotateLogs(effect, { network })

export const ingest = Effect.fnUntraced(
  function* ({
    network,
    start,
    detect,
    onAlerts = () => Effect.void
  }: IngestOptions): Effect.fn.Return<never, never, EventLog | LedgerSource | Health | Scope.Scope> {
    const source = yield* LedgerSource
    const reporter = yield* makeProgressReporter(ledgerPart(network))
    const { simulated } = source
    const log = yield* EventLog
    // Before the checkpoint is read: what an earlier owner of this network had under way has ended by then.
    const writer = yield* log
      .exclusive(ledgerPart(network))
      .pipe(retryUntilSuccess(`opening the log for ${network}`))
    const { append, lastMarker } = makeLedgerAppender({
      chain: { network, simulated },
      log,
      writer,
      onFailure: ({ operation, topic }) =>
        reporter.blocked("waiting", `the log failed to ${operation} ${topic}`)
    })
    const obtain = makeObtain(source, reporter)
    const anchor = (marker: LedgerMarker) => source.anchor(takenLedger(marker))

    const detected = Effect.fnUntraced(function* ({ ledger, server }: FetchedLedger) {
      const { ledger_index } = ledger
      if (!isChecked(ledger)) return yield* Effect.die(new Error(`ledger ${ledger_index} was not checked`))
      const detection = detect(ledger)
      const { alerts, events } = detection
      for (const alert of alerts)
        yield* Effect.logWarning("an event could not be decided and is withheld").pipe(
          Effect.annotateLogs({ ledger_index, ...alert })
        )
      if (alerts.length > 0) yield* onAlerts(ledger_index, alerts)
      yield* Effect.logDebug("ledger detected").pipe(
        Effect.annotateLogs({ ledger_index, events: events.length, server })
      )
      return { ledger, detection }
    })

    const take = Effect.fnUntraced(function* (
      ledgers: ReadonlyArray<DetectedLedger>,
      previous: LedgerMarker | undefined
    ) {
      yield* reporter.unblocked(ledgers[0]!.ledger.ledger_index)
      const markers = yield* append(ledgers, previous)
      const last = markers.at(-1)!
      yield* Effect.forEach(markers, anchor, { discard: true })
      yield* reporter.appended(last)
      yield* Metrics.ledgersTaken(network, markers.length)
      for (const { detection } of ledgers) {
        yield* Metrics.eventsDetected(network, detection.events.length)
        yield* Metrics.detectionAlerts(network, detection.alerts.length)
      }
      return last
    })

    const last = (yield* lastMarker)?.marker
    const checkpoint = (last?.simulated === true) === simulated ? last : undefined
    if (checkpoint !== undefined) yield* anchor(checkpoint)
    else if (last !== undefined)
      yield* Effect.logWarning("the log's last ledger is of another chain: ingest begins anew").pipe(
        Effect.annotateLogs({ last: last.ledger_index, simulated })
      )
    const first =
      checkpoint !== undefined
        ? checkpoint.ledger_index + 1
        : start === "latest"
          ? (yield* source.awaitHead(1)).ledgerIndex
          : start
    yield* reporter.started(first, checkpoint)

    const ahead = yield* Stream.unfold(first, (index) =>
      Effect.as(source.awaitHead(index), [index, index + 1] as const)
    ).pipe(
      // The parent's hash is known only once the parent is taken.
      Stream.mapEffect((index) => obtain(index, undefined), { concurrency: Limits.catchUpParallel }),
      Stream.toQueue({ capacity: Limits.catchUpWaiting })
    )

    /** Where the log ends, and what the next ledger must link to. */
    let previous = last
    let linkTo = checkpoint?.ledger_hash
    /** Takes from the front those that link to one another and to the last one taken; gives the rest. */
    const takeLinked = Effect.fnUntraced(function* (waiting: ReadonlyArray<FetchedLedger>) {
      const batch: Array<DetectedLedger> = []
      let parentHash = linkTo
      let events = 0
      for (const fetched of waiting) {
        const links = parentHash === undefined || fetched.ledger.parent_hash === parentHash
        if (!links || events >= Limits.catchUpBatchEvents) break
        const next = yield* detected(fetched)
        batch.push(next)
        events += next.detection.events.length
        parentHash = next.ledger.ledger_hash
      }
      if (batch.length > 0) {
        previous = yield* take(batch, previous)
        linkTo = previous.ledger_hash
      }
      return waiting.slice(batch.length)
    })

    // The queue of a stream without end has none either.
    const nextAhead = Queue.takeBetween(ahead, 1, Limits.catchUpWaiting).pipe(Effect.orDie)
    return yield* Effect.gen(function* () {
      let waiting: ReadonlyArray<FetchedLedger> = yield* nextAhead
      while (waiting.length > 0) {
        const rest = yield* traced(takeLinked(waiting), "take ledgers", ({ length }) => ({
          network,
          first_ledger_index: waiting[0]!.ledger.ledger_index,
          ledgers: waiting.length - length
        }))
        const [next, ...others] = rest
        // Nothing was taken: the first does not link, and one that does must be found.
        waiting =
          next !== undefined && rest.length === waiting.length
            ? [yield* obtain(next.ledger.ledger_index, linkTo), ...others]
            : rest
      }
    }).pipe(Effect.forever)
  },
  Effect.scoped,
  forNetwork
)
