/** Exports a range of ledgers, and reports which of them the log does not have. */
import { Effect } from "effect"
import type { BackfillRange } from "../../spine/domain/Backfill.ts"
import type { Network } from "../../spine/event/Network.ts"
import { LogReader } from "../../spine/log/Log.ts"
import { ledgerRanges } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { showProgress } from "../../terminal/ProgressLine.ts"
import { type Bound, droppedLedgers, type Missing, resolve } from "../events/command/Bounds.ts"
import { ledgersIn } from "../events/command/Coverage.ts"
import { clip, piecesOf } from "../events/command/Sources.ts"
import { manifestPath } from "./Manifest.ts"
import { makePeriodWriter, type WriteOptions, type WrittenPeriod } from "./WritePeriods.ts"

export interface ExportOptions extends WriteOptions {
  readonly from: Bound
  readonly to: Bound
  /** Lowest ledger first. */
  readonly history: ReadonlyArray<BackfillRange>
}

/** What one run has done. Periods that were finished before count in `periods_kept` only. */
export interface ExportResult {
  readonly ok: boolean
  readonly network: Network
  readonly first_ledger: number
  readonly last_ledger: number
  readonly periods: number
  readonly periods_kept: number
  readonly files: number
  readonly events: number
  readonly bytes: number
  readonly manifest: string
  readonly missing: ReadonlyArray<Missing>
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

export const runExport = Effect.fnUntraced(function* (options: ExportOptions) {
  const { history, network, target } = options
  const log = yield* LogReader
  const held = piecesOf(log, network, yield* ledgerRanges(log, network), history)
  const range = yield* resolve(network, held, options.from, options.to)
  const asked = clip(held, range.first, range.last)
  const { writeNext } = yield* makePeriodWriter(options)
  const show = yield* showProgress("exported", ledgersIn(asked))
  let done = 0
  const onLedger = Effect.suspend(() => show(++done))

  const written: Array<WrittenPeriod> = []
  for (let left = asked; left[0] !== undefined; ) {
    const next = yield* writeNext(held, left, left[0], onLedger)
    written.push(next.written)
    left = next.left
    done = ledgersIn(asked) - ledgersIn(left)
  }
  const dropped = written.flatMap((one) => one.dropped).map(droppedLedgers)
  const missing: ReadonlyArray<Missing> = [...range.missing, ...dropped]
  const files = written.flatMap((one) => one.files)
  return {
    ok: missing.length === 0,
    network,
    first_ledger: asked[0]!.first,
    last_ledger: asked.at(-1)!.last,
    periods: written.filter(({ kept }) => !kept).length,
    periods_kept: written.filter(({ kept }) => kept).length,
    files: files.length,
    events: sum(files.map(({ events }) => events)),
    bytes: sum(files.map(({ bytes }) => bytes)),
    manifest: `${target.name}/${manifestPath(network)}`,
    missing
  } satisfies ExportResult
}, Effect.scoped)
