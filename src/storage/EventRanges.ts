/**
 * Where a page of events is to be read: for each network one range of the order in which events stand, from the newest
 * that may be on the page down to the oldest. All filters of time and ledger, and the cursor, come down to that. Pure.
 */
import type { Network } from "../domain/Network.ts"

/** In a network's order: ledgers close one after the other. */
export interface Place {
  /** Unix seconds: ledgers close at whole ones. */
  readonly closeTime: number
  readonly ledgerIndex: number
  readonly position: number
}

/** Of an event among all. Pages go by close time, then network, then ledger and position, each descending. */
export interface EventPlace extends Place {
  readonly network: Network
}

/** From the one place, included, to the other, not included. */
export interface Span {
  readonly from: Place
  readonly before: Place
}

export interface EventRange extends Span {
  readonly network: Network
}

/** The ledger's clock counts 32 bits of seconds from 2000 on: it ends in 2136. */
const END_OF_TIME = 946_684_800 + 2 ** 32

const beginOfSecond = (closeTime: number): Place => ({ closeTime, ledgerIndex: 0, position: 0 })

/** What closed after `since` and before `until`: Unix milliseconds, possibly with a fraction. */
export const spanBetween = (since: number | undefined, until: number | undefined): Span => ({
  from: beginOfSecond(since === undefined ? 0 : Math.max(0, Math.floor(since / 1_000) + 1)),
  before: beginOfSecond(
    until === undefined ? END_OF_TIME : Math.min(END_OF_TIME, Math.max(0, Math.ceil(until / 1_000)))
  )
})

const isBefore = (a: Place, b: Place): boolean =>
  (a.closeTime - b.closeTime || a.ledgerIndex - b.ledgerIndex || a.position - b.position) < 0

const overlap = (a: Span, b: Span): Span => ({
  from: isBefore(a.from, b.from) ? b.from : a.from,
  before: isBefore(a.before, b.before) ? a.before : b.before
})

/**
 * What comes after the last event shown. Of the events that closed in the same second, those of networks that sort after
 * its own were shown before it; those of networks that sort before it are still to come.
 */
const spanAfter = (after: EventPlace | undefined, network: Network): Span => {
  const { from, before } = spanBetween(undefined, undefined)
  if (after === undefined) return { from, before }
  if (network === after.network) return { from, before: after }
  return { from, before: beginOfSecond(network < after.network ? after.closeTime + 1 : after.closeTime) }
}

/** `spans`: of the ledgers wanted, by network; a network that is not there has none. `after`: the last event shown. */
export const eventRanges = (
  times: Span,
  spans: ReadonlyMap<Network, Span>,
  after: EventPlace | undefined
): ReadonlyArray<EventRange> =>
  [...spans].flatMap(([network, ledgers]) => {
    const { from, before } = overlap(overlap(times, ledgers), spanAfter(after, network))
    return isBefore(from, before) ? [{ network, from, before }] : []
  })
