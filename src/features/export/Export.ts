/**
 * `ledgerhook events export`: writes the events of a range of ledgers as files, or with `--follow` those of each hour
 * that has ended, for as long as it runs. Manifests say which ledgers the files cover. The service may be running.
 * Changes nothing in the log.
 */
import { Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { eventTypes } from "../../spine/event/EventType.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { FailureReported, wrongUsage } from "../../terminal/Failure.ts"
import { optional, switchFlag, withDefault } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, settings } from "../../terminal/Invocation.ts"
import { network } from "../../terminal/LedgerFlags.ts"
import { print, printError } from "../../terminal/Output.ts"
import { Signals } from "../../terminal/Signals.ts"
import { logAndDatabase } from "../../terminal/Stores.ts"
import { inJson, json, printOne } from "../../terminal/Table.ts"
import { typeFlag } from "../../terminal/WantedEvents.ts"
import { boundFlag, droppedLedgers, type Missing } from "../events/command/Bounds.ts"
import { closedPeriods, untilInterrupted } from "./ClosedPeriods.ts"
import { retried } from "./FollowRetries.ts"
import { formats } from "./Formats.ts"
import { openTarget, outFlag } from "./OpenTarget.ts"
import { periodText, units } from "./Periods.ts"
import { type ExportResult, runExport } from "./RunExport.ts"
import type { WriteOptions, WrittenPeriod } from "./WritePeriods.ts"

const fields = (result: ExportResult): ReadonlyArray<readonly [string, string]> => [
  ["network", result.network],
  ["ledgers", `${result.first_ledger} to ${result.last_ledger}`],
  ["periods", `${result.periods} written, ${result.periods_kept} already complete`],
  ["files", `${result.files} with ${result.events} events, ${result.bytes} bytes`],
  ["manifest", result.manifest]
]

