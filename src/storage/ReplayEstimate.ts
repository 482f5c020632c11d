/**
 * How many events a replay by filters will queue. What the event log holds is counted (storage/EventCounts.ts), and what
 * its tables lack is read. Of history, what was fetched before is known by its number of events, and what nobody has seen
 * is taken to be as busy as the first day that the event log knows; the filters' share in either is their share of that
 * day.
 */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { chainEndAt, eventsBetween, joinedBelow } from "../domain/History.ts"
import type { Network } from "../domain/Network.ts"
import type { ReplayFilters } from "../domain/Replay.ts"
import type { EventLogReader } from "../log/EventLog.ts"
import { firstLedger } from "../log/FirstLedger.ts"
import { type EventCounts, secondsBetween } from "./EventCounts.ts"
import type { HistoryStore } from "./HistoryStore.ts"
import { keptTime } from "./ReplayExtent.ts"
import { countUnindexed, firstUnindexed } from "./Unindexed.ts"

export interface EstimateFrom {
  readonly log: EventLogReader["Service"]
  readonly counts: EventCounts["Service"]
  readonly history: HistoryStore["Service"]
}

/** `withHistory`: what closed before the service's first ledger is fetched, where the filters ask for it. */
export const estimateReplay = Effect.fnUntraced(function* (
  { counts, history, log }: EstimateFrom,
  network: Network,
  filters: ReplayFilters,
  withHistory: boolean
) {
  const { accounts, event_types: eventTypes, since, until } = filters
  const kept = yield* keptTime(log, network)
  if (kept === undefined) return 0
  const wanted = secondsBetween(since, until)
  // Asked first: what is written meanwhile is then not counted twice.
  const lacking = yield* firstUnindexed(log, network)
  const unindexed =
    lacking === undefined
      ? { events: 0, closedAt: Number.POSITIVE_INFINITY }
      : yield* countUnindexed(log, lacking, filters)
  const indexed = yield* counts.estimate({
    network,
    eventTypes,
    accounts,
    from: Math.max(wanted.from, kept.from),
    before: Math.min(wanted.before, kept.before, unindexed.closedAt)
  })
  const known = indexed + unindexed.events
  const first = yield* firstLedger(log, network).pipe(Effect.catchTag("NotAMarker", Effect.die))
  if (!withHistory || since === undefined || first === undefined || wanted.from >= kept.from) return known

  const end = chainEndAt(first)
  const sample = {
    network,
    from: kept.from,
    before: Math.min(kept.before, kept.from + Limits.historySampleMs / 1_000)
  }
  const all = yield* counts.estimate({ ...sample, eventTypes: undefined, accounts: undefined })
  const some = yield* counts.estimate({ ...sample, eventTypes, accounts })
  const { end: heldFrom, joined } = joinedBelow(end, yield* history.stretches(network))
  const before = Math.min(wanted.before, end.closedAt)
  const held = eventsBetween(joined, wanted.from, before)
  const unseenSeconds = Math.max(0, Math.min(before, heldFrom.closedAt) - wanted.from)
  const share = all === 0 ? 1 : some / all
  return known + Math.round(share * held + (some * unseenSeconds) / (sample.before - sample.from))
})
