/**
 * Ingest of one network. Takes every validated ledger after the checkpoint, once and in order. Each must link by hash
 * to the one before. Its events and marker are appended in one transaction; the last marker in the log is the
 * checkpoint. It skips no ledger without an operator's order (SkippedLedgers.ts), never goes back and never ends: if it
 * cannot continue, it waits and reports why in `Health`. A new chain starts if a simulated test network gets servers, or
 * the other way round, and by order, after a reset.
 *
 *   checkpoint ─▶ fetch ahead and check ─▶ link ─▶ detect ─▶ append ─▶ next
 *                                           └─ broken chain: stopped; asks again until a ledger links
 */

import { Effect, Queue, Result, type Scope, Stream } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { Ledger } from "../../event/Ledger.ts"
import type { Detection, LedgerMarker } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import { Log } from "../../log/Log.ts"
import { type Health, ledgerPart } from "../../observe/Health.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import { traced } from "../../observe/Tracing.ts"
import { ledgerLimits } from "../Limits.ts"
import { checkLedger } from "../servers/LedgerCheck.ts"
import { type FetchedLedger, LedgerSource, takenLedger } from "../servers/LedgerSource.ts"
import { makeLedgerAppender } from "./LedgerAppender.ts"
import { countTaken } from "./LedgerMetrics.ts"
import { type DetectedLedger, isChecked } from "./LedgerRecords.ts"
import type { NetworkFacts } from "./NetworkFacts.ts"
import { makeProgressReporter, type ProgressReporter } from "./ProgressReporter.ts"
import { fetchHeader, noSkips, ROUNDS, type SkipOrders, skippedLedger } from "./SkippedLedgers.ts"
import { recordedTransactions, type WithheldTransaction } from "./TransactionRecords.ts"
import { makeWaitingMemory } from "./WaitingMemory.ts"

/** Fetched ledgers that may additionally wait for their commit. A busy ledger has a few MB. */
export const WAITING_LEDGERS = 4 * ledgerLimits.catchUpParallel

/** The longest wait before a ledger whose parent hash does not match the ledger before it is fetched again. */
const BROKEN_CHAIN_MS = 60_000

export interface IngestOptions {
  readonly network: Network
  /** The first ledger if there is no checkpoint. `latest`: the newest announced one. */
  readonly start: "latest" | number
  readonly detect: (ledger: Ledger) => Detection
  /**
   * Called with the withheld events before the ledger is appended. After a crash it may be called again for a ledger.
   */
  readonly onAlerts?: (ledgerIndex: number, alerts: Detection["alerts"]) => Effect.Effect<void>
  /** Whether the ledger's transactions are written too. Default: no. */
  readonly rawTransactions?: boolean
  /** Called as `onAlerts`, with the transactions that have no record. */
  readonly onWithheld?: (
    ledgerIndex: number,
    withheld: ReadonlyArray<WithheldTransaction>
  ) => Effect.Effect<void>
  /** Default: none. */
  readonly skips?: SkipOrders
  /** Whether an operator ordered to start a new chain after this ledger, the last one. Default: no. */
  readonly startsOver?: (last: LedgerMarker) => Effect.Effect<boolean>
  /** Shows the facts to other processes. Called about once for each ledger; it may fail or hang. Default: nothing. */
  readonly share?: (facts: NetworkFacts) => Effect.Effect<void>
}

/** After a broken chain, the servers that sent it are not asked again for a while, but the others may be well soon. */
const betweenRoundsMs = (rounds: number, isBroken = false): number =>
  Math.min(
    isBroken ? BROKEN_CHAIN_MS : ledgerLimits.ledgerRoundMs.longest,
    ledgerLimits.ledgerRoundMs.first * 2 ** rounds
  )

/**
 * Asks all servers, round after round, until one sends the ledger, or an operator orders to skip it. `chainStart`: the
 * ledger that has no parent in the log, so that only its own header can name one.
 */