const missingText = ({ first_ledger, last_ledger, reason }: Missing): string => {
  const which =
    first_ledger === null
      ? `the ledgers up to ${last_ledger}`
      : last_ledger === null
        ? `the ledgers from ${first_ledger} on`
        : `the ledgers ${first_ledger} to ${last_ledger}`
  return `ledgerhook: missing: ${which}: ${reason}.`
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** A line for a period that `--follow` has written. */
const writtenLine = ({ date, files, first_ledger, hour, last_ledger }: WrittenPeriod, asJson: boolean) => {
  const [events, bytes] = [sum(files.map((one) => one.events)), sum(files.map((one) => one.bytes))]
  return asJson
    ? JSON.stringify({ date, hour, first_ledger, last_ledger, files: files.length, events, bytes })
    : `${periodText({ date, hour })}  ledgers ${first_ledger} to ${last_ledger}, ${files.length} files with ${events} events, ${bytes} bytes`
}

const stores = BackfillStore.layer.pipe(
  Layer.provideMerge(logAndDatabase("events export")),
  Layer.merge(settings)
)

export const exportEvents = Command.make(
  "export",
  {
    from: optional(
      boundFlag(
        "from",
        "First ledger, or the time from which on ledgers closed (inclusive) (default: the oldest ledger)"
      )
    ),
    to: optional(
      boundFlag(
        "to",
        "Last ledger (inclusive), or the time before which ledgers closed (exclusive) (default: the end of the last day or hour that has ended)"
      )
    ),
    follow: switchFlag("follow", "Run until stopped, and export each hour (or day) when it has ended"),
    per: optional(Flag.Literals("per", units)).pipe(
      Flag.withDescription("What a file covers: a day, or an hour of it (default: day, with --follow hour)")
    ),
    types: typeFlag("Only events of this type (nft.minted) or family ('nft.*'); repeat the flag for several"),
    network,
    format: Flag.Literals("format", formats).pipe(
      withDefault<(typeof formats)[number]>("ndjson", "ndjson (gzip) or parquet (zstd)")
    ),
    out: outFlag,
    json
  },
  Effect.fnUntraced(function* ({
    follow: following,
    format,
    from,
    json: asJson,
    network: of,
    out,
    per,
    to,
    types
  }) {
    const wanted = new Set(types.flat())
    const invocation = yield* Invocation
    const options = {
      network: of,
      types: eventTypes.filter((type) => wanted.size === 0 || wanted.has(type)),
      format,
      per: per ?? (following ? "hour" : "day")
    } satisfies Omit<WriteOptions, "target">
    if (to === undefined) {
      let written = 0
      const onPeriod = (period: WrittenPeriod) =>
        Effect.gen(function* () {
          written++
          yield* print(writtenLine(period, inJson(invocation, asJson)))
          for (const one of period.dropped.map(droppedLedgers)) yield* printError(missingText(one))
        })
      /** Runs `use` with a round of exports. */
      const closed = <A>(
        onRound: Effect.Effect<void>,
        use: <E, R>(round: Effect.Effect<void, E, R>) => Effect.Effect<A, E, R>
      ) =>
        Effect.gen(function* () {
          const history = (yield* BackfillStore).ranges(of)
          const target = yield* openTarget(out, of)
          return yield* use(yield* closedPeriods({ ...options, from, history, target, onPeriod, onRound }))
        }).pipe(Effect.scoped, Effect.provide(stores))
      if (following) {
        const { untilStopped } = yield* Signals
        return yield* Effect.asVoid(untilStopped(retried((onRound) => closed(onRound, untilInterrupted))))
      }
      yield* closed(Effect.void, (round) => round)
      if (written === 0) yield* printError(`No ${options.per} has ended that is not exported yet.`)
      return
    }
    if (following) return yield* wrongUsage("--to cannot be used with --follow, which has no end.")
    if (from === undefined) return yield* wrongUsage("--to needs --from too.")
    const result = yield* Effect.gen(function* () {
      const history = yield* (yield* BackfillStore).ranges(of)
      const target = yield* openTarget(out, of)
      return yield* runExport({ ...options, from, to, history, target })
    }).pipe(Effect.scoped, Effect.provide(stores))
    yield* printOne({
      json: asJson,
      fields: fields(result),
      value: result,
      note: "The manifest says which ledgers the files cover; the one of each date lists its files with their SHA-256."
    })
    for (const one of result.missing) yield* printError(missingText(one))
    if (!result.ok) return yield* new FailureReported()
  })
).pipe(
  about(
    "Write events to files",
    "Write the events of a range of ledgers to files, for a warehouse: OUT/network=NETWORK/date=DATE/type=TYPE/events.parquet (or .ndjson.gz), one for each event type and each UTC day of the ledgers' close times; with --per hour, events-00.parquet to events-23.parquet. History that was fetched for replays is included. OUT is a folder or S3-compatible storage; then credentials, region and endpoint are those of the AWS tools (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL_S3). The command checks that no ledger and no event is missing. OUT/network=NETWORK/_manifest.json says which ledgers the files cover, with hashes and gaps, and the manifest of each date lists its files with SHA-256. An interrupted export continues when the same command is run again; complete periods are kept, and a later range of the same format and types may go to the same place. One export at a time may write a network to a place. It exits 1 if ledgers of the range are missing in the log, after it has written the others. Without --to it exports each day (or hour) that has ended and is not exported yet. With --follow it goes on to do so, hour by hour, until it is stopped, and waits while the database, Kafka or the storage is away. docs/data-teams.md shows how to load the files.",
    {
      "ledgerhook events export --from 2026-11-21 --to 2026-11-22 --format parquet --out lake":
        "One UTC day as Parquet, for example every night",
      "ledgerhook events export --format parquet --out lake":
        "Every day that has ended and is not in the folder yet, from the oldest ledger on",
      "ledgerhook events export --follow --format parquet --out s3://warehouse/xrpl":
        "Every hour, into a bucket, until stopped",
      "ledgerhook events export --from 94084608 --to 94085607 --type 'nft.*' --out nfts":
        "The NFT events of a thousand ledgers as JSON lines",
      [`duckdb -c "SELECT type, count(*) FROM read_parquet('lake/**/*.parquet', hive_partitioning = true) GROUP BY type"`]:
        "Count the exported events with DuckDB"
    }
  )
)
