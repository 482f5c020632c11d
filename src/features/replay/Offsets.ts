/**
 * Finds where in the log the events of a time, or of a ledger, begin. A binary search over ledger markers needs few
 * reads, however long the log is. If ingest of a network was started anew from a later ledger, there are several
 * ranges of ledgers: the offsets of a time then cover all of them, and maybe more.
 */
import { Effect } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import type { BackfillRange } from "../../spine/domain/Backfill.ts"
import { type LedgerMarker, ledgersTopic } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { LogError, LogReader } from "../../spine/log/Log.ts"
import { type FoundLedger, findLedgers } from "../../spine/log/ledgers/LedgerEvents.ts"
import {
  firstInRange,
  type LedgerRange,
  ledgerRanges,
  markerIn,
  type NotAMarker
} from "../../spine/log/ledgers/LedgerMarkers.ts"
import { parseIsoTime } from "../../spine/words/IsoTime.ts"

type Reader = LogReader["Service"]
type Failure = LogError | NotAMarker

export interface LedgerEventRange {
  readonly offset: number
  readonly events: number
  /** Whether the events are in the topic of history events. */
  readonly isHistory: boolean
}

const closedAt = ({ close_time }: LedgerMarker): number => parseIsoTime(close_time) ?? 0

export const makeOffsets = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  /** The ranges in which ledgers before the service's first one are searched. */
  history: ReadonlyArray<BackfillRange>
): Effect.fn.Return<
  {
    /**
     * Returns the offset of the first event whose ledger's close time meets the condition; undefined if there is
     * none.
     */
    readonly firstEvent: (
      holds: (closedAtMs: number) => boolean,
      of: "any range" | "every range"
    ) => Effect.Effect<number | undefined, Failure>
    /** Undefined if the log does not have the ledger. */
    readonly ofLedger: (ledgerIndex: number) => Effect.Effect<LedgerEventRange | undefined, Failure>
  },
  Failure
> {
  const ranges = yield* ledgerRanges(log, network)

  const eventsOf = ({ isHistory, marker }: FoundLedger): LedgerEventRange => ({
    offset: marker.first_event_offset ?? 0,
    events: marker.first_event_offset === null ? 0 : marker.event_count,
    isHistory
  })

  /** The first event of the range from its marker at `offset` on. */
  const eventFrom = Effect.fnUntraced(function* (offset: number, { last }: LedgerRange) {
    let next = offset
    while (next <= last.offset) {
      const position = { topic: ledgersTopic(network), partition: 0, offset: next }
      const records = yield* log.read(position, Limits.logReadRecords)
      const end = records.at(-1)
      if (end === undefined) return undefined
      for (const record of records) {
        const { first_event_offset: first } = yield* markerIn(record)
        if (record.offset <= last.offset && first !== null) return first
      }
      next = end.offset + 1
    }
    return undefined
  })

  return {
    firstEvent: Effect.fnUntraced(function* (holds, of) {
      const offsets = yield* Effect.forEach(ranges, (range) =>
        Effect.flatMap(
          firstInRange(log, network, range, (marker) => holds(closedAt(marker))),
          (marker) => (marker === undefined ? Effect.succeed(undefined) : eventFrom(marker.offset, range))
        )
      )
      const found = offsets.filter((offset) => offset !== undefined)
      if (found.length === 0 || (of === "every range" && found.length < offsets.length)) return undefined
      return of === "any range" ? Math.min(...found) : Math.max(...found)
    }),

    ofLedger: Effect.fnUntraced(function* (ledgerIndex) {
      const [found] = yield* findLedgers(log, network, { ranges, history }, ledgerIndex)
      return found === undefined ? undefined : eventsOf(found)
    })
  }
})

export type Offsets = Effect.Success<ReturnType<typeof makeOffsets>>
