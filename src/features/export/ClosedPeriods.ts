/**
 * Exports the hours (or days) that are closed. One is closed when the log has a ledger of a later one. Each round takes
 * what the manifest does not cover yet, so after an outage, or with history that was fetched later, nothing is left out.
 * `onPeriod` gets each period that was written.
 */

import { Effect } from "effect"
import type { BackfillRange } from "../../spine/domain/Backfill.ts"
import { LogReader } from "../../spine/log/Log.ts"
import { ledgerRanges } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { failed } from "../../terminal/Failure.ts"
import type { Bound } from "../events/command/Bounds.ts"
import { type Interval, intervalOf } from "../events/command/Coverage.ts"
import { clip, firstClosedAt, type Piece, piecesOf, uncovered } from "../events/command/Sources.ts"
import { exportLimits } from "./Limits.ts"
import { startOf } from "./Periods.ts"
import { makePeriodWriter, type WriteOptions, type WrittenPeriod } from "./WritePeriods.ts"

export interface ClosedOptions<E, R> extends WriteOptions {
  /** Where to start; undefined: with the oldest ledger of the log. */
  readonly from: Bound | undefined
  readonly history: Effect.Effect<ReadonlyArray<BackfillRange>, E, R>
  readonly onPeriod: (written: WrittenPeriod) => Effect.Effect<void>
  /** After each round: all that was closed is written. */
  readonly onRound: Effect.Effect<void>
}

/** Returns a round, which may be repeated. */
export const closedPeriods = Effect.fnUntraced(function* <E, R>(options: ClosedOptions<E, R>) {
  const { from, network, per } = options
  const log = yield* LogReader
  const { covered, writeNext } = yield* makePeriodWriter(options)
  /** Ledgers whose events retention has dropped: asked once. */
  let dropped: ReadonlyArray<Interval> = []

  /** The first ledger to export; Infinity if the log does not have it yet. */
  const firstOf = Effect.fnUntraced(function* (pieces: ReadonlyArray<Piece>) {
    if (from === undefined) return 1
    if (from._tag === "Ledger") return from.index
    return (yield* firstClosedAt(pieces, from.ms))?.index ?? Infinity
  })

  const round = Effect.gen(function* () {
    const held = piecesOf(log, network, yield* ledgerRanges(log, network), yield* options.history)
    const newest = held.at(-1)
    if (newest === undefined) return
    if (held.some(({ source }) => source.lastClosedAt > newest.source.lastClosedAt))
      return yield* failed(
        `a ledger closed before one with a lower index; export the two chains with a --from and --to for each.`
      )
    const open = yield* firstClosedAt(held, startOf(per, newest.source.lastClosedAt))
    const closed = clip(held, yield* firstOf(held), (open?.index ?? Infinity) - 1)
    const done = [...covered().map(intervalOf), ...dropped].sort((a, b) => a.first - b.first)
    for (let left = uncovered(closed, done); left[0] !== undefined; ) {
      const next = yield* writeNext(held, left, left[0], Effect.void)
      left = next.left
      dropped = [...dropped, ...next.written.dropped]
      if (!next.written.kept) yield* options.onPeriod(next.written)
    }
    yield* options.onRound
  })

  return round
})

/** Runs the round again and again, as hours end. */
export const untilInterrupted = <E, R>(round: Effect.Effect<void, E, R>): Effect.Effect<never, E, R> =>
  Effect.forever(Effect.andThen(round, Effect.sleep(exportLimits.pollMs)))
