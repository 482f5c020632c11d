/**
 * What the filters of a webhook would have sent in the last 24 hours. All candidates, the events of a wanted type and
 * account, are counted. The payloads of the newest 5,000 are examined, so the matches of a busy day are those of its end.
 * It reads the event index, which is a few seconds behind the log.
 */
import { Effect } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import type { JsonObject } from "../../spine/event/Ledger.ts"
import type { Network } from "../../spine/event/Network.ts"
import { compileStored } from "../../spine/filter/Match.ts"
import type { PayloadFilter } from "../../spine/filter/PayloadFilter.ts"
import type { EventCounts } from "./EventCounts.ts"
import type { EventQueries, EventRow } from "./EventQueries.ts"
import { eventLimits } from "./Limits.ts"

const DAY_SECONDS = 86_400

/** How long other work runs between the examined parts. */
const PAUSE_MS = 5

/**
 * On a busy day, candidates are read from this many times the time in which the wanted number occurs on average. Less
 * would read too few after a quiet hour; more would sort more rows.
 */
const SPARE = 1.5

export interface DayFilters {
  readonly network: Network
  /** Not empty. */
  readonly types: ReadonlyArray<EventType>
  /** Empty: every account. */
  readonly accounts: ReadonlyArray<string>
  readonly payloadFilter: PayloadFilter | undefined
}

interface ReadFrom {
  readonly counts: EventCounts["Service"]
  readonly events: EventQueries["Service"]
}

export const dayOf = (nowMs: number) => {
  const before = Math.floor(nowMs / 1_000) + 1
  return { from: before - DAY_SECONDS, before }
}

export const previewDay = Effect.fnUntraced(function* (
  { counts, events }: ReadFrom,
  { network, types, accounts, payloadFilter }: DayFilters,
  nowMs: number
) {
  const { from, before } = dayOf(nowMs)
  const most = eventLimits.previewCandidates
  const wanted = {
    network,
    eventTypes: types,
    accounts: accounts.length === 0 ? undefined : accounts,
    before
  }
  const { events: candidates, atLeast } = yield* counts.estimate({ ...wanted, from })
  const span = candidates <= most ? DAY_SECONDS : Math.ceil((DAY_SECONDS * SPARE * most) / candidates)
  const start = Math.max(from, before - span)
  const rows = yield* events.newest({ ...wanted, from: start }, most)
  const examinedFrom = rows.length < most ? start : rows.at(-1)!.closeTime
  const matches = payloadFilter === undefined ? () => true : compileStored(payloadFilter)
  const byType = new Map<EventType, number>()
  const parts = Array<number>(eventLimits.previewParts).fill(0)
  const samples: Array<EventRow> = []
  let matched = 0
  for (const [at, row] of rows.entries()) {
    if (at > 0 && at % Limits.parsedRecords === 0) yield* Effect.sleep(PAUSE_MS)
    // The events stage wrote it as an object.
    if (!matches({ event_type: row.eventType, payload: JSON.parse(row.payload) as JsonObject })) continue
    matched++
    byType.set(row.eventType, (byType.get(row.eventType) ?? 0) + 1)
    const part = Math.floor(((row.closeTime - examinedFrom) / (before - examinedFrom)) * parts.length)
    parts[part] = (parts[part] ?? 0) + 1
    if (samples.length < eventLimits.previewDaySamples) samples.push(row)
  }
  return {
    from,
    before,
    // Events may have been added since they were counted.
    candidates: Math.max(candidates, rows.length),
    atLeast,
    examined: rows.length,
    examinedFrom,
    matched,
    byType: inOrder(byType),
    parts,
    samples
  }
})

/** In the order of `eventTypes`. */
export const inOrder = (counts: ReadonlyMap<EventType, number>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    eventTypes.flatMap((type) => {
      const count = counts.get(type)
      return count === undefined ? [] : [[type, count]]
    })
  )
