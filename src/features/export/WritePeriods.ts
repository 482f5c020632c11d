/**
 * Writes ledgers of the log as files, period by period. A period is finished when the manifest names its files. It is
 * written as a whole: drafts, synced, published, then entered in the manifest. So a run that was killed at any moment
 * continues with the first unfinished period and ends with the same files. A period that is finished is skipped, and one
 * of which a part was exported is written again with all its ledgers.
 */
import { Effect } from "effect"
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import type { Network } from "../../spine/event/Network.ts"
import { dateOf } from "../../spine/words/IsoTime.ts"
import { failed } from "../../terminal/Failure.ts"
import { covers, coversAll, type Interval, joinSpan, type Span } from "../events/command/Coverage.ts"
import { clip, firstClosedAt, type Piece } from "../events/command/Sources.ts"
import type { Target } from "./ExportTarget.ts"
import { encoders, type Format, fileEndings } from "./Formats.ts"
import { dateFolder, type ExportedFile, openManifests, type Part } from "./Manifest.ts"
import { makePeriodFiles } from "./PeriodFiles.ts"
import { fileName, type Period, periodAt, type Unit } from "./Periods.ts"
import { readPiece } from "./ReadPiece.ts"

export interface WriteOptions {
  readonly network: Network
  /** In the order of `eventTypes`. */
  readonly types: ReadonlyArray<EventType>
  readonly format: Format
  /** What one file covers. A date keeps the unit with which it began. */
  readonly per: Unit
  readonly target: Target
}

export interface WrittenPeriod extends Pick<Period, "date" | "hour"> {
  /** The wanted ledgers of the period. */
  readonly first_ledger: number
  readonly last_ledger: number
  /** None if the period was finished before. */
  readonly files: ReadonlyArray<ExportedFile>
  readonly kept: boolean
  /** Ledgers whose events the log no longer keeps. */
  readonly dropped: ReadonlyArray<Interval>
}

/** For the target's only writer. */
export const makePeriodWriter = Effect.fnUntraced(function* (options: WriteOptions) {
  const { format, network, per, target, types } = options
  const event_types = types.length === eventTypes.length ? (["*"] as const) : types
  const manifests = yield* openManifests(target, { network, format, event_types })
  const encoder = yield* encoders(format)

  /** The period of the first of these pieces, and its ledgers among them. */
  const nextPeriod = Effect.fnUntraced(function* (left: ReadonlyArray<Piece>, { first, source }: Piece) {
    const marker = (yield* source.marker(first))?.marker
    if (marker === undefined)
      return yield* failed(`ledger ${first} is missing in the log; \`ledgerhook ledger verify\` checks it.`)
    const closedAt = Date.parse(marker.close_time)
    const [part] = yield* manifests.partsOf(dateOf(closedAt))
    const unit = part === undefined ? per : part.hour === null ? "day" : "hour"
    const period = periodAt(unit, closedAt)
    const next = yield* firstClosedAt(left, period.endMs)
    const pieces = next === undefined ? left : clip(left, first, next.index - 1)
    if (pieces.length === 0)
      return yield* failed(
        `ledger ${first} closed before a ledger with a lower index; export the two chains with a --from and --to for each.`
      )
    return { period, pieces }
  })

  const isFinished = Effect.fnUntraced(function* (part: Part | undefined, wanted: ReadonlyArray<Piece>) {
    if (part === undefined || part.unfinished === true) return false
    if (!wanted.every((piece) => covers(part.ledgers, piece))) return false
    for (const { bytes, path } of part.files) if ((yield* target.size(path)) !== bytes) return false
    return true
  })

  const writePeriod = Effect.fnUntraced(function* (
    { date, hour }: Period,
    wanted: ReadonlyArray<Piece>,
    old: ReadonlyArray<Span>,
    onLedger: Effect.Effect<void>
  ) {
    const files = yield* makePeriodFiles({
      target,
      folder: dateFolder(network, date),
      name: `${fileName(hour)}.${fileEndings[format]}`,
      encoder
    })
    const reading = { types: new Set(types), add: files.add, onLedger }
    let spans: ReadonlyArray<Span> = []
    const dropped: Array<Interval> = []
    for (const piece of wanted) {
      const read = yield* readPiece(piece, reading)
      spans = read.spans.reduce(joinSpan, spans)
      if (read.dropped !== undefined) dropped.push(read.dropped)
    }
    if (!coversAll(spans, old))
      return yield* failed(
        `${target.name} has ledgers of ${date} that the log no longer has, so the files of that time cannot be written again; export the others to another place.`
      )
    const written = yield* files.end
    // The manifest never names files that are being replaced, but keeps the ledgers that they must cover.
    if (old.length > 0) yield* manifests.save(date, { hour, ledgers: old, files: [], unfinished: true })
    yield* files.publish
    if (spans.length > 0) yield* manifests.save(date, { hour, ledgers: spans, files: written })
    return { files: written, dropped }
  }, Effect.scoped)

  /** Writes the period of the first of `wanted`. `held`: all ledgers of the log. Returns what is left of `wanted`. */
  const writeNext = Effect.fnUntraced(function* (
    held: ReadonlyArray<Piece>,
    wanted: ReadonlyArray<Piece>,
    start: Piece,
    onLedger: Effect.Effect<void>
  ) {
    const { period, pieces } = yield* nextPeriod(wanted, start)
    const { date, hour } = period
    const [first, last] = [pieces[0]!.first, pieces.at(-1)!.last]
    const left = clip(wanted, last + 1, Infinity)
    const before = (yield* manifests.partsOf(date)).find((part) => part.hour === hour)
    const done = { date, hour, first_ledger: first, last_ledger: last }
    if (yield* isFinished(before, pieces)) {
      yield* manifests.enter(date)
      return { left, written: { ...done, files: [], kept: true, dropped: [] } satisfies WrittenPeriod }
    }
    const old = before?.ledgers ?? []
    const from = Math.min(first, old[0]?.first_ledger ?? Infinity)
    const to = Math.max(last, old.at(-1)?.last_ledger ?? 0)
    const { dropped, files } = yield* writePeriod(period, clip(held, from, to), old, onLedger)
    return { left, written: { ...done, files, kept: false, dropped } satisfies WrittenPeriod }
  })

  return { covered: manifests.covered, writeNext }
})