const makeObtain = (
  source: LedgerSource["Service"],
  reporter: ProgressReporter,
  skips: SkipOrders,
  chainStart: number | undefined
) =>
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
      const order = isBroken || rounds < ROUNDS ? undefined : yield* skips.reason(index)
      const hole = order === undefined ? undefined : yield* skippedLedger(source, index, parentHash, order)
      if (hole !== undefined && (hole.ledger.parent_hash !== undefined || index !== chainStart)) return hole
      // If another server announces the ledger meanwhile, ask at once.
      yield* Effect.raceFirst(Effect.sleep(betweenRoundsMs(rounds, isBroken)), source.awaitNews(index))
    }
  })

/** The newest announced ledger that a server can send: an announced index may be false. */
const newestSent = Effect.fnUntraced(function* (source: LedgerSource["Service"], reporter: ProgressReporter) {
  for (let rounds = 0; ; rounds++) {
    const { ledgerIndex } = yield* source.awaitHead(1)
    const outcome = yield* Effect.result(fetchHeader(source, ledgerIndex, undefined))
    if (Result.isSuccess(outcome)) return ledgerIndex
    const { detail, server } = outcome.failure
    yield* reporter.blocked("waiting", `${server}: ${detail}`)
    yield* Effect.sleep(betweenRoundsMs(rounds))
  }
})

const forNetwork = <A, E, R>(effect: Effect.Effect<A, E, R>, { network }: IngestOptions) =>
  Effect.annotateLogs(effect, { network })

