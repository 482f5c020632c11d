/**
 * `ledgerhook ledger detect`: prints the events of recorded ledgers, one JSON object per line. Needs no settings, no
 * database and no network. Faults in the input and withheld events are printed to standard error. After a fault the
 * rest of the input is still read, and the command then fails.
 */

import { Effect, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { detectLedger } from "../../spine/detect/Detect.ts"
import type { DetectedEvent } from "../../spine/event/LedgerEvent.ts"
import { type Network, networks } from "../../spine/event/Network.ts"
import { errorText } from "../../spine/observe/Logging.ts"
import { printable } from "../../spine/words/Printable.ts"
import { FailureReported } from "../../terminal/Failure.ts"
import { optional, switchFlag } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { fileFault, linesOf } from "../../terminal/InputFile.ts"
import { printableLines } from "../../terminal/JsonText.ts"
import { print, printError } from "../../terminal/Output.ts"
import { answerQuestions } from "./Answers.ts"
import { eventFields } from "./EventFields.ts"
import { ledgerToolsLimits } from "./Limits.ts"
import { newChain } from "./NewChain.ts"
import { record } from "./Record.ts"
import { type Item, makeRecordedReader, type Recorded } from "./RecordedData.ts"
import { skip } from "./Skip.ts"
import { verify } from "./VerifyCommand.ts"

/** Faults in one file of recorded ledgers after which reading stops. */
const MOST_FAULTS = 10_000

/** Of one file. */
const FAULTS_SHOWN = 100

const eventLine = (event: DetectedEvent, file: string | undefined): string =>
  printableLines(
    JSON.stringify({
      ...(file === undefined ? {} : { file }),
      ...eventFields(event)
    })
  )

/** Prints the events of one ledger, and a warning for each withheld event. */
const show = Effect.fnUntraced(function* (
  { ledger }: Recorded,
  network: Network | undefined,
  file: string,
  several: boolean
) {
  const { events, alerts } = detectLedger(ledger, network)
  if (events.length > 0) {
    yield* print(events.map((event) => eventLine(event, several ? file : undefined)).join("\n"))
  }
  for (const { code, tx_hash, event_type, reason } of alerts) {
    yield* printError(
      `ledgerhook: warning: ${printable(file)}: ${tx_hash} ${event_type ?? "(any event)"}: ${printable(reason)} (${code})`
    )
  }
})

/** Returns whether the file had no fault. */
const detectFile = (network: Network | undefined, file: string, several: boolean) => {
  const name = printable(file)
  const reader = makeRecordedReader()
  let faults = 0
  const hopeless = () => faults >= MOST_FAULTS
  /** Returns whether to read more lines. */
  const showAll = Effect.fnUntraced(function* (items: Iterable<Item>) {
    for (const item of items) {
      if (item._tag === "Recorded") yield* show(item, network, file, several)
      else if (++faults <= FAULTS_SHOWN)
        yield* printError(`ledgerhook: ${name}:${item.line}: ${item.message}`)
      if (hopeless()) return false
    }
    return !reader.isDone()
  })
  return Effect.gen(function* () {
    yield* Stream.runForEachWhile(linesOf(file, ledgerToolsLimits.recordedTextLength), (line) =>
      showAll(reader.line(line))
    )
    if (!hopeless()) yield* showAll(reader.end())
    if (faults > FAULTS_SHOWN) {
      const others = `${faults - FAULTS_SHOWN} more faults are not shown`
      yield* printError(
        `ledgerhook: ${name}: ${others}${hopeless() ? "; the rest of the file is not read" : ""}.`
      )
    }
    return faults === 0
  }).pipe(
    Effect.catchTag("PlatformError", (error) =>
      printError(`ledgerhook: ${fileFault(file, error).message}`).pipe(Effect.as(false))
    ),
    // The other files are still read.
    Effect.catchDefect((defect) =>
      printError(`ledgerhook: ${name}: unexpected: ${printable(errorText(defect))}`).pipe(Effect.as(false))
    )
  )
}

const detect = Command.make(
  "detect",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("A file of recorded ledgers or transactions; - means standard input"),
      Argument.variadic({ min: 1 })
    ),
    network: Flag.Literals("network", networks).pipe(
      Flag.withDescription(
        "The ledgers' network, which decides about partial payments of multi-purpose tokens (default: unknown)"
      ),
      optional
    ),
    conformance: switchFlag(
      "conformance",
      "Answer the questions of `ledgerhook conformance`, which the file contains"
    )
  },
  Effect.fnUntraced(function* ({ conformance, files, network }) {
    if (conformance) return yield* Effect.forEach(files, answerQuestions, { discard: true })
    let good = true
    for (const file of files) {
      if (!(yield* detectFile(network, file, files.length > 1))) good = false
    }
    if (!good) return yield* new FailureReported()
  })
).pipe(
  about(
    "Print the events of recorded ledgers",
    "Print the events of recorded ledgers, one JSON object per line with event_id, event_type, ledger_index, timestamp, payload and accounts, and memos and balance_changes where the transaction has them; with several files, also file. The input may be answers or messages of the XRP Ledger's API (version 1 or 2) with transactions and their metadata in JSON form: ledger, tx, account_tx, transaction_entry, streams; also ledger in binary form; also arrays of them, or JSON lines. Data that say they are not final (validated, applied or closed is not true) are refused; data without such a flag are accepted. A ledger is refused unless all its transactions can be read, their indexes are 0 to k - 1, and the list is not empty if transaction_hash is not zero. Only the hashes of the binary form are recomputed; in JSON the command cannot see that the last transactions are missing. A line or document of more than 128 million characters, or nested more than 100 levels deep, is refused; the rest is still read.",
    {
      "ledgerhook ledger detect ledger-38129.json": "The events of one ledger",
      "ledgerhook ledger detect *.json | jq -r .event_type | sort | uniq -c":
        "Count the events of many ledgers by type",
      [`curl -s https://s1.ripple.com:51234 -d '{"method":"ledger","params":[{"ledger_index":"validated","transactions":true,"expand":true}]}' | ledgerhook ledger detect -`]:
        "The events of the newest validated ledger"
    }
  )
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("Record ledgers, detect their events, and verify or skip ledgers"),
  Command.withSubcommands([detect, record, verify, skip, newChain])
)
