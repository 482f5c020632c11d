/**
 * Exports a range of ledgers day by day. A day is finished when the manifest names its files. It is written as a whole:
 * under temporary names, synced, renamed, then entered in the manifest. So a run that was killed at any moment continues
 * with the first unfinished day and ends with the same files. A day that is finished is skipped, and one of which a
 * part was exported is written again with all its ledgers.
 */
import { Effect, FileSystem, Path } from "effect"
import { findInRange, ledgerRanges } from "../../../coverage/LedgerMarkers.ts"
import type { EventType } from "../../../domain/EventType.ts"
import { iso } from "../../../domain/IsoTime.ts"
import type { Network } from "../../../domain/Network.ts"
import { LogReader } from "../../../log/Log.ts"
import { failed } from "../../terminal/Failure.ts"
import { showProgress } from "../../terminal/Progress.ts"
import { type Bound, firstClosedAt, type Missing, resolve } from "./Bounds.ts"
import { clip, covers, coversAll, joinSpan, ledgersIn, type Piece, piecesOf, type Span } from "./Coverage.ts"
import { makeDayFiles } from "./DayFiles.ts"
import { encoders, type Format, fileEndings } from "./Formats.ts"
import { type Day, dayIn, loadManifest, MANIFEST, saveManifest, withDay } from "./Manifest.ts"
import { readPiece } from "./ReadDay.ts"

export interface ExportOptions {
  readonly network: Network
  readonly from: Bound
  readonly to: Bound
  /** In the order of `eventTypes`. */
  readonly types: ReadonlyArray<EventType>
  readonly format: Format
  readonly folder: string
}

/** What one run has done. Days that were finished before count in `days_kept` only. */
export interface ExportResult {
  readonly ok: boolean
  readonly network: Network
  readonly first_ledger: number
  readonly last_ledger: number
  readonly days: number
  readonly days_kept: number
  readonly files: number
  readonly events: number
  readonly bytes: number
  readonly manifest: string
  readonly missing: ReadonlyArray<Missing>
}

const DAY_MS = 86_400_000

interface PlannedDay {
  readonly date: string
  /** The asked ledgers of the day. */
  readonly pieces: ReadonlyArray<Piece>
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

export const runExport = Effect.fnUntraced(function* (options: ExportOptions) {
  const { folder, format, network, types } = options
  const log = yield* LogReader
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const pieces = piecesOf(yield* ledgerRanges(log, network))
  const range = yield* resolve(log, network, pieces, options.from, options.to)
  const asked = clip(pieces, range.first, range.last)
  const missing: Array<Missing> = [...range.missing]
  yield* fileSystem.makeDirectory(folder, { recursive: true })
  let manifest = yield* loadManifest(folder, { format, event_types: types })
  const encoder = yield* encoders(format)
  const show = yield* showProgress("exported", ledgersIn(asked))
  let done = 0
  const onLedger = Effect.suspend(() => show(++done))

  /** The day of the first of these pieces. */
  const dayOf = Effect.fnUntraced(function* (left: ReadonlyArray<Piece>, { first, range: in_ }: Piece) {
    const marker = (yield* findInRange(log, network, in_, first))?.marker
    if (marker === undefined)
      return yield* failed(`ledger ${first} is missing in the log; \`ledgerhook ledger verify\` checks it.`)
    const startMs = Math.floor(Date.parse(marker.close_time) / DAY_MS) * DAY_MS
    const next = yield* firstClosedAt(log, network, left, startMs + DAY_MS)
    const date = iso(startMs).slice(0, 10)
    return { date, pieces: clip(left, first, (next?.index ?? range.last + 1) - 1) } satisfies PlannedDay
  })

  const save = (day: Day) => {
    manifest = withDay(manifest, network, day)
    return saveManifest(folder, manifest)
  }

  const isFinished = Effect.fnUntraced(function* (day: Day | undefined, wanted: ReadonlyArray<Piece>) {
    if (day === undefined || day.unfinished === true) return false
    if (!wanted.every((piece) => covers(day.ledgers, piece))) return false
    for (const { bytes, path: name } of day.files) {
      const file = path.join(folder, name)
      if (!(yield* fileSystem.exists(file)) || Number((yield* fileSystem.stat(file)).size) !== bytes)
        return false
    }
    return true
  })

  const writeDay = Effect.fnUntraced(function* (date: string, wanted: ReadonlyArray<Piece>, old: Span[]) {
    const files = yield* makeDayFiles({ folder, network, date, ending: fileEndings[format], encoder })
    const reading = { network, types: new Set(types), add: files.add, onLedger }
    let spans: ReadonlyArray<Span> = []
    for (const piece of wanted) {
      const read = yield* readPiece(piece, reading)
      spans = read.spans.reduce(joinSpan, spans)
      if (read.dropped !== undefined) {
        const { first: first_ledger, last: last_ledger } = read.dropped
        missing.push({ first_ledger, last_ledger, reason: "the log no longer keeps their events" })
      }
    }
    if (!coversAll(spans, old))
      return yield* failed(
        `${folder} has ledgers of ${date} that the log no longer has, so the day cannot be written again; export the others to another folder.`
      )
    const written = yield* files.end
    // The manifest never names files that are being replaced, but keeps the ledgers that they must cover.
    if (old.length > 0) yield* save({ date, ledgers: old, files: [], unfinished: true })
    yield* files.publish(written)
    if (spans.length > 0) yield* save({ date, ledgers: spans, files: written })
    return written
  }, Effect.scoped)

  let days = 0
  let kept = 0
  const written: Array<Day["files"][number]> = []
  for (let left = asked; left[0] !== undefined; ) {
    const day = yield* dayOf(left, left[0])
    const last = day.pieces.at(-1)?.last
    if (last === undefined)
      return yield* failed(
        `ledger ${left[0].first} closed before a ledger with a lower index; export the two chains with a --from and --to for each.`
      )
    const before = dayIn(manifest, network, day.date)
    if (yield* isFinished(before, day.pieces)) {
      kept++
      done += ledgersIn(day.pieces)
    } else {
      const old = [...(before?.ledgers ?? [])]
      const first = Math.min(left[0].first, old[0]?.first_ledger ?? Infinity)
      const end = Math.max(last, old.at(-1)?.last_ledger ?? 0)
      written.push(...(yield* writeDay(day.date, clip(pieces, first, end), old)))
      days++
    }
    left = clip(left, last + 1, range.last)
  }
  return {
    ok: missing.length === 0,
    network,
    first_ledger: asked[0]!.first,
    last_ledger: asked.at(-1)!.last,
    days,
    days_kept: kept,
    files: written.length,
    events: sum(written.map(({ events }) => events)),
    bytes: sum(written.map(({ bytes }) => bytes)),
    manifest: path.join(folder, MANIFEST),
    missing
  } satisfies ExportResult
}, Effect.scoped)
