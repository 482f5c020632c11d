/**
 * History of one network: fetches the ledgers before the service's first one that replays ask for, and appends them to
 * the log. One process does this at a time. It connects to servers only while ledgers are missing.
 *
 *   wait for requests ─▶ settle those that the log can answer ─▶ find the lowest ledger of the others
 *          ▲                                                  └▶ fetch downwards ─▶ append ─▶ write row ─┐
 *          └── no request is left ◀── settle, record progress ◀──────────────────────────────────────────┘
 * After a crash between append and row, the next start writes the row from the markers in the log.
 */

import { Clock, Effect, type Layer, Schedule } from "effect"
import {
  type BackfillRange,
  type ChainEnd,
  chainEndAt,
  historyTopics,
  joinedBelow,
  missingLedgers,
  rangesSince,
  reaches
} from "../../domain/Backfill.ts"
import type { LedgerMarker } from "../../event/LedgerEvent.ts"
import { Log } from "../../log/Log.ts"
import { firstLedger } from "../../log/ledgers/FirstLedger.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import type { IngestOptions } from "../ingest/Ingest.ts"
import type { DetectedLedger } from "../ingest/LedgerRecords.ts"
import { noSkips, type SkipOrders } from "../ingest/SkippedLedgers.ts"
import { ledgerLimits } from "../Limits.ts"
import { LedgerSource, takenLedger } from "../servers/LedgerSource.ts"
import { type BackfillFetch, type BackfillUnavailable, makeBackfillFetch } from "./BackfillFetch.ts"
import { type KeptRange, makeBackfillLog } from "./BackfillLog.ts"
import { BackfillRequests, type OpenRequest, type SettledRequest } from "./BackfillRequests.ts"
import { BackfillStore } from "./BackfillStore.ts"

/** How often open requests are checked. If a job is cancelled, fetching stops within this time. */
const POLL_MS = 500

export interface BackfillOptions extends Required<Pick<IngestOptions, "detect" | "network" | "onAlerts">> {
  /** Default: none. */
  readonly skips?: SkipOrders
  /** The full-history servers. */
  readonly source: Layer.Layer<LedgerSource>
  /** How many ledgers before the service's first one may be fetched. */
  readonly furthest?: number
}

/** The history that the log has, and the requests that need more. */
interface Situation {
  /** The service's own first ledger. */
  readonly first: LedgerMarker
  readonly ranges: ReadonlyArray<BackfillRange>
  readonly end: ChainEnd
  readonly unanswered: ReadonlyArray<OpenRequest>
}

const NOTHING_TAKEN =
  "The service has not taken a ledger of this network yet, and history is verified against its first one. Try again later."

