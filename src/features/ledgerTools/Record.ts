/**
 * `ledgerhook ledger record`: fetches ledgers from a server and writes one file for each, which `ledger detect` reads.
 * A file is either complete or absent. Complete files are kept, so an interrupted run continues where it stopped. The
 * command checks that each ledger links to the one before.
 */
import { Effect, FileSystem, Path, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../../spine/config/Limits.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { LedgerClient, RecordedLedger } from "../../spine/ledger/servers/LedgerClient.ts"
import { errorText } from "../../spine/observe/Logging.ts"
import { failed } from "../../terminal/Failure.ts"
import { withDefault } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { checkRange, chooseServer, from, network, serverUrl, to } from "../../terminal/LedgerFlags.ts"
import { print } from "../../terminal/Output.ts"
import { writeDurably } from "../../terminal/OutputFile.ts"
import { showProgress } from "../../terminal/ProgressLine.ts"

interface Options {
  readonly network: Network
  readonly from: number
  readonly to: number
  readonly url: string
  readonly folder: string
}

/** The hashes that link a recorded ledger to the one before. */
interface Link {
  readonly ledgerIndex: number
  readonly ledgerHash: unknown
  readonly parentHash: unknown
  readonly kept: boolean
}

const linkOf = (ledgerIndex: number, recorded: RecordedLedger, kept: boolean): Link => ({
  ledgerIndex,
  ledgerHash: recorded["ledger_hash"],
  parentHash: recorded["parent_hash"],
  kept
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const recordLedgers = Effect.fnUntraced(function* (options: Options) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // Loaded when needed: the ledger's client library is large.
  const [{ isRecorded, makeLedgerClient }, { endsConnection }] = yield* Effect.promise(() =>
    Promise.all([
      import("../../spine/ledger/servers/LedgerClient.ts"),
      import("../../spine/ledger/servers/LedgerSource.ts")
    ])
  )
  const client: LedgerClient = yield* makeLedgerClient(options.network, options.url)
  const show = yield* showProgress("recorded", options.to - options.from + 1)
  yield* fileSystem.makeDirectory(options.folder, { recursive: true })

  const record = Effect.fnUntraced(function* (index: number) {
    const file = path.join(options.folder, `${options.network}-${index}.json`)
    if (yield* fileSystem.exists(file)) {
      const there = parse(yield* fileSystem.readFileString(file))
      if (isRecorded(there, index)) return linkOf(index, there, true)
    }
    const recorded = yield* client
      .ledger(index)
      .pipe(
        Effect.mapError(({ detail, reason, server }) =>
          failed(
            `ledger ${index} cannot be recorded: ${server}: ${detail}. ${
              endsConnection(reason)
                ? "To continue from here, run the same command again."
                : "Ledgers that are complete stay in the folder. If this server never sends the ledger, name another with --url; if no server does, record the ledgers before and after it."
            }`
          )
        )
      )
    // Under a temporary name until it is complete. Another ledger that fails meanwhile does not interrupt it.
    yield* writeDurably(file, `${JSON.stringify(recorded)}\n`).pipe(Effect.uninterruptible)
    return linkOf(index, recorded, false)
  })

  let previous: Link | undefined
  let done = 0
  let kept = 0
  yield* Stream.range(options.from, options.to).pipe(
    Stream.mapEffect(record, { concurrency: Limits.ledgerRequestsPerServer }),
    Stream.runForEach(
      Effect.fnUntraced(function* (link) {
        if (previous !== undefined && link.parentHash !== previous.ledgerHash)
          return yield* failed(
            `${options.folder}: the parent hash of ledger ${link.ledgerIndex} is ${link.parentHash}, but the hash of ledger ${previous.ledgerIndex} is ${previous.ledgerHash}; one of the two files is from another chain. Delete it and run the command again.`
          )
        previous = link
        done++
        if (link.kept) kept++
        yield* show(done)
      })
    )
  )
  return { recorded: done - kept, kept }
}, Effect.scoped)

export const record = Command.make(
  "record",
  {
    from,
    to,
    network,
    url: serverUrl("url", "The server (ws:// or wss://; default: the first one in the network's settings)"),
    out: Flag.String("out").pipe(withDefault(".", "Folder for the files, created if it does not exist"))
  },
  Effect.fnUntraced(function* ({ out, url, ...range }) {
    yield* checkRange(range.from, range.to)
    const server = yield* chooseServer(url, range.network)
    const { kept, recorded } = yield* recordLedgers({ ...range, url: server, folder: out }).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(failed(`--out ${out}: ${errorText(error)}.`)))
    )
    yield* print(`${recorded} ledgers recorded in ${out}${kept === 0 ? "" : `; ${kept} were there already`}.`)
  })
).pipe(
  about(
    "Record ledgers from a server as files",
    "Record ledgers with all their transactions from a server: one JSON file for each, named NETWORK-INDEX.json, which `ledger detect` reads. Complete files are kept, so an interrupted run continues where it stopped. The command requests at most four ledgers at the same time, and pauses if the server warns of load.",
    {
      "ledgerhook ledger record --from 94084608 --to 94084707 --out ledgers": "A hundred ledgers of mainnet",
      "ledgerhook ledger record --from 5 --to 9 --network testnet --url wss://s.altnet.rippletest.net:51233":
        "From a server of your choice"
    }
  )
)
