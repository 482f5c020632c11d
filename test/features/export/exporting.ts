/** Logs of simulated ledgers for `events export`, and the folders that it writes. */
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import type { Target } from "../../../src/features/export/ExportTarget.ts"
import { openFolder } from "../../../src/features/export/FolderTarget.ts"
import { type ExportOptions, runExport } from "../../../src/features/export/RunExport.ts"
import { asLedger, makeChain } from "../../../src/features/simulator/Chain.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { historyLedgersTopic } from "../../../src/spine/domain/Backfill.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { unixMsToRipple } from "../../../src/spine/event/Ledger.ts"
import type { LedgerMarker } from "../../../src/spine/event/LedgerEvent.ts"
import { rangeOf } from "../../../src/spine/ledger/backfill/BackfillLog.ts"
import {
  eventRecords,
  isChecked,
  markerOf,
  markerRecord
} from "../../../src/spine/ledger/ingest/LedgerRecords.ts"
import { Log, LogReader, type NewRecord } from "../../../src/spine/log/Log.ts"
import { readMarker } from "../../../src/spine/log/ledgers/LedgerMarkers.ts"
import { Invocation } from "../../../src/terminal/Invocation.ts"

export const FIRST = 1_000_000
export const FIRST_CLOSE = "2026-11-20T12:00:00Z"
/** Seconds between two ledgers, so that few ledgers make several days. */
const STEP_SECONDS = 2_400

export const simulatedLedgers = (
  count: number,
  transactionsPerLedger: number,
  stepSeconds = STEP_SECONDS
) => {
  const start = unixMsToRipple(Date.parse(FIRST_CLOSE))
  const chain = makeChain({
    seed: 11,
    transactionsPerLedger,
    firstLedgerIndex: FIRST,
    hashing: "digest",
    firstCloseTime: start
  })
  const ledgers = [asLedger(chain.head())]
  for (let i = 1; i < count; i++) ledgers.push(asLedger(chain.close(start + i * stepSeconds)))
  return ledgers
}

type Simulated = ReturnType<typeof simulatedLedgers>[number]

/** Appends ledgers as ingest does. `detected_at` counts ledgers. */
export const take = Effect.fnUntraced(function* (
  ledgers: ReadonlyArray<Simulated>,
  change: (marker: LedgerMarker) => LedgerMarker = (marker) => marker
) {
  const log = yield* Log
  for (const ledger of ledgers) {
    if (!isChecked(ledger)) throw new Error("a simulated ledger lacks its header")
    const { events } = detectLedger(ledger)
    const detectedAt = ledger.ledger_index
    yield* log.transaction({
      append: eventRecords("mainnet", ledger, events, detectedAt),
      appendThen: (positions) => [
        markerRecord(
          "mainnet",
          change(markerOf(ledger, events.length, positions[0]?.offset ?? null, detectedAt))
        )
      ]
    })
  }
})

/** Appends ledgers as a backfill does: in the topics of history, in one transaction. */
export const takeHistory = Effect.fnUntraced(function* (ledgers: ReadonlyArray<Simulated>) {
  const log = yield* Log
  const inHistory = (record: NewRecord): NewRecord => ({
    ...record,
    topic: record.topic.replace("xrpl.mainnet.", "xrpl.mainnet.history.")
  })
  const detected = ledgers.map((ledger) => {
    if (!isChecked(ledger)) throw new Error("a simulated ledger lacks its header")
    return { ledger, events: detectLedger(ledger).events }
  })
  const topic = historyLedgersTopic("mainnet")
  const { end: markersFrom } = yield* log.offsets({ topic, partition: 0 })
  yield* log.transaction({
    append: detected.flatMap(({ events, ledger }) =>
      eventRecords("mainnet", ledger, events, ledger.ledger_index).map(inHistory)
    ),
    appendThen: (positions) => {
      let place = 0
      return detected.map(({ events, ledger }) => {
        const offset = events.length === 0 ? null : positions[place]!.offset
        place += events.length
        const marker = markerOf(ledger, events.length, offset, ledger.ledger_index)
        return inHistory(markerRecord("mainnet", { ...marker, range_since: ledgers[0]!.ledger_index }))
      })
    }
  })
  const records = yield* log.read({ topic, partition: 0, offset: markersFrom }, ledgers.length)
  const [first, ...others] = records.map((record) => ({ offset: record.offset, marker: readMarker(record) }))
  return rangeOf([first!, ...others])
})

export const quiet = Layer.succeed(Invocation, {
  environment: {},
  stdoutTerminal: false,
  stderrTerminal: false
})

const all: Omit<ExportOptions, "target"> = {
  network: "mainnet",
  per: "day",
  history: [],
  from: { _tag: "Ledger", index: FIRST },
  to: { _tag: "Ledger", index: FIRST + 99 },
  types: eventTypes,
  format: "ndjson"
}

export type Options = Partial<Omit<ExportOptions, "target">>

/** The export of the context's log to the target. Default: the first 100 ledgers, a file for each day. */
export const exportTo = Effect.fnUntraced(function* (target: Target, options: Options = {}) {
  const log = yield* Log
  return yield* runExport({ ...all, ...options, target }).pipe(
    Effect.provideService(LogReader, log),
    Effect.provide(quiet)
  )
})

/** The same to a folder. */
export const exported = (folder: string, options: Options = {}) =>
  openFolder(folder, options.network ?? all.network).pipe(
    Effect.flatMap((target) => exportTo(target, options)),
    Effect.provide(NodeServices.layer)
  )

/** Every file below the folder, with its hash. */
export const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync("**/*", { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [
        path.slice(folder.length + 1),
        createHash("sha256").update(readFileSync(path)).digest("hex")
      ])
  )

export const linesOf = (path: string): ReadonlyArray<string> =>
  gunzipSync(readFileSync(path)).toString().trimEnd().split("\n")

export const jsonIn = (path: string) => JSON.parse(readFileSync(path, "utf8"))

/** The files of events, without manifests. */
export const eventFilesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(filesIn(folder)).filter(([path]) => path.includes("/type=")))
