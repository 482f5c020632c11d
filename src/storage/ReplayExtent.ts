/**
 * What of the event log a replay by filters covers: the events of the time it asks for that the log still holds. They
 * are counted by it (storage/EventCounts.ts) before a job is made.
 */
import { Effect } from "effect"
import { parseIsoTime } from "../domain/IsoTime.ts"
import { eventsTopic, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import type { ReplayFilters } from "../domain/Replay.ts"
import type { EventLogReader } from "../log/EventLog.ts"
import { type CountedEvents, secondsBetween } from "./EventCounts.ts"

/** The time of the events that the log holds, in Unix seconds, the end not included; undefined when it holds none. */
export const keptTime = Effect.fnUntraced(function* (log: EventLogReader["Service"], network: Network) {
  const partition = { topic: eventsTopic(network), partition: 0 }
  const [oldest] = yield* log.read({ ...partition, offset: (yield* log.offsets(partition)).start }, 1)
  const newest = yield* log.last(partition)
  const closedAt = (value: string | null | undefined) =>
    parseIsoTime(parseLedgerEvent(value ?? null)?.timestamp ?? "")
  const [keptSince, keptUntil] = [closedAt(oldest?.value), closedAt(newest?.value)]
  return keptSince === undefined || keptUntil === undefined
    ? undefined
    : { from: keptSince / 1_000, before: keptUntil / 1_000 + 1 }
})

/** Undefined when the log holds no event. */
export const replayExtent = Effect.fnUntraced(function* (
  log: EventLogReader["Service"],
  network: Network,
  { event_types: eventTypes, accounts, since, until }: ReplayFilters
) {
  const kept = yield* keptTime(log, network)
  if (kept === undefined) return undefined
  const wanted = secondsBetween(since, until)
  const extent: CountedEvents = {
    network,
    eventTypes,
    accounts,
    from: Math.max(wanted.from, kept.from),
    before: Math.min(wanted.before, kept.before)
  }
  return extent
})
