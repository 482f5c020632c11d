/**
 * History: ledgers from before the service's first one, fetched when a replay asks for them. They are fetched
 * downwards; the parent hash of each ledger proves the next lower one. They are stored in ranges, each in ledger
 * order. Only ranges that join without a gap, up to the service's first ledger, count. Pure.
 */
import { eventsTopic, type LedgerMarker, type LedgerTopics } from "../event/LedgerEvent.ts"
import type { Network } from "../event/Network.ts"
import type { EventId } from "../words/Ids.ts"

/** Ledgers without a gap, appended to the log in one transaction: their events have consecutive positions. */
export interface BackfillRange {
  readonly firstLedger: number
  readonly lastLedger: number
  /** The parent hash of the first ledger. */
  readonly parentHash: string
  readonly lastHash: string
  /** When the first and the last closed, in Unix seconds. */
  readonly firstClosedAt: number
  readonly lastClosedAt: number
  /** Offset of the first marker in the history's ledgers topic. */
  readonly markerOffset: number
  /** Offset of the first event in the history's events topic; 0 where there is none. */
  readonly eventOffset: number
  readonly events: number
}

/** The lowest ledger of an unbroken chain. The next ledger to fetch must be its parent. */
export interface ChainEnd {
  readonly ledgerIndex: number
  readonly parentHash: string
  /** Unix seconds. */
  readonly closedAt: number
}

export const chainEndAt = ({ close_time, ledger_index, parent_hash }: LedgerMarker): ChainEnd => ({
  ledgerIndex: ledger_index,
  parentHash: parent_hash,
  closedAt: Date.parse(close_time) / 1_000
})

export const historyEventsTopic = (network: Network): string => `xrpl.${network}.history.events`
export const historyLedgersTopic = (network: Network): string => `xrpl.${network}.history.ledgers`
export const historyTopics = (network: Network): LedgerTopics => ({
  ledgers: historyLedgersTopic(network),
  events: historyEventsTopic(network)
})

/**
 * The ranges that reach down from `first` without a gap, lowest first, and their lowest ledger. A range is `alien` if
 * it is in the next place but belongs to another chain.
 */
export const joinedBelow = (
  first: ChainEnd,
  ranges: ReadonlyArray<BackfillRange>
): {
  readonly joined: ReadonlyArray<BackfillRange>
  readonly end: ChainEnd
  readonly alien: BackfillRange | undefined
} => {
  const byLast = new Map(ranges.map((range) => [range.lastLedger, range]))
  const joined: Array<BackfillRange> = []
  let end = first
  while (true) {
    const next = byLast.get(end.ledgerIndex - 1)
    const links = next?.lastHash === end.parentHash
    if (next === undefined || !links) return { joined: joined.reverse(), end, alien: next }
    joined.push(next)
    end = { ledgerIndex: next.firstLedger, parentHash: next.parentHash, closedAt: next.firstClosedAt }
  }
}

/** Whether a chain with this lowest ledger has every ledger that closed after `sinceMs` (Unix milliseconds). */
export const reaches = ({ closedAt, ledgerIndex }: ChainEnd, sinceMs: number): boolean =>
  closedAt * 1_000 <= sinceMs || ledgerIndex === 1

/** How many of the ledgers from `firstLedger` up to `before` are in none of the ranges. */
export const missingLedgers = (
  firstLedger: number,
  before: number,
  ranges: ReadonlyArray<BackfillRange>
): number =>
  ranges.reduce(
    (missing, range) =>
      missing -
      Math.max(0, Math.min(range.lastLedger + 1, before) - Math.max(range.firstLedger, firstLedger)),
    Math.max(0, before - firstLedger)
  )

/** The joined ranges that contain ledgers closed after `sinceMs`. */
export const rangesSince = (
  joined: ReadonlyArray<BackfillRange>,
  sinceMs: number
): ReadonlyArray<BackfillRange> => joined.filter(({ lastClosedAt }) => lastClosedAt * 1_000 > sinceMs)

export const eventsOf = (ranges: ReadonlyArray<BackfillRange>): number =>
  ranges.reduce((sum, { events }) => sum + events, 0)

/**
 * Estimates how many events of the ranges closed from `from` up to `before` (Unix seconds, `before` excluded). It
 * assumes that each range's events are spread evenly.
 */
export const eventsBetween = (ranges: ReadonlyArray<BackfillRange>, from: number, before: number): number =>
  ranges.reduce((sum, { events, firstClosedAt, lastClosedAt }) => {
    const end = lastClosedAt + 1
    const within = Math.min(before, end) - Math.max(from, firstClosedAt)
    return sum + (events * Math.max(0, within)) / (end - firstClosedAt)
  }, 0)

/** An event, and its position in the log. */
export interface EventPosition {
  readonly eventId: EventId
  /** Whether the event is in the history's events topic. Otherwise it is in the network's own. */
  readonly fromHistory: boolean
  readonly offset: number
}

export const eventTopicOf = (network: Network, fromHistory: boolean): string =>
  fromHistory ? historyEventsTopic(network) : eventsTopic(network)
