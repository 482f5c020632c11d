/**
 * Fetches past ledgers from the history servers and checks them as ingest does. It works downwards: each ledger must
 * have the hash that the ledger above names as its parent, so every ledger is verified when it arrives. If no server
 * has a ledger, it fails with a sentence for the user who asked for the replay.
 */

import { Effect, Schedule, Schema, Stream } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { ChainEnd } from "../../domain/Backfill.ts"
import { isoTime, type Ledger, rippleToUnixMs } from "../../event/Ledger.ts"
import type { Detection } from "../../event/LedgerEvent.ts"
import { seconds } from "../../words/Words.ts"
import { type DetectedLedger, isChecked } from "../ingest/LedgerRecords.ts"
import { asSkipped, fetchHeader, ROUNDS, type SkipOrders } from "../ingest/SkippedLedgers.ts"
import { ledgerLimits } from "../Limits.ts"
import { checkLedger } from "../servers/LedgerCheck.ts"
import {
  type FetchedLedger,
  type LedgerPart,
  type LedgerSource,
  LedgerSourceError
} from "../servers/LedgerSource.ts"

/** Fetching fails if no server has sent a ledger within this time, rate limits and reconnections included. */
const ANSWER_MS = 300_000

/** Why history is unavailable: a sentence for the user who asked for the replay. It names no server. */
export class BackfillUnavailable extends Schema.TaggedError<BackfillUnavailable>()("BackfillUnavailable", {
  message: Schema.String
}) {}

const unavailable = (message: string) => new BackfillUnavailable({ message })

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
  readonly skips: SkipOrders
  /** Receives a range, in ledger order. Returns true to stop. */
  readonly take: (range: ReadonlyArray<DetectedLedger>) => Effect.Effect<boolean>
}

export const makeBackfillFetch = (source: LedgerSource["Service"]) => {
  /** Fetches one ledger. `hash`: the hash it must have, if known. */
  const obtain = (index: number, hash: string | undefined, rounds: number, part: LedgerPart = "whole") =>
    source
      .fetch(
        index,
        (fetched) => checkLedger(fetched, { index, part, parentHash: undefined, announcedHash: hash }),
        part
      )
      .pipe(
        Effect.retry({ times: rounds - 1, schedule: Schedule.exponential(ledgerLimits.ledgerRoundMs.first) }),
        Effect.timeoutOrElse({
          duration: ANSWER_MS,
          orElse: () =>
            Effect.fail(
              new LedgerSourceError({
                server: "every history server",
                reason: "timeout",
                detail: `did not send ledger ${index} within ${seconds(ANSWER_MS)}`
              })
            )
        })
      )

  /**
   * Logs the servers' errors for the operator, and fails with a sentence for the user. `above`: the lowest ledger held.
   */
  const orUnavailable =
    (index: number, above: number) =>
    <A>(ledger: Effect.Effect<A, LedgerSourceError>) =>
      ledger.pipe(
        Effect.tapError(({ detail, reason, server }) =>
          Effect.logWarning("no history server sent a ledger").pipe(
            Effect.annotateLogs({ ledger_index: index, server, reason, detail })
          )
        ),
        Effect.mapError(({ reason }) =>
          unavailable(
            `History before ledger ${above} is unavailable: ${
              reason === "not_found"
                ? `no history server has ledger ${index}`
                : reason === "wrong_hash"
                  ? `no history server has the ledger ${index} that ledger ${above} names as its parent`
                  : reason === "truncated"
                    ? `no history server lists all transactions of ledger ${index}`
                    : `no history server sent ledger ${index}`
            }.`
          )
        )
      )

  return {
    /**
     * Finds the last ledger that closed at `sinceMs` (Unix milliseconds) or before, by binary search. It searches below
     * ledger `closedAfter`, and at most `furthest` ledgers below the service's own `first`. If the chain began later,
     * it returns ledger 1.
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
        const found = yield* obtain(middle, undefined, 1, "header").pipe(
          // Servers may lack old ledgers. A missing ledger counts as too old.
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
          `History before ledger ${high} is unavailable: no history server has ledger ${low}.`
        )
      if (lowest === 1) return 1
      return yield* unavailable(
        `The replay needs ledgers before ${lowest}${
          highClosedAt === undefined ? "" : `, which closed at ${isoTime(highClosedAt)}`
        }. History reaches at most ${furthest} ledgers below the service's first one.`
      )
    }),

    /** Fetches downwards to `lowest`, or until `take` returns true. */
    descend: Effect.fnUntraced(function* ({ below, detect, lowest, onAlerts, skips, take }: DescentOptions) {
      /** The ledger, or its header if no server lists it whole and an operator ordered to skip it. */
      const orSkipped = (index: number, hash: string | undefined) =>
        obtain(index, hash, ROUNDS).pipe(
          Effect.catch(
            Effect.fnUntraced(function* (error: LedgerSourceError) {
              const reason = yield* skips.reason(index)
              if (reason === undefined) return yield* error
              return asSkipped(yield* Effect.mapError(fetchHeader(source, index, hash), () => error), reason)
            })
          ),
          orUnavailable(index, index + 1)
        )
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
        const { ledger, skipped } = ledger_hash === parentHash ? fetched : yield* orSkipped(index, parentHash)
        if (!isChecked(ledger)) return yield* Effect.die(new Error(`ledger ${index} was not checked`))
        const detection = detect(ledger)
        if (detection.alerts.length > 0) yield* onAlerts(index, detection.alerts)
        parentHash = ledger.parent_hash
        // Only the number of transactions is needed from here on; this frees their memory.
        waiting.push({
          ledger: {
            ...ledger,
            transactions: { length: ledger.transactions.length },
            ...(skipped !== undefined && { skipped })
          },
          detection
        })
        events += detection.events.length
        const isFull =
          waiting.length >= ledgerLimits.backfillRangeLedgers || events >= Limits.transactionRecords
        if (!isFull && index > lowest) return false
        return yield* taken()
      })

      yield* Stream.range(lowest, below.ledgerIndex - 1).pipe(
        Stream.map((i) => below.ledgerIndex - 1 - (i - lowest)),
        Stream.mapEffect((index) => orSkipped(index, undefined), {
          concurrency: ledgerLimits.catchUpParallel
        }),
        Stream.mapEffect(linked),
        Stream.takeUntil((enough) => enough),
        Stream.runDrain,
        // The ledgers fetched before the failure are verified, and may be enough for another request.
        Effect.tapError(() => (waiting.length > 0 ? taken() : Effect.void))
      )
    })
  }
}

export type BackfillFetch = ReturnType<typeof makeBackfillFetch>
