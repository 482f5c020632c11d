/** Logs of simulated ledgers for `events export`, and the folders that it writes. */
import { createHash } from "node:crypto"
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { openFolder } from "../../src/cli/commands/events/FolderTarget.ts"
import { type ExportOptions, runExport } from "../../src/cli/commands/events/RunExport.ts"
import { Invocation } from "../../src/cli/terminal/Invocation.ts"
import { detectLedger } from "../../src/detect/Detect.ts"
import { eventTypes } from "../../src/domain/EventType.ts"
import { unixMsToRipple } from "../../src/domain/Ledger.ts"
import type { LedgerMarker } from "../../src/domain/LedgerEvent.ts"
import { eventRecords, isChecked, markerOf, markerRecord } from "../../src/ledger/LedgerRecords.ts"
import { Log, LogReader } from "../../src/log/Log.ts"
import { asLedger, makeChain } from "../../src/simulator/Chain.ts"

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

export const makeFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-export-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

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

/** Needs the platform's services and a log. */
export const exportTo = Effect.fnUntraced(function* (folder: string, options: Options) {
  const log = yield* Log
  const target = yield* openFolder(folder, options.network ?? all.network)
  return yield* runExport({ ...all, ...options, target }).pipe(Effect.provideService(LogReader, log))
})

/** The export of the context's log. Default: the first 100 ledgers, a file for each day. */
export const exported = (folder: string, options: Options = {}) =>
  exportTo(folder, options).pipe(Effect.provide(Layer.merge(quiet, NodeServices.layer)))

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
