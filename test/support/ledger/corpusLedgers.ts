/**
 * The corpus of real ledgers (../shared/xrpl-corpus beside the project, where it is present) as runs that a test server
 * can serve and ingest can follow: gaps are filled with empty ledgers whose hashes link, and recorded ledgers without a
 * header get a made-up one. Their events' times are then made up too: compare those without `timestamp`.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { hashOf, type RawLedger } from "./chain.ts"

export const corpusFolder = resolve(import.meta.dirname, "../../../../shared/xrpl-corpus")
export const corpusPresent = existsSync(resolve(corpusFolder, "expected/events.jsonl"))

/** A recorded ledger: some have no header. */
interface Recorded extends Pick<RawLedger, "ledger_index" | "transactions"> {
  readonly ledger_hash: string | null
  readonly parent_hash: string | null
  readonly close_time: number | null
  readonly parent_close_time: number | null
}

export interface CorpusRun {
  /** Paths below the corpus folder, as `expected/` names them. */
  readonly files: ReadonlyArray<string>
  /** Linked ledgers without gaps: empty ones fill the gaps between recorded ones. */
  readonly ledgers: ReadonlyArray<RawLedger>
}

interface CorpusLedger {
  readonly file: string
  readonly ledger: RawLedger
}

/** The Ripple time of ledgers that were recorded without one. They are from 2026. */
const MADE_UP_CLOSE_TIME = 830_000_000
/** A time before anything can expire. */
const EXPIRES_NOTHING = 0

const withHeader = (recorded: Recorded): RawLedger => ({
  ...recorded,
  ledger_hash: recorded.ledger_hash ?? hashOf(`ledger ${recorded.ledger_index}`),
  parent_hash: recorded.parent_hash ?? hashOf(`ledger ${recorded.ledger_index - 1}`),
  close_time: recorded.close_time ?? MADE_UP_CLOSE_TIME,
  parent_close_time: recorded.parent_close_time ?? EXPIRES_NOTHING
})

const fillers = (before: RawLedger, after: RawLedger): ReadonlyArray<RawLedger> => {
  const nameOf = (index: number) =>
    index === before.ledger_index
      ? before.ledger_hash
      : index === after.ledger_index - 1
        ? after.parent_hash
        : hashOf(`filler ${index}`)
  return Array.from({ length: after.ledger_index - before.ledger_index - 1 }, (_, i) => {
    const index = before.ledger_index + 1 + i
    return {
      ledger_index: index,
      ledger_hash: nameOf(index),
      parent_hash: nameOf(index - 1),
      close_time: before.close_time,
      parent_close_time: before.close_time,
      transactions: []
    }
  })
}

/** All 42 ledgers, in runs whose gaps have at most `gapMax` ledgers. */
export const corpusRuns = (gapMax = 200): ReadonlyArray<CorpusRun> => {
  const recorded: ReadonlyArray<CorpusLedger> = globSync("ledgers/*.json", { cwd: corpusFolder })
    .map((file) => ({
      file,
      // The corpus's README describes this form.
      ledger: withHeader(JSON.parse(readFileSync(resolve(corpusFolder, file), "utf8")) as Recorded)
    }))
    .toSorted((a, b) => a.ledger.ledger_index - b.ledger.ledger_index)
  const runs: Array<{ files: Array<string>; ledgers: Array<RawLedger> }> = []
  for (const { file, ledger } of recorded) {
    const run = runs.at(-1)
    const last = run?.ledgers.at(-1)
    if (run === undefined || last === undefined || ledger.ledger_index - last.ledger_index > gapMax + 1)
      runs.push({ files: [file], ledgers: [ledger] })
    else {
      run.files.push(file)
      run.ledgers.push(...fillers(last, ledger), ledger)
    }
  }
  return runs
}

/** All ledgers and single transactions, as paths below the corpus folder. */
export const corpusFiles = (): ReadonlyArray<string> =>
  globSync(["ledgers/*.json", "transactions/*/*.json"], { cwd: corpusFolder }).sort()

export interface ExpectedEvent {
  readonly file: string
  readonly event_id: string
  readonly event_type: string
  readonly timestamp: string | null
  readonly [field: string]: unknown
}

/** The corpus's expected events of these files, in order; `types`: only those types. */
export const expectedEvents = (
  files: ReadonlyArray<string>,
  types: (eventType: string) => boolean = () => true
): ReadonlyArray<ExpectedEvent> =>
  readFileSync(resolve(corpusFolder, "expected/events.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    // The corpus's README defines this form.
    .map((line) => JSON.parse(line) as ExpectedEvent)
    .filter(({ file, event_type }) => files.includes(file) && types(event_type))

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, field]) => [key, sorted(field)])
        )
      : value

/** An event's comparable text: the fields that `expected/` has, keys sorted; the time only where it is known. */
export const comparable = (
  event: { readonly [field: string]: unknown },
  options: { readonly withTime: boolean }
): string => {
  const { event_id, event_type, ledger_index, payload, accounts, timestamp } = event
  return JSON.stringify(
    sorted({
      event_id,
      event_type,
      ledger_index,
      payload,
      // A receiver's envelope has no accounts.
      ...(accounts !== undefined && { accounts }),
      ...(options.withTime && { timestamp })
    })
  )
}
