/**
 * `manifest.json` of an export folder: which files are complete, with counts and hashes, and which ledgers they cover.
 * It is replaced as a whole, after the files that it names are on disk. Readers may rely on every file that it lists.
 */
import { Effect, FileSystem, Path, Schema } from "effect"
import { type EventType, eventTypes } from "../../../domain/EventType.ts"
import { type Network, networks } from "../../../domain/Network.ts"
import { failed } from "../../terminal/Failure.ts"
import { syncFolder, writeDurably } from "../../terminal/OutputFile.ts"
import { gapsOf, joinSpan, type Span } from "./Coverage.ts"
import { formats } from "./Formats.ts"

export const MANIFEST = "manifest.json"

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
  path: Schema.String,
  event_type: Schema.Literals(eventTypes),
  events: Schema.Number,
  bytes: Schema.Number,
  sha256: Schema.String
})

/** One UTC day of one network. Its files are being replaced while it is `unfinished`: then it lists none. */
const day = Schema.Struct({
  date: Schema.String,
  ledgers: Schema.Array(spanSchema),
  files: Schema.Array(file),
  unfinished: Schema.optionalKey(Schema.Literal(true))
})

const gap = Schema.Struct({
  after_ledger: Schema.Number,
  before_ledger: Schema.Number,
  missing: Schema.Number
})

const coverage = Schema.Struct({
  network: Schema.Literals(networks),
  /** Exported events. */
  events: Schema.Number,
  events_by_type: Schema.Record(Schema.String, Schema.Number),
  ledgers: Schema.Array(spanSchema),
  gaps: Schema.Array(gap),
  days: Schema.Array(day)
})

const manifest = Schema.Struct({
  version: Schema.Literal(1),
  format: Schema.Literals(formats),
  event_types: Schema.Array(Schema.Literals(eventTypes)),
  networks: Schema.Array(coverage)
})

export type ExportedFile = (typeof file)["Type"]
export type Day = (typeof day)["Type"]
type Coverage = (typeof coverage)["Type"]
export type Manifest = (typeof manifest)["Type"]

const sumByType = (files: ReadonlyArray<ExportedFile>): Readonly<Record<string, number>> => {
  const sums: Partial<Record<EventType, number>> = {}
  for (const type of eventTypes) {
    const events = files.reduce((sum, one) => (one.event_type === type ? sum + one.events : sum), 0)
    if (events > 0) sums[type] = events
  }
  return sums
}

/** What the days say together. */
const coverageOf = (network: Network, days: ReadonlyArray<Day>): Coverage => {
  const files = days.flatMap((one) => one.files)
  const ledgers = days
    .filter(({ unfinished }) => unfinished !== true)
    .flatMap((one) => one.ledgers)
    .reduce<ReadonlyArray<Span>>(joinSpan, [])
  return {
    network,
    events: files.reduce((sum, { events }) => sum + events, 0),
    events_by_type: sumByType(files),
    ledgers,
    gaps: gapsOf(ledgers),
    days
  }
}

const coverageIn = ({ networks }: Manifest, network: Network): Coverage =>
  networks.find((one) => one.network === network) ?? coverageOf(network, [])

export const dayIn = (from: Manifest, network: Network, date: string): Day | undefined =>
  coverageIn(from, network).days.find((one) => one.date === date)

/** With the day in place of the one that it had. */
export const withDay = (old: Manifest, network: Network, next: Day): Manifest => {
  const others = coverageIn(old, network).days.filter(({ date }) => date !== next.date)
  const days = [...others, next].sort((a, b) => (a.date < b.date ? -1 : 1))
  const changed = coverageOf(network, days)
  return {
    ...old,
    networks: networks.flatMap((name) =>
      name === network ? [changed] : old.networks.filter((one) => one.network === name)
    )
  }
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(manifest))

/** The folder's manifest; one without days if the folder has none. */
export const loadManifest = Effect.fnUntraced(function* (
  folder: string,
  wanted: Pick<Manifest, "format" | "event_types">
) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(folder, MANIFEST)
  if (!(yield* fileSystem.exists(path))) return { version: 1, ...wanted, networks: [] } satisfies Manifest
  const found = yield* decode(yield* fileSystem.readFileString(path)).pipe(
    Effect.catchTag("SchemaError", () =>
      Effect.fail(failed(`${path} is not the manifest of an export; choose another folder with --out.`))
    )
  )
  const same =
    found.format === wanted.format &&
    wanted.event_types.every((type) => found.event_types.includes(type)) &&
    found.event_types.length === wanted.event_types.length
  if (same) return found
  const types =
    found.event_types.length === eventTypes.length ? "all types" : `the types ${found.event_types.join(", ")}`
  return yield* failed(
    `--out ${folder} contains an export of ${types} as ${found.format}; use the same --type and --format, or choose another folder.`
  )
})

export const saveManifest = Effect.fnUntraced(function* (folder: string, value: Manifest) {
  const path = (yield* Path.Path).join(folder, MANIFEST)
  yield* writeDurably(path, `${JSON.stringify(value, null, 2)}\n`)
  yield* syncFolder(folder)
})
