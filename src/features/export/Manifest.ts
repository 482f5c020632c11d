/**
 * The manifests of an exported network. `network=NETWORK/_manifest.json` says which ledgers the files cover, and
 * `network=NETWORK/date=DATE/_manifest.json` lists the files of that date. Each is replaced as a whole, after the files
 * that it names; the one of the network is last. Readers may rely on every file that is listed.
 */
import { Effect, Schema } from "effect"
import { type EventType, eventTypes } from "../../spine/event/EventType.ts"
import { type Network, networks } from "../../spine/event/Network.ts"
import { failed } from "../../terminal/Failure.ts"
import { gapsOf, joinSpan, type Span } from "../events/command/Coverage.ts"
import type { Target } from "./ExportTarget.ts"
import { formats } from "./Formats.ts"

const MANIFEST = "_manifest.json"
/** What releases before 0.3 wrote, in another layout. */
const OLD_MANIFEST = "manifest.json"

export const manifestPath = (network: Network): string => `network=${network}/${MANIFEST}`
export const dateFolder = (network: Network, date: string): string => `network=${network}/date=${date}`

const spanSchema = Schema.Struct({
  first_ledger: Schema.Number,
  last_ledger: Schema.Number,
  parent_hash: Schema.String,
  last_hash: Schema.String,
  first_close_time: Schema.String,
  last_close_time: Schema.String,
  events: Schema.Number,
  simulated: Schema.optionalKey(Schema.Literal(true)),
  skipped: Schema.optionalKey(
    Schema.Array(Schema.Struct({ ledger_index: Schema.Number, reason: Schema.String }))
  )
})

const file = Schema.Struct({
  /** Below the target. */
  path: Schema.String,
  event_type: Schema.Literals(eventTypes),
  events: Schema.Number,
  bytes: Schema.Number,
  sha256: Schema.String
})

/** The files of a date or of one hour of it. They are being replaced while it is `unfinished`: then it lists none. */
const part = Schema.Struct({
  hour: Schema.NullOr(Schema.Number),
  ledgers: Schema.Array(spanSchema),
  files: Schema.Array(file),
  unfinished: Schema.optionalKey(Schema.Literal(true))
})

const counted = {
  /** Exported events. */
  events: Schema.Number,
  events_by_type: Schema.Record(Schema.String, Schema.Number),
  ledgers: Schema.Array(spanSchema)
}

const version = Schema.Literal(2)
const network = Schema.Literals(networks)

const dateManifest = Schema.Struct({
  version,
  network,
  date: Schema.String,
  ...counted,
  parts: Schema.Array(part)
})

const manifest = Schema.Struct({
  version,
  network,
  format: Schema.Literals(formats),
  /** `*`: all types of the release that writes. */
  event_types: Schema.Array(Schema.Literals([...eventTypes, "*"])),
  ...counted,
  gaps: Schema.Array(
    Schema.Struct({ after_ledger: Schema.Number, before_ledger: Schema.Number, missing: Schema.Number })
  ),
  dates: Schema.Array(Schema.Struct({ date: Schema.String, files: Schema.Number, ...counted }))
})

export type ExportedFile = (typeof file)["Type"]
export type Part = (typeof part)["Type"]
type DateManifest = (typeof dateManifest)["Type"]
export type Manifest = (typeof manifest)["Type"]

interface Counted {
  readonly events: number
  readonly events_by_type: Readonly<Record<string, number>>
  readonly ledgers: ReadonlyArray<Span>
}

const counts = (files: ReadonlyArray<ExportedFile>): Pick<Counted, "events" | "events_by_type"> =>
  together(
    files.map(({ event_type, events }) => ({ events, events_by_type: { [event_type]: events }, ledgers: [] }))
  )

const together = (all: ReadonlyArray<Counted>): Counted => {
  const sum = (type: EventType) => all.reduce((total, one) => total + (one.events_by_type[type] ?? 0), 0)
  return {
    events: all.reduce((total, { events }) => total + events, 0),
    events_by_type: Object.fromEntries(
      eventTypes.flatMap((type) => (sum(type) > 0 ? [[type, sum(type)]] : []))
    ),
    ledgers: all.flatMap(({ ledgers }) => ledgers).reduce<ReadonlyArray<Span>>(joinSpan, [])
  }
}