/** Settles all open requests, then ends. */
const answer = Effect.fnUntraced(function* ({
  detect,
  furthest = ledgerLimits.backfillLedgers,
  network,
  onAlerts,
  skips = noSkips,
  source
}: BackfillOptions) {
  const log = yield* Log
  const store = yield* BackfillStore
  const requests = yield* BackfillRequests
  const topics = historyTopics(network)
  // Opening the writer also ends the writes of an earlier owner.
  const writer = yield* log
    .exclusive(`history.${network}`)
    .pipe(retryUntilSuccess("opening the log for history"))
  const kept = makeBackfillLog(network, log, writer)

  const settle = ({ jobId }: OpenRequest, outcome: SettledRequest) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => requests.settle(jobId, outcome, now)).pipe(
      retryUntilSuccess("settling a request for history")
    )
  const fail = (request: OpenRequest, { message }: BackfillUnavailable) =>
    settle(request, { state: "failed", error: message })

  /** Writes the rows of a range that is in the log. */
  const describe = ({ range, skipped }: KeptRange) =>
    store
      .add(network, range)
      .pipe(
        retryUntilSuccess("writing what is held of history"),
        Effect.andThen(Effect.forEach(skipped, skips.skipped, { discard: true }))
      )

  /** Uninterruptible: the outcome of the append must be known before the log is read again. */
  const keep = (range: ReadonlyArray<DetectedLedger>) =>
    Effect.uninterruptible(Effect.flatMap(kept.append(range), describe))

  /** Settles the requests that the log can answer, and returns the others. */
  const settleAnswered = Effect.fnUntraced(function* (): Effect.fn.Return<Situation | undefined> {
    const open = yield* requests.open(network).pipe(retryUntilSuccess("reading requests for history"))
    const first = yield* firstLedger(log, network).pipe(
      Effect.catchTag("NotAMarker", Effect.die),
      retryUntilSuccess("reading the ledgers of the log")
    )
    if (first === undefined) {
      yield* Effect.forEach(open, (request) => settle(request, { state: "failed", error: NOTHING_TAKEN }))
      return undefined
    }
    const ranges = yield* store.ranges(network).pipe(retryUntilSuccess("reading what is held of history"))
    const { alien, end, joined } = joinedBelow(chainEndAt(first), ranges)
    if (alien !== undefined) {
      yield* Effect.logWarning("history of another chain was removed").pipe(
        Effect.annotateLogs({ first_ledger: alien.firstLedger, last_ledger: alien.lastLedger })
      )
      yield* store.remove(network, alien).pipe(retryUntilSuccess("removing history of another chain"))
    }
    const unanswered: Array<OpenRequest> = []
    for (const request of open) {
      if (!reaches(end, request.sinceMs)) {
        unanswered.push(request)
        continue
      }
      const [lowest] = rangesSince(joined, request.sinceMs)
      yield* settle(request, {
        state: "ready",
        firstLedger: lowest?.firstLedger ?? first.ledger_index,
        beforeLedger: first.ledger_index
      })
    }
    return { first, ranges: ranges.filter((one) => one !== alien), end, unanswered }
  })

  /** Finds the lowest ledger of each request and records its progress. Fails the requests that cannot be answered. */
  const measure = Effect.fnUntraced(function* (
    { first, end, ranges, unanswered }: Situation,
    fetch: BackfillFetch
  ) {
    const measured: Array<OpenRequest & { readonly firstLedger: number }> = []
    const before = first.ledger_index
    for (const request of unanswered) {
      const { firstLedger: known, jobId, sinceMs } = request
      const found =
        known !== null
          ? known
          : yield* fetch
              .lastClosedBy(sinceMs, { closedAfter: end.ledgerIndex, first: before, furthest })
              .pipe(Effect.catch((error) => Effect.as(fail(request, error), undefined)))
      if (found === undefined) continue
      measured.push({ ...request, firstLedger: found })
      const missing = missingLedgers(found, before, ranges)
      if (known === null) {
        yield* requests
          .begin(jobId, { firstLedger: found, ledgers: missing })
          .pipe(retryUntilSuccess("writing the first ledger of a request for history"))
      } else {
        yield* requests
          .advance(jobId, (request.ledgers ?? 0) - missing)
          .pipe(retryUntilSuccess("writing the progress of a request for history"))
      }
    }
    return measured
  })

  const fetchAll = Effect.gen(function* () {
    const ledgers = yield* LedgerSource
    const fetch = makeBackfillFetch(ledgers)
    for (
      let situation = yield* settleAnswered();
      situation !== undefined;
      situation = yield* settleAnswered()
    ) {
      const { end, first, ranges, unanswered } = situation
      if (unanswered.length === 0) return
      yield* ledgers.anchor(takenLedger(first))
      const wanted = yield* measure(situation, fetch)
      if (wanted.length === 0) continue
      // Stop above the next range that is already held.
      const heldBelow = ranges.filter(({ lastLedger }) => lastLedger < end.ledgerIndex - 1)
      const lowest = Math.max(
        Math.min(...wanted.map(({ firstLedger: needed }) => needed)),
        ...heldBelow.map(({ lastLedger }) => lastLedger + 1)
      )
      yield* Effect.logInfo("fetching history").pipe(
        Effect.annotateLogs({ from: end.ledgerIndex - 1, down_to: lowest })
      )
      const descent = fetch.descend({
        lowest,
        below: end,
        detect,
        onAlerts,
        skips,
        take: Effect.fnUntraced(function* (range) {
          yield* keep(range)
          const now = yield* settleAnswered()
          return now === undefined || (yield* measure(now, fetch)).length === 0
        })
      })
      yield* descent.pipe(
        Effect.catch((error) => Effect.forEach(unanswered, (request) => fail(request, error)))
      )
    }
  })

  /** Ends when no request is open, for example because the replay was cancelled. */
  const unwanted = Effect.sleep(POLL_MS).pipe(
    Effect.andThen(requests.open(network).pipe(retryUntilSuccess("reading requests for history"))),
    Effect.repeat({ until: (open) => open.length === 0 })
  )

  const newest = yield* kept.newest
  if (newest !== undefined) yield* describe(newest)
  const offsets = (topic: string) =>
    log.offsets({ topic, partition: 0 }).pipe(retryUntilSuccess("reading the offsets of history"))
  const [markers, events] = [yield* offsets(topics.ledgers), yield* offsets(topics.events)]
  yield* store
    .prune(network, { markersFrom: markers.start, eventsFrom: events.start })
    .pipe(retryUntilSuccess("removing history that retention has dropped"))
  const situation = yield* settleAnswered()
  if (situation === undefined || situation.unanswered.length === 0) return
  yield* Effect.raceFirst(fetchAll.pipe(Effect.provide(source)), unwanted)
}, Effect.scoped)

/** Never ends. */
export const history = (
  options: BackfillOptions
): Effect.Effect<never, never, Log | BackfillStore | BackfillRequests> =>
  Effect.gen(function* () {
    const requests = yield* BackfillRequests
    const someWanted = requests.open(options.network).pipe(
      retryUntilSuccess("reading requests for history"),
      Effect.repeat({
        until: (open) => open.length > 0,
        schedule: Schedule.spaced(POLL_MS)
      })
    )
    return yield* Effect.forever(Effect.andThen(someWanted, answer(options)))
  }).pipe(Effect.annotateLogs({ network: options.network }))
