/**
 * Finds which ledgers the log holds, as ranges without a gap, and the marker of one ledger, by binary search. A range
 * is exact if its markers have `range_since`, the time when their range began. For older markers without it, two
 * markers are taken to be in one range if their index and offset differ by the same number; several gaps and duplicates
 * that add up to zero would be missed. `ledgerhook ledger verify` reads every marker instead.
 */

import { Effect, Schema } from "effect"
import { ledgerRecord } from "../../event/Envelope.ts"
import { type LedgerMarker, ledgersTopic } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import { logLimits } from "../Limits.ts"
import type { LogError, LogReader, LogRecord } from "../Log.ts"

type Reader = LogReader["Service"]

export interface PlacedMarker {
  readonly offset: number
  readonly marker: LedgerMarker
}

export interface LedgerRange {
  readonly first: PlacedMarker
  readonly last: PlacedMarker
}

const isMarker = Schema.is(ledgerRecord)

export class NotAMarker extends Schema.TaggedError<NotAMarker>()("NotAMarker", { message: Schema.String }) {}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws `NotAMarker`. An unreadable checkpoint must not look like an empty log. */
export const readMarker = ({ offset, topic, value }: LogRecord): LedgerMarker => {
  const marker = value === null ? undefined : parse(value)
  if (!isMarker(marker))
    throw new NotAMarker({ message: `record ${offset} of ${topic} is not a ledger marker` })
  return marker
}

export const markerIn = (record: LogRecord): Effect.Effect<LedgerMarker, NotAMarker> =>
  Effect.try({
    try: () => readMarker(record),
    // `NotAMarker` is the only error that it throws.
    catch: (error) => error as NotAMarker
  })

const placed = (record: LogRecord | undefined): Effect.Effect<PlacedMarker | undefined, NotAMarker> =>
  record === undefined
    ? Effect.succeed(undefined)
    : Effect.map(markerIn(record), (marker) => ({ offset: record.offset, marker }))

/** Whether the two markers are in one range: by `range_since` of the later one, else by equal distances. */
const joined = (a: PlacedMarker, b: PlacedMarker): boolean =>
  b.marker.range_since === undefined
    ? b.marker.ledger_index - a.marker.ledger_index === b.offset - a.offset
    : a.marker.detected_at >= b.marker.range_since

type Linkable = Pick<LedgerMarker, "ledger_index" | "parent_hash">

/** Whether the ledger is the child of the one before it. */
export const isLinked = (before: LedgerMarker, { ledger_index, parent_hash }: Linkable): boolean =>
  ledger_index === before.ledger_index + 1 && parent_hash === before.ledger_hash

const makeAt = (log: Reader, network: Network) => {
  const partition = { topic: ledgersTopic(network), partition: 0 }
  return {
    partition,
    /** The first marker at or past the offset. */
    at: (offset: number) =>
      Effect.flatMap(log.read({ ...partition, offset }, 1), ([record]) => placed(record))
  }
}

/** The ranges, oldest first. If there are more than `logLimits.ledgerRanges`, only the newest ones. */
export const ledgerRanges = Effect.fnUntraced(function* (
  log: Reader,
  network: Network
): Effect.fn.Return<ReadonlyArray<LedgerRange>, LogError | NotAMarker> {
  const { at, partition } = makeAt(log, network)
  const oldest = yield* at((yield* log.offsets(partition)).start)
  if (oldest === undefined) return []

  /** The first marker in the range of `last`, and the marker before that range. */
  const joinedTo = Effect.fnUntraced(function* (last: PlacedMarker) {
    if (joined(oldest, last)) return { first: oldest, before: undefined }
    let first = last
    let before = oldest
    // All markers from here to `last` are in its range.
    let joinedFrom = last.offset
    while (before.offset + 1 < joinedFrom) {
      const middle = Math.floor((before.offset + joinedFrom) / 2)
      const found = yield* at(middle)
      if (found !== undefined && found.offset < first.offset) {
        if (!joined(found, last)) {
          before = found
          continue
        }
        first = found
      }
      joinedFrom = middle
    }
    return { first, before }
  })

  const ranges: Array<LedgerRange> = []
  let last = yield* placed(yield* log.last(partition))
  while (last !== undefined && ranges.length < logLimits.ledgerRanges) {
    let { first, before }: { first: PlacedMarker; before: PlacedMarker | undefined } = yield* joinedTo(last)
    while (before !== undefined && isLinked(before.marker, first.marker))
      ({ first, before } = yield* joinedTo(before))
    ranges.unshift({ first, last })
    last = before
  }
  return ranges
})

/**
 * Finds the ledger's marker within the range. The markers of a range are those of consecutive ledgers, so the one that
 * is n ledgers further is at least n offsets further. In the embedded log no offset is missing between them, and the
 * first read finds it. With Kafka about half are, and each read halves the distance.
 */
export const findInRange = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  { first, last }: LedgerRange,
  ledgerIndex: number
): Effect.fn.Return<PlacedMarker | undefined, LogError | NotAMarker> {
  const { at } = makeAt(log, network)
  if (ledgerIndex > last.marker.ledger_index) return undefined
  let found: PlacedMarker | undefined = first
  while (found !== undefined && found.marker.ledger_index < ledgerIndex)
    found = yield* at(found.offset + ledgerIndex - found.marker.ledger_index)
  return found?.marker.ledger_index === ledgerIndex ? found : undefined
})

/** The first marker of the range for which `holds` is true. It must then be true for all later ones. */
export const firstInRange = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  { first, last }: LedgerRange,
  holds: (marker: LedgerMarker) => boolean
): Effect.fn.Return<PlacedMarker | undefined, LogError | NotAMarker> {
  const { at } = makeAt(log, network)
  if (!holds(last.marker)) return undefined
  let low = first.offset
  let high = last.offset
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const one = yield* at(middle)
    if (one !== undefined && !holds(one.marker)) low = one.offset + 1
    else high = middle
  }
  return yield* at(low)
})
