/**
 * History of one network: fetches what replays ask for of before the service's first ledger, and keeps it in the log, so
 * that the next one finds it there. One process does this at a time; servers are connected only while something is missing.
 *
 *   wait for requests ─▶ settle those that what is held answers ─▶ find how far back the others reach
 *          ▲                                                        └▶ fetch downwards ─▶ append ─▶ row ─┐
 *          └── none is left, or cancelled: stop within a moment ◀── settle, show how far it is ◀────────┘
 * A crash between append and row is mended at the next beginning: the row is made from the markers.
 */
import { Clock, Effect, type Layer, Schedule } from "effect"
import { Limits } from "../config/Limits.ts"
import { firstLedger } from "../coverage/FirstLedger.ts"
import {
  type ChainEnd,
  chainEndAt,
  type HistoryRange,
  historyTopics,
  joinedBelow,
  missingLedgers,
  rangesSince,
  reaches
} from "../domain/History.ts"
import type { LedgerMarker } from "../domain/LedgerEvent.ts"
import { EventLog } from "../log/EventLog.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { HistoryStore } from "../storage/events/HistoryStore.ts"
import { HistoryRequests, type OpenRequest, type SettledRequest } from "../storage/replays/HistoryRequests.ts"
import { type HistoryFetch, type HistoryUnavailable, makeHistoryFetch } from "./HistoryFetch.ts"
import { makeHistoryLog } from "./HistoryLog.ts"
import type { DetectedLedger } from "./LedgerRecords.ts"
import { LedgerSource, takenLedger } from "./LedgerSource.ts"
import type { IngestOptions } from "./Stage.ts"

export interface HistoryOptions extends Required<Omit<IngestOptions, "start">> {
  /** The full-history servers. */
  readonly source: Layer.Layer<LedgerSource>
  /** How many ledgers before the service's first one may be fetched. */
  readonly furthest?: number
}

/** What is held, and who waits for more. */
interface Situation {
  /** The service's own first ledger. */
  readonly first: LedgerMarker
  readonly ranges: ReadonlyArray<HistoryRange>
  readonly end: ChainEnd
  readonly unanswered: ReadonlyArray<OpenRequest>
}

const NOTHING_TAKEN =
  "The service has not taken a ledger of this network yet; history is proven by the first one."

/** Answers all requests there are, and ends. */
const answer = Effect.fnUntraced(function* ({
  detect,
  furthest = Limits.historyLedgers,
  network,
  onAlerts,
  source
}: HistoryOptions) {
  const log = yield* EventLog
  const store = yield* HistoryStore
  const requests = yield* HistoryRequests
  const topics = historyTopics(network)
  // What an earlier owner had under way has ended by then.
  const writer = yield* log
    .exclusive(`history.${network}`)
    .pipe(retryUntilSuccess("opening the log for history"))
  const kept = makeHistoryLog(network, log, writer)

  const settle = ({ jobId }: OpenRequest, outcome: SettledRequest) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => requests.settle(jobId, outcome, now)).pipe(
      retryUntilSuccess("settling a request for history")
    )
  const fail = (request: OpenRequest, { message }: HistoryUnavailable) =>
    settle(request, { state: "failed", error: message })

  /** Not in the middle: what a transaction under way becomes is then known before anybody looks. */
  const keep = (range: ReadonlyArray<DetectedLedger>) =>
    Effect.flatMap(kept.append(range), (appended) =>
      store.add(network, appended).pipe(retryUntilSuccess("writing what is held of history"))
    ).pipe(Effect.uninterruptible)

  /** Settles what is answered by what is held. */
  const look = Effect.fnUntraced(function* (): Effect.fn.Return<Situation | undefined> {
    const open = yield* requests.open(network).pipe(retryUntilSuccess("looking for requests for history"))
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
      yield* Effect.logWarning("history of another chain is left out").pipe(
        Effect.annotateLogs({ first_ledger: alien.firstLedger, last_ledger: alien.lastLedger })
      )
      yield* store.remove(network, alien).pipe(retryUntilSuccess("leaving history out"))
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

  /** Finds how far back those requests reach that nobody has looked at; what is then left, with how far. */
  const measure = Effect.fnUntraced(function* (
    { first, end, ranges, unanswered }: Situation,
    fetch: HistoryFetch
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
          .pipe(retryUntilSuccess("writing how far back history is wanted"))
      } else {
        yield* requests
          .advance(jobId, (request.ledgers ?? 0) - missing)
          .pipe(retryUntilSuccess("writing how far history is"))
      }
    }
    return measured
  })

  const fetchAll = Effect.gen(function* () {
    const ledgers = yield* LedgerSource
    const fetch = makeHistoryFetch(ledgers)
    for (let situation = yield* look(); situation !== undefined; situation = yield* look()) {
      const { end, first, ranges, unanswered } = situation
      if (unanswered.length === 0) return
      yield* ledgers.anchor(takenLedger(first))
      const wanted = yield* measure(situation, fetch)
      if (wanted.length === 0) continue
      // What is held further down is met there.
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
        take: Effect.fnUntraced(function* (range) {
          yield* keep(range)
          const now = yield* look()
          return now === undefined || (yield* measure(now, fetch)).length === 0
        })
      })
      yield* descent.pipe(
        Effect.catch((error) => Effect.forEach(unanswered, (request) => fail(request, error)))
      )
    }
  })

  /** Ends when nobody wants history any more. */
  const unwanted = Effect.sleep(Limits.historyPollMs).pipe(
    Effect.andThen(requests.open(network).pipe(retryUntilSuccess("looking for requests for history"))),
    Effect.repeat({ until: (open) => open.length === 0 })
  )

  const newest = yield* kept.newest
  if (newest !== undefined)
    yield* store.add(network, newest).pipe(retryUntilSuccess("writing what is held of history"))
  const offsets = (topic: string) =>
    log.offsets({ topic, partition: 0 }).pipe(retryUntilSuccess("reading what the log holds of history"))
  const [markers, events] = [yield* offsets(topics.ledgers), yield* offsets(topics.events)]
  yield* store
    .prune(network, { markersFrom: markers.start, eventsFrom: events.start })
    .pipe(retryUntilSuccess("leaving out history that is gone"))
  const situation = yield* look()
  if (situation === undefined || situation.unanswered.length === 0) return
  yield* Effect.raceFirst(fetchAll.pipe(Effect.provide(source)), unwanted)
}, Effect.scoped)

/** Never ends by itself. */
export const history = (
  options: HistoryOptions
): Effect.Effect<never, never, EventLog | HistoryStore | HistoryRequests> =>
  Effect.gen(function* () {
    const requests = yield* HistoryRequests
    const someWanted = requests.open(options.network).pipe(
      retryUntilSuccess("looking for requests for history"),
      Effect.repeat({
        until: (open) => open.length > 0,
        schedule: Schedule.spaced(Limits.historyPollMs)
      })
    )
    return yield* Effect.forever(Effect.andThen(someWanted, answer(options)))
  }).pipe(Effect.annotateLogs({ network: options.network }))
