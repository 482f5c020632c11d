/**
 * `ledgerhook events export`: writes the events of a range of ledgers as files, one for each event type and UTC day,
 * with a manifest that says which ledgers they cover. The service may be running. Changes nothing in the log.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { eventTypes } from "../../../domain/EventType.ts"
import { errorText } from "../../../observability/Logging.ts"
import { logReader } from "../../Stores.ts"
import { FailureReported, failed } from "../../terminal/Failure.ts"
import { withDefault } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { printError } from "../../terminal/Output.ts"
import { json, printOne } from "../../terminal/Table.ts"
import { network } from "../ledger/Flags.ts"
import { typeFlag } from "../replay/Wanted.ts"
import { boundFlag, type Missing } from "./Bounds.ts"
import { formats } from "./Formats.ts"
import { type ExportResult, runExport } from "./RunExport.ts"

const fields = (result: ExportResult): ReadonlyArray<readonly [string, string]> => [
  ["network", result.network],
  ["ledgers", `${result.first_ledger} to ${result.last_ledger}`],
  ["days", `${result.days} written, ${result.days_kept} already complete`],
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

export const exportEvents = Command.make(
  "export",
  {
    from: boundFlag("from", "First ledger, or the time from which on ledgers closed (inclusive)"),
    to: boundFlag("to", "Last ledger (inclusive), or the time before which ledgers closed (exclusive)"),
    types: typeFlag("Only events of this type (nft.minted) or family ('nft.*'); repeat the flag for several"),
    network,
    format: Flag.Literals("format", formats).pipe(
      withDefault<(typeof formats)[number]>("ndjson", "ndjson (gzip) or parquet (zstd)")
    ),
    out: Flag.String("out").pipe(Flag.withDescription("Folder for the files, created if it does not exist")),
    json
  },
  Effect.fnUntraced(function* ({ format, from, json: asJson, network: of, out, to, types }) {
    const wanted = new Set(types.flat())
    const result = yield* runExport({
      network: of,
      from,
      to,
      types: eventTypes.filter((type) => wanted.size === 0 || wanted.has(type)),
      format,
      folder: out
    }).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(failed(`--out ${out}: ${errorText(error)}.`))),
      Effect.provide(logReader("events export"))
    )
    yield* printOne({
      json: asJson,
      fields: fields(result),
      value: result,
      note: "The manifest lists every file with its SHA-256, and the ledgers that the files cover."
    })
    for (const one of result.missing) yield* printError(missingText(one))
    if (!result.ok) return yield* new FailureReported()
  })
).pipe(
  about(
    "Write events to files",
    "Write the events of a range of ledgers to files, for a warehouse: DIR/type=TYPE/date=DATE/NETWORK.parquet (or .ndjson.gz), one for each event type and each UTC day of the ledgers' close times. The command checks that no ledger and no event is missing. DIR/manifest.json lists the files with counts and SHA-256, and the ledgers that they cover, with hashes and gaps. An interrupted export continues when the same command is run again; complete days are kept. A later range of the same format and types may go to the same folder, and extends it. One export at a time may write to a folder. Exits 1 if ledgers of the range are missing in the log, after it has written the others. docs/data-teams.md shows how to load the files.",
    {
      "ledgerhook events export --from 2026-11-21 --to 2026-11-22 --format parquet --out lake":
        "One UTC day as Parquet, for example every night",
      "ledgerhook events export --from 94084608 --to 94085607 --type 'nft.*' --out nfts":
        "The NFT events of a thousand ledgers as JSON lines",
      [`duckdb -c "SELECT type, count(*) FROM 'lake/*/*/*.parquet' GROUP BY type"`]:
        "Count the exported events with DuckDB"
    }
  )
)
