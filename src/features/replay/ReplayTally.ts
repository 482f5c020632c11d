/** Counts the events in the log that a replay would send, by type, with the first and the last of their ledgers. */

import { Effect } from "effect"
import type { ReplayFilters } from "../../spine/domain/Replay.ts"
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { EventId } from "../../spine/words/Ids.ts"
import { type EstimateFrom, wantedEvents } from "./ReplayEstimate.ts"

export interface ReplayTally {
  readonly events: number
  /** In the order of `eventTypes`. A type without events is left out. */
  readonly byType: Readonly<Record<string, number>>
  /** Both null if there is no event. */
  readonly firstLedger: number | null
  readonly lastLedger: number | null
}

const talliesOf = Effect.fnUntraced(function* (
  { counts, log }: Pick<EstimateFrom, "counts" | "log">,
  network: Network,
  eventIds: ReadonlyArray<EventId> | undefined,
  filters: ReplayFilters
) {
  if (eventIds !== undefined) return yield* counts.tallyIds(network, eventIds)
  const found = yield* wantedEvents(log, network, filters)
  return found === undefined ? [] : yield* counts.tally(found.wanted)
})

/** Without `eventIds`, the events that match `filters`; a payload filter is ignored. */
export const tallyReplay = Effect.fnUntraced(function* (
  from: Pick<EstimateFrom, "counts" | "log">,
  network: Network,
  eventIds: ReadonlyArray<EventId> | undefined,
  filters: ReplayFilters
) {
  const tallies = yield* talliesOf(from, network, eventIds, filters)
  const eventsOf = new Map<EventType, number>(tallies.map(({ type, events }) => [type, events]))
  const events = tallies.reduce((sum, tally) => sum + tally.events, 0)
  return {
    events,
    byType: Object.fromEntries(
      eventTypes.flatMap((type) => (eventsOf.has(type) ? [[type, eventsOf.get(type)!]] : []))
    ),
    firstLedger: events === 0 ? null : Math.min(...tallies.map(({ first_ledger }) => first_ledger)),
    lastLedger: events === 0 ? null : Math.max(...tallies.map(({ last_ledger }) => last_ledger))
  } satisfies ReplayTally
})
