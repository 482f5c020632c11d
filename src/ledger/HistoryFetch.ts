/**
 * Past ledgers from the history's servers, checked as ingest checks its own: from the top down, each with the hash that
 * the one above names as its parent, so that what is taken is proven as it comes. Ends with a reason for people when no
 * server has what is needed.
 */
import { Effect, Schedule, Schema, Stream } from "effect"
import { Limits } from "../config/Limits.ts"
import type { ChainEnd } from "../domain/History.ts"
import { isoTime, type Ledger, rippleToUnixMs } from "../domain/Ledger.ts"
import type { Detection } from "../domain/LedgerEvent.ts"
import { checkLedger } from "./LedgerCheck.ts"
import { type DetectedLedger, isChecked } from "./LedgerRecords.ts"
import { type FetchedLedger, type LedgerSource, LedgerSourceError } from "./LedgerSource.ts"

/** Why history cannot be had: a sentence that names no server, for whoever asked for the replay. */
export class HistoryUnavailable extends Schema.TaggedError<HistoryUnavailable>()("HistoryUnavailable", {
  message: Schema.String
}) {}

const unavailable = (message: string) => new HistoryUnavailable({ message })

export interface SearchBounds {
  readonly closedAfter: number
  readonly first: number
  readonly furthest: number
}

export interface DescentOptions {
  /** The lowest ledger to fetch. */
  readonly lowest: number
  readonly below: ChainEnd
  readonly detect: (ledger: Ledger) => Detection
  readonly onAlerts: (ledgerIndex: number, alerts: Detection["alerts"]) => Effect.Effect<void>
  /** Takes a range, in ledger order; true: that is enough. */
  readonly take: (range: ReadonlyArray<DetectedLedger>) => Effect.Effect<boolean>
}

export const makeHistoryFetch = (source: LedgerSource["Service"]) => {
  /** `hash`: the only one that will do. */
  const obtain = (index: number, hash: string | undefined, rounds: number) =>
    source
      .fetch(index, (fetched) => checkLedger(fetched, { index, parentHash: undefined, announcedHash: hash }))
      .pipe(
        Effect.retry({ times: rounds - 1, schedule: Schedule.exponential(Limits.ledgerRoundMs.first) }),
        Effect.timeoutOrElse({
          duration: Limits.historyAnswerMs,
          orElse: () =>
            Effect.fail(
              new LedgerSourceError({
                server: "every history server",
                reason: "timeout",
                detail: `gave no ledger ${index} within ${Limits.historyAnswerMs / 1_000} s`
              })
            )
        })
      )

  /** The operator reads which server said what, who asked for the replay what it means; `above`: what is had. */
  const orUnavailable =
    (index: number, above: number) =>
    <A>(ledger: Effect.Effect<A, LedgerSourceError>) =>
      ledger.pipe(
        Effect.tapError(({ detail, reason, server }) =>
          Effect.logWarning("a ledger of the history cannot be had").pipe(
            Effect.annotateLogs({ ledger_index: index, server, reason, detail })
          )
        ),
        Effect.mapError(({ reason }) =>
          unavailable(
            `History before ledger ${above} cannot be had: ${
              reason === "not_found"
                ? `no history server has ledger ${index}`
                : reason === "wrong_hash"
                  ? `no history server has the ledger ${index} that ledger ${above} names as its parent`
                  : `no history server gave ledger ${index}`
            }.`
          )
        )
      )

  return {
    /**
     * The last ledger that closed at `sinceMs` (Unix milliseconds) or before: below `closedAfter`, which closed after it,
     * and at most `furthest` below the service's own `first`. The chain's first ledger will do where there is none.
     */
    lastClosedBy: Effect.fnUntraced(function* (
      sinceMs: number,
      { closedAfter, first, furthest }: SearchBounds
    ) {
      const lowest = Math.min(Math.max(1, first - furthest), closedAfter)
      let [low, high] = [lowest - 1, closedAfter]
      let isThere = false
      let highClosedAt: number | undefined
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2)
        const found = yield* obtain(middle, undefined, 1).pipe(
          // Servers lack what is old: if all that they have closed after the time, the search ends there.
          Effect.catchIf(
            ({ reason }) => reason === "not_found",
            () => Effect.succeed(undefined)
          ),
          orUnavailable(middle, high)
        )
        const closed = found?.ledger.close_time
        if (closed !== undefined && rippleToUnixMs(closed) > sinceMs) [high, highClosedAt] = [middle, closed]
        else [low, isThere] = [middle, closed !== undefined]
      }
      if (low >= lowest && isThere) return low
      if (low >= lowest)
        return yield* unavailable(
          `History before ledger ${high} cannot be had: no history server has ledger ${low}.`
        )
      if (lowest === 1) return 1
      return yield* unavailable(
        `The replay would reach back beyond ledger ${lowest}${
          highClosedAt === undefined ? "" : `, which closed at ${isoTime(highClosedAt)}`
        }: further than ${furthest} ledgers before the service's first one.`
      )
    }),

    /** Down to `lowest`, or until `take` has enough. */
    descend: Effect.fnUntraced(function* ({ below, detect, lowest, onAlerts, take }: DescentOptions) {
      let { parentHash } = below
      let waiting: Array<DetectedLedger> = []
      let events = 0

      const taken = () => {
        const range = waiting.reverse()
        waiting = []
        events = 0
        return take(range)
      }

      const linked = Effect.fnUntraced(function* (fetched: FetchedLedger) {
        const { ledger_hash, ledger_index: index } = fetched.ledger
        const { ledger } =
          ledger_hash === parentHash
            ? fetched
            : yield* orUnavailable(index, index + 1)(obtain(index, parentHash, Limits.historyRounds))
        if (!isChecked(ledger)) return yield* Effect.die(new Error(`ledger ${index} was not checked`))
        const detection = detect(ledger)
        if (detection.alerts.length > 0) yield* onAlerts(index, detection.alerts)
        parentHash = ledger.parent_hash
        // Transactions are many times their events' size: only their number is kept.
        waiting.push({
          ledger: { ...ledger, transactions: { length: ledger.transactions.length } },
          detection
        })
        events += detection.events.length
        const isFull = waiting.length >= Limits.historyRangeLedgers || events >= Limits.historyRangeEvents
        if (!isFull && index > lowest) return false
        return yield* taken()
      })

      yield* Stream.range(lowest, below.ledgerIndex - 1).pipe(
        Stream.map((i) => below.ledgerIndex - 1 - (i - lowest)),
        Stream.mapEffect(
          (index) => orUnavailable(index, index + 1)(obtain(index, undefined, Limits.historyRounds)),
          { concurrency: Limits.catchUpParallel }
        ),
        Stream.mapEffect(linked),
        Stream.takeUntil((enough) => enough),
        Stream.runDrain,
        // What came before it is proven, and may be all that others need.
        Effect.tapError(() => (waiting.length > 0 ? taken() : Effect.void))
      )
    })
  }
}

export type HistoryFetch = ReturnType<typeof makeHistoryFetch>