export const ingest = Effect.fnUntraced(
  function* ({
    network,
    start,
    detect,
    onAlerts = () => Effect.void,
    rawTransactions = false,
    onWithheld = () => Effect.void,
    skips = noSkips,
    startsOver = () => Effect.succeed(false),
    share = () => Effect.void
  }: IngestOptions): Effect.fn.Return<never, never, Log | LedgerSource | Health | Scope.Scope> {
    const source = yield* LedgerSource
    const reporter = yield* makeProgressReporter(network, skips.count, share)
    const { simulated } = source
    const log = yield* Log
    // Before the checkpoint is read: opening the writer ends the writes of an earlier owner.
    const writer = yield* log
      .exclusive(ledgerPart(network))
      .pipe(retryUntilSuccess(`opening the log for ${network}`))
    const { append, lastMarker } = makeLedgerAppender({
      chain: { network, simulated },
      log,
      writer,
      onFailure: ({ message }) => reporter.blocked("waiting", message)
    })
    const anchor = (marker: LedgerMarker) => source.anchor(takenLedger(marker))

    /** `parentHash`: for a skipped ledger whose header no server has. */
    const detected = Effect.fnUntraced(function* (
      { ledger: fetched, server, skipped }: FetchedLedger,
      parentHash: string | undefined
    ) {
      const ledger = { ...fetched, parent_hash: fetched.parent_hash ?? parentHash }
      const { ledger_index } = ledger
      if (!isChecked(ledger)) return yield* Effect.die(new Error(`ledger ${ledger_index} was not checked`))
      const detection = detect(ledger)
      const { alerts, events } = detection
      for (const alert of alerts)
        yield* Effect.logWarning("detection alert: an event is withheld").pipe(
          Effect.annotateLogs({ ledger_index, ...alert })
        )
      if (alerts.length > 0) yield* onAlerts(ledger_index, alerts)
      yield* Effect.logDebug("ledger detected").pipe(
        Effect.annotateLogs({ ledger_index, events: events.length, server })
      )
      const raw = rawTransactions ? recordedTransactions(network, ledger) : undefined
      if (raw !== undefined && raw.withheld.length > 0) yield* onWithheld(ledger_index, raw.withheld)
      const found = {
        ledger,
        detection,
        ...(raw !== undefined && { transactions: raw.records, bytes: raw.bytes })
      }
      if (skipped === undefined) return found
      yield* Effect.logWarning("ledger skipped").pipe(Effect.annotateLogs({ ledger_index, reason: skipped }))
      return { ...found, ledger: { ...ledger, skipped } }
    })

    const take = Effect.fnUntraced(function* (
      ledgers: ReadonlyArray<DetectedLedger>,
      previous: LedgerMarker | undefined
    ) {
      yield* reporter.unblocked(ledgers[0]!.ledger.ledger_index)
      const markers = yield* append(ledgers, previous)
      const last = markers.at(-1)!
      yield* Effect.forEach(markers, anchor, { discard: true })
      if (last.skipped !== undefined) yield* skips.skipped(last)
      yield* reporter.appended(last)
      yield* countTaken(network, ledgers)
      return last
    })

    const last = (yield* lastMarker)?.marker
    const isOfThisChain = last !== undefined && (last.simulated === true) === simulated
    const checkpoint = isOfThisChain && !(yield* startsOver(last)) ? last : undefined
    // The process may have died between the marker and the row.
    if (last?.skipped !== undefined) yield* skips.skipped(last)
    if (checkpoint !== undefined) yield* anchor(checkpoint)
    else if (last !== undefined)
      yield* Effect.logWarning(
        "the last ledger in the log is of a chain that has ended; ingest starts a new one"
      ).pipe(Effect.annotateLogs({ last: last.ledger_index, simulated }))
    const first =
      checkpoint !== undefined
        ? checkpoint.ledger_index + 1
        : start === "latest"
          ? yield* newestSent(source, reporter)
          : start
    yield* reporter.started(first, checkpoint)
    const obtainOne = makeObtain(source, reporter, skips, checkpoint === undefined ? first : undefined)
    const obtain = (index: number, parentHash: string | undefined) =>
      Effect.tap(obtainOne(index, parentHash), (fetched) => Effect.sync(() => memory.add(fetched)))

    const memory = makeWaitingMemory(ledgerLimits.catchUpWaitingBytes)
    const ahead = yield* Stream.unfold(first, (index) =>
      source.awaitHead(index).pipe(Effect.andThen(memory.awaitRoom), Effect.as([index, index + 1] as const))
    ).pipe(
      // The link to the parent is checked later: the parent may not have arrived yet.
      Stream.mapEffect((index) => obtain(index, undefined), { concurrency: ledgerLimits.catchUpParallel }),
      Stream.toQueue({ capacity: WAITING_LEDGERS })
    )

    /** The newest marker in the log. */
    let previous = last
    /** The hash that the next ledger must name as its parent. */
    let linkTo = checkpoint?.ledger_hash
    /** Takes the leading ledgers that link to the last taken one and to one another. Returns the rest. */
    const takeLinked = Effect.fnUntraced(function* (waiting: ReadonlyArray<FetchedLedger>) {
      const batch: Array<DetectedLedger> = []
      let parentHash = linkTo
      let events = 0
      let bytes = 0
      for (const fetched of waiting) {
        const { parent_hash: parent = parentHash } = fetched.ledger
        const links = parentHash === undefined || parent === parentHash
        const isFull = events >= ledgerLimits.catchUpBatchEvents || bytes >= Limits.recordsBytes
        if (!links || isFull) break
        const next = yield* detected(fetched, parentHash)
        batch.push(next)
        events += next.detection.events.length
        bytes += next.bytes ?? 0
        parentHash = next.ledger.ledger_hash
        // A skipped ledger is the last of its batch: the last marker of the log then says what may be left to do.
        if (fetched.skipped !== undefined) break
      }
      if (batch.length > 0) {
        previous = yield* take(batch, previous)
        linkTo = previous.ledger_hash
      }
      return waiting.slice(batch.length)
    })

    // The stream never ends, so the queue does not either.
    const nextAhead = Queue.takeBetween(ahead, 1, WAITING_LEDGERS).pipe(Effect.orDie)
    return yield* Effect.gen(function* () {
      let waiting: ReadonlyArray<FetchedLedger> = yield* nextAhead
      while (waiting.length > 0) {
        const rest = yield* traced(takeLinked(waiting), "take ledgers", ({ length }) => ({
          network,
          first_ledger_index: waiting[0]!.ledger.ledger_index,
          ledgers: waiting.length - length
        }))
        const [next, ...others] = rest
        if (next !== undefined && rest.length === waiting.length) {
          // No ledger was taken, because the first one does not link. Find a ledger that links.
          memory.release([next])
          waiting = [yield* obtain(next.ledger.ledger_index, linkTo), ...others]
        } else {
          memory.release(waiting.slice(0, waiting.length - rest.length))
          waiting = rest
        }
      }
    }).pipe(Effect.forever)
  },
  Effect.scoped,
  forNetwork
)