const dateOf = (of: Network, date: string, parts: ReadonlyArray<Part>): DateManifest => {
  const finished = parts.filter(({ unfinished }) => unfinished !== true)
  const { ledgers } = together(
    finished.map((one) => ({ events: 0, events_by_type: {}, ledgers: one.ledgers }))
  )
  return { version: 2, network: of, date, ...counts(parts.flatMap(({ files }) => files)), ledgers, parts }
}

const summaryOf = ({ date, events, events_by_type, ledgers, parts }: DateManifest) => ({
  date,
  files: parts.reduce((sum, { files }) => sum + files.length, 0),
  events,
  events_by_type,
  ledgers
})

const withDate = (old: Manifest, next: DateManifest): Manifest => {
  const others = old.dates.filter(({ date }) => date !== next.date)
  const dates = [...others, summaryOf(next)].sort((a, b) => (a.date < b.date ? -1 : 1))
  const all = together(dates)
  const { format, event_types } = old
  return { version: 2, network: old.network, format, event_types, ...all, gaps: gapsOf(all.ledgers), dates }
}

const textOf = (value: Manifest | DateManifest): string => `${JSON.stringify(value, null, 2)}\n`

const readAs = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  target: Target,
  path: string,
  schema: S
) {
  const found = yield* target.read(path)
  if (found === undefined) return undefined
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(found).pipe(
    Effect.catchTag("SchemaError", () =>
      Effect.fail(
        failed(`${target.name}/${path} is not the manifest of an export; choose another place with --out.`)
      )
    )
  )
})

export type Wanted = Pick<Manifest, "network" | "format" | "event_types">

const openManifest = Effect.fnUntraced(function* (target: Target, wanted: Wanted) {
  if ((yield* target.read(OLD_MANIFEST)) !== undefined)
    return yield* failed(
      `--out ${target.name} contains an export of an earlier release, which has another layout; choose another place.`
    )
  const found = yield* readAs(target, manifestPath(wanted.network), manifest)
  if (found === undefined) {
    const none = { events: 0, events_by_type: {}, ledgers: [], gaps: [], dates: [] }
    return { version: 2, ...wanted, ...none } satisfies Manifest
  }
  const same =
    found.format === wanted.format &&
    wanted.event_types.every((type) => found.event_types.includes(type)) &&
    found.event_types.length === wanted.event_types.length
  if (same) return found
  const types = found.event_types.includes("*") ? "all types" : `the types ${found.event_types.join(", ")}`
  return yield* failed(
    `--out ${target.name} contains an export of ${types} as ${found.format}; use the same --type and --format, or choose another place.`
  )
})

/** The manifests of a network in the target, for its only writer. */
export const openManifests = Effect.fnUntraced(function* (target: Target, wanted: Wanted) {
  let current: Manifest = yield* openManifest(target, wanted)
  let newest: DateManifest | undefined

  const dateIn = Effect.fnUntraced(function* (date: string) {
    if (newest?.date === date) return newest
    const path = `${dateFolder(wanted.network, date)}/${MANIFEST}`
    newest = (yield* readAs(target, path, dateManifest)) ?? dateOf(wanted.network, date, [])
    return newest
  })

  /** Enters what the date's manifest says, unless it is there. */
  const enter = Effect.fnUntraced(function* (date: DateManifest) {
    const next = withDate(current, date)
    if (textOf(next) === textOf(current)) return
    yield* target.write(manifestPath(wanted.network), textOf(next))
    current = next
  })

  return {
    covered: () => current.ledgers,
    partsOf: (date: string) => Effect.map(dateIn(date), ({ parts }) => parts),
    /** For a part that is complete: an interrupted run may have left only the network's manifest to be written. */
    enter: (date: string) => Effect.flatMap(dateIn(date), enter),
    save: Effect.fnUntraced(function* (date: string, next: Part) {
      const { parts } = yield* dateIn(date)
      const others = parts.filter(({ hour }) => hour !== next.hour)
      const changed = dateOf(
        wanted.network,
        date,
        [...others, next].sort((a, b) => (a.hour ?? 0) - (b.hour ?? 0))
      )
      yield* target.write(`${dateFolder(wanted.network, date)}/${MANIFEST}`, textOf(changed))
      newest = changed
      yield* enter(changed)
    })
  }
})
