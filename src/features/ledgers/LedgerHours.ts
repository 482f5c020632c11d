/**
 * Which ledgers of a network were taken in each hour, and which are missing, from the markers in the log and the ranges
 * of history. The first ledger of an hour is found by a search that guesses from the network's pace. It never changes,
 * so it is remembered: a process searches once for each hour, and after that reads only the ends of the ranges.
 */
import { Effect, Semaphore } from "effect"
import { type BackfillRange, chainEndAt, joinedBelow } from "../../spine/domain/Backfill.ts"
import { type LedgerMarker, ledgersTopic } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { LogError, LogReader } from "../../spine/log/Log.ts"
import {
  type LedgerRange,
  ledgerRanges,
  markerIn,
  type NotAMarker,
  type PlacedMarker
} from "../../spine/log/ledgers/LedgerMarkers.ts"
import { countByHour, evenly, HOUR_MS, type HourCount, hourOf, type TakenRange } from "./HourCounts.ts"

type Reader = LogReader["Service"]

/** Markers of one read. A guess is seldom further from the ledger. */
const WINDOW = 16
/** Each third step halves what is left, so a search ends soon whatever the pace was. */
const HALVING_STEP = 3

const closedAt = ({ marker }: { readonly marker: LedgerMarker }): number => Date.parse(marker.close_time)

/** The first marker that closed at or after `atMs`: `above`, or one between the two. `below` closed before. */
const firstFrom = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  between: { readonly below: PlacedMarker; readonly above: PlacedMarker },
  atMs: number
): Effect.fn.Return<PlacedMarker, LogError | NotAMarker> {
  let { above, below } = between
  let [low, high] = [below.offset + 1, above.offset]
  for (let step = 1; low < high; step++) {
    const share =
      step % HALVING_STEP === 0
        ? 0.5
        : (atMs - closedAt(below)) / Math.max(closedAt(above) - closedAt(below), 1)
    const guess = Math.round(below.offset + share * (above.offset - below.offset) - WINDOW / 2)
    const offset = Math.min(Math.max(guess, low), high - 1)
    const records = yield* log.read({ topic: ledgersTopic(network), partition: 0, offset }, WINDOW)
    const read: Array<PlacedMarker> = []
    for (const record of records)
      if (record.offset < high) read.push({ offset: record.offset, marker: yield* markerIn(record) })
    const found = read.findIndex((one) => closedAt(one) >= atMs)
    if (found > 0) return read[found]!
    if (found === 0) above = read[0]!
    const last = read.at(-1)
    if (found === 0 || last === undefined) high = offset
    else {
      below = last
      low = last.offset + 1
    }
  }
  return above
})

const takenBefore = ({ firstClosedAt, firstLedger, lastClosedAt, lastLedger }: BackfillRange): TakenRange => {
  const [first, last] = [
    { index: firstLedger, at: firstClosedAt * 1_000 },
    { index: lastLedger, at: lastClosedAt * 1_000 }
  ]
  return { first, last, simulated: false, firstFrom: evenly(first, last) }
}

const endOf = (one: PlacedMarker) => ({ index: one.marker.ledger_index, at: closedAt(one) })

export interface LedgerHours {
  /** The counts of each hour from `sinceMs` on that has a ledger or lacks one. */
  readonly of: (
    network: Network,
    history: ReadonlyArray<BackfillRange>,
    sinceMs: number
  ) => Effect.Effect<ReadonlyMap<number, HourCount>, LogError | NotAMarker>
}

export const makeLedgerHours = (log: Reader): LedgerHours => {
  const known = new Map<Network, Map<number, PlacedMarker>>()
  // A second viewer waits for what the first one searches.
  const searching = Semaphore.makeUnsafe(1)

  const taken = Effect.fnUntraced(function* (network: Network, range: LedgerRange, sinceMs: number) {
    const starts = known.get(network) ?? new Map<number, PlacedMarker>()
    known.set(network, starts)
    for (const hour of starts.keys()) if (hour < sinceMs) starts.delete(hour)
    const [first, last] = [endOf(range.first), endOf(range.last)]
    const firstOf = new Map<number, number>()
    let below = range.first
    for (let hour = Math.max(hourOf(first.at) + HOUR_MS, sinceMs); hour <= last.at; hour += HOUR_MS) {
      const before = starts.get(hour)
      const isInRange =
        before !== undefined && before.offset > range.first.offset && before.offset <= range.last.offset
      // The first ledger of an hour without one is that of the next hour.
      const found = isInRange
        ? before
        : closedAt(below) >= hour
          ? below
          : yield* firstFrom(log, network, { below, above: range.last }, hour)
      starts.set(hour, found)
      firstOf.set(hour, found.marker.ledger_index)
      below = found
    }
    return {
      first,
      last,
      simulated: range.first.marker.simulated === true,
      // Before `sinceMs` nothing is counted.
      firstFrom: (hour: number) => firstOf.get(hour) ?? first.index
    } satisfies TakenRange
  })

  return {
    of: Effect.fnUntraced(
      function* (network, history, sinceMs) {
        const ranges = yield* ledgerRanges(log, network)
        const own = yield* Effect.forEach(ranges, (range) => taken(network, range, sinceMs))
        const oldest = ranges.find(({ first }) => first.marker.simulated !== true)
        const { joined } = oldest ? joinedBelow(chainEndAt(oldest.first.marker), history) : { joined: [] }
        return countByHour([...joined.map(takenBefore), ...own])
      },
      (counts) => searching.withPermit(counts)
    )
  }
}
