/**
 * Ranges of history in the log. Each range is appended in one transaction, exactly once. The description of a range is
 * read back from its markers, so a range is found again even if the process died right after the append.
 */

import { Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { type BackfillRange, historyLedgersTopic, historyTopics } from "../../domain/Backfill.ts"
import type { LedgerMarker } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import type { Log } from "../../log/Log.ts"
import { type PlacedMarker, readMarker } from "../../log/ledgers/LedgerMarkers.ts"
import { parseIsoTime } from "../../words/IsoTime.ts"
import { makeLedgerAppender } from "../ingest/LedgerAppender.ts"
import type { DetectedLedger } from "../ingest/LedgerRecords.ts"
import { ledgerLimits } from "../Limits.ts"

const closedAt = ({ close_time }: LedgerMarker): number => (parseIsoTime(close_time) ?? 0) / 1_000

/** Describes a range by its markers, given in ledger order. Pure. */
export const rangeOf = (placed: readonly [PlacedMarker, ...ReadonlyArray<PlacedMarker>]): BackfillRange => {
  const markers = placed.map(({ marker }) => marker)
  const [first, last] = [markers[0]!, markers.at(-1)!]
  return {
    firstLedger: first.ledger_index,
    lastLedger: last.ledger_index,
    parentHash: first.parent_hash,
    lastHash: last.ledger_hash,
    firstClosedAt: closedAt(first),
    lastClosedAt: closedAt(last),
    markerOffset: placed[0].offset,
    eventOffset: markers.find((marker) => marker.first_event_offset !== null)?.first_event_offset ?? 0,
    events: markers.reduce((sum, { event_count }) => sum + event_count, 0)
  }
}

export interface KeptRange {
  readonly range: BackfillRange
  readonly skipped: ReadonlyArray<LedgerMarker>
}

/** `writer`: the exclusive writer of the network's history. If it is fenced, the effects below die. */
export const makeBackfillLog = (
  network: Network,
  log: Log["Service"],
  writer: Pick<Log["Service"], "transaction">
) => {
  const partition = { topic: historyLedgersTopic(network), partition: 0 }
  const { append, lastMarker, retryUntilSuccess } = makeLedgerAppender({
    chain: { network, simulated: false, topics: historyTopics(network), startsRange: true },
    log,
    writer,
    onFailure: (error) => Effect.logWarning("writing history to the log failed; retrying", error)
  })

  /** The range that was appended last, if any, and the markers of its skipped ledgers. */
  const newest: Effect.Effect<KeptRange | undefined> = Effect.gen(function* () {
    const last = yield* lastMarker
    if (last === undefined) return undefined
    const { start } = yield* log.offsets(partition)
    // Kafka's transaction markers take offsets as well: twice the length is enough to find the first marker.
    let next = Math.max(start, last.offset - 2 * ledgerLimits.backfillRangeLedgers)
    const placed: Array<PlacedMarker> = []
    while (next <= last.offset) {
      const records = yield* log.read({ ...partition, offset: next }, Limits.logReadRecords)
      for (const record of records) {
        const marker = readMarker(record)
        if (marker.range_since === last.marker.range_since) placed.push({ offset: record.offset, marker })
      }
      next = (records.at(-1)?.offset ?? last.offset) + 1
    }
    const [first, ...others] = placed
    if (first === undefined) return undefined
    const skipped = placed.flatMap(({ marker }) => (marker.skipped === undefined ? [] : [marker]))
    return { range: rangeOf([first, ...others]), skipped }
  }).pipe(retryUntilSuccess)

  return {
    newest,

    /** At least one ledger, each linked to the one before. */
    append: Effect.fnUntraced(function* (detected: ReadonlyArray<DetectedLedger>) {
      const markers = yield* append(detected, (yield* lastMarker)?.marker)
      const kept = yield* newest
      if (kept?.range.lastHash === markers.at(-1)!.ledger_hash) return kept
      return yield* Effect.die(new Error(`another process wrote history of ${network}`))
    })
  }
}
