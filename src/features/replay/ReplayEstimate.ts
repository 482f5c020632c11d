/**
 * Estimates how many events a replay with filters will queue. For the time that the log covers, it uses the counts of
 * the event index's tables, which may lack the newest events. For the time before the service's first ledger, it uses the
 * event counts of the ranges already fetched. For the rest it assumes the event rate of the first day of the service's
 * own ledgers. In both cases it assumes that the filters match the same share as on that day.
 */
import { Effect } from "effect"
import { chainEndAt, eventsBetween, joinedBelow } from "../../spine/domain/Backfill.ts"
import type { ReplayFilters } from "../../spine/domain/Replay.ts"
import { eventsTopic, parseLedgerEvent } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import type { LogReader, LogRecord } from "../../spine/log/Log.ts"
import { firstLedger } from "../../spine/log/ledgers/FirstLedger.ts"
import { parseIsoTime } from "../../spine/words/IsoTime.ts"
import { type CloseTimes, overlap, secondsBetween } from "../events/CloseTimes.ts"
import type { EventCounts, EventEstimate, WantedEvents } from "../events/EventCounts.ts"

/**
 * The events of a time before the kept events are estimated from the rate of the kept events in this much time after
 * it.
 */
const SAMPLE_MS = 24 * 3_600_000

export interface EstimateFrom {
  readonly log: LogReader["Service"]
  readonly counts: EventCounts["Service"]
  readonly history: BackfillStore["Service"]
}

const NONE: EventEstimate = { events: 0, atLeast: false }

const closedAt = (record: LogRecord | undefined): number | undefined =>
  parseIsoTime(parseLedgerEvent(record?.value ?? null)?.timestamp ?? "")

/** The time from the oldest to the newest event in the log; undefined if there is none. */
const keptTime = Effect.fnUntraced(function* (log: LogReader["Service"], network: Network) {
  const partition = { topic: eventsTopic(network), partition: 0 }
  const [oldest] = yield* log.read({ ...partition, offset: (yield* log.offsets(partition)).start }, 1)
  const [since, until] = [closedAt(oldest), closedAt(yield* log.last(partition))]
  return since === undefined || until === undefined
    ? undefined
    : { from: since / 1_000, before: until / 1_000 + 1 }
})

/** The filters, limited to the time that the log covers; undefined if the log has no events. */
export const wantedEvents = Effect.fnUntraced(function* (
  log: LogReader["Service"],
  network: Network,
  { event_types: eventTypes, accounts, since, until }: ReplayFilters
) {
  const kept = yield* keptTime(log, network)
  if (kept === undefined) return undefined
  const wanted: WantedEvents = {
    network,
    eventTypes,
    accounts,
    ...overlap(secondsBetween(since, until), kept)
  }
  return { kept, wanted }
})

/** Estimates how many of the wanted events closed in `time`, before the service's first ledger. */
const estimateBackfill = Effect.fnUntraced(function* (
  { counts, history, log }: EstimateFrom,
  wanted: WantedEvents,
  kept: CloseTimes,
  time: CloseTimes
) {
  const { network } = wanted
  const first = yield* firstLedger(log, network).pipe(Effect.catchTag("NotAMarker", Effect.die))
  if (first === undefined) return NONE
  const end = chainEndAt(first)
  const { end: heldFrom, joined } = joinedBelow(end, yield* history.ranges(network))
  const before = Math.min(time.before, end.closedAt)
  const held = eventsBetween(joined, time.from, before)
  const unseenSeconds = Math.max(0, Math.min(before, heldFrom.closedAt) - time.from)

  const day = { from: kept.from, before: Math.min(kept.before, kept.from + SAMPLE_MS / 1_000) }
  const all = yield* counts.estimate({ network, eventTypes: undefined, accounts: undefined, ...day })
  const some = yield* counts.estimate({ ...wanted, ...day })
  const share = all.events === 0 ? 1 : some.events / all.events
  const events = Math.round(share * held + (some.events * unseenSeconds) / (day.before - day.from))
  return { events, atLeast: some.atLeast } satisfies EventEstimate
})

/** `withHistory`: whether the replay also fetches ledgers from before the service's first one. */
export const estimateReplay = Effect.fnUntraced(function* (
  from: EstimateFrom,
  network: Network,
  filters: ReplayFilters,
  withHistory: boolean
) {
  const found = yield* wantedEvents(from.log, network, filters)
  if (found === undefined) return NONE
  const { kept, wanted } = found
  const inLog = yield* from.counts.estimate(wanted)
  const asked = secondsBetween(filters.since, filters.until)
  const reachesBack = withHistory && filters.since !== undefined && asked.from < kept.from
  if (!reachesBack) return inLog
  const before = yield* estimateBackfill(from, wanted, kept, asked)
  return {
    events: inLog.events + before.events,
    atLeast: inLog.atLeast || before.atLeast
  } satisfies EventEstimate
})
