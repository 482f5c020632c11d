/**
 * `ledgerhook ledger detect`: the events of recorded ledgers, one JSON object a line on standard output. Needs no
 * settings, no store and no network. Faults in the input and events that detection withheld go to standard error; after
 * a fault the rest is still read, and the command fails at its end.
 */
import { Effect, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { detectLedger } from "../detect/Detect.ts"
import type { DetectedEvent } from "../domain/LedgerEvent.ts"
import { FailureReported } from "./Failure.ts"
import { fileFault, linesOf } from "./InputFile.ts"
import { record } from "./ledger/Record.ts"
import { verify } from "./ledger/Verify.ts"
import { print, printError } from "./Output.ts"
import { type Item, makeRecordedReader } from "./RecordedData.ts"

const eventLine = (event: DetectedEvent, file: string | undefined): string =>
  JSON.stringify({
    ...(file === undefined ? {} : { file }),
    event_id: event.event_id,
    event_type: event.event_type,
    ledger_index: event.ledger_index,
    timestamp: event.timestamp,
    payload: event.payload,
    accounts: event.accounts
  })

/** Prints what `item` holds; false when it is a fault. */
const show = Effect.fnUntraced(function* (item: Item, file: string, several: boolean) {
  if (item._tag === "Fault") {
    yield* printError(`ledgerhook: ${file}:${item.line}: ${item.message}`)
    return false
  }
  const { events, alerts } = detectLedger(item.ledger)
  if (events.length > 0) {
    yield* print(events.map((event) => eventLine(event, several ? file : undefined)).join("\n"))
  }
  for (const { tx_hash, event_type, reason } of alerts) {
    yield* printError(`ledgerhook: warning: ${file}: ${tx_hash} ${event_type ?? "(any event)"}: ${reason}`)
  }
  return true
})

const detectFile = Effect.fnUntraced(function* (file: string, several: boolean) {
  const reader = makeRecordedReader()
  let good = true
  const showAll = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    for (const item of items) if (!(yield* show(item, file, several))) good = false
  })
  yield* Stream.runForEach(linesOf(file), (line) => showAll(reader.line(line)))
  yield* showAll(reader.end())
  return good
})

const detect = Command.make(
  "detect",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("A file of recorded ledgers or transactions; - reads standard input"),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fnUntraced(function* ({ files }) {
    let good = true
    for (const file of files) {
      const fileGood = yield* detectFile(file, files.length > 1).pipe(
        Effect.catchTag("PlatformError", (error) =>
          printError(`ledgerhook: ${fileFault(file, error).message}`).pipe(Effect.as(false))
        )
      )
      good = good && fileGood
    }
    if (!good) return yield* new FailureReported()
  })
).pipe(
  Command.withDescription(
    "Print the events of recorded ledgers, one JSON object a line: event_id, event_type, ledger_index, timestamp, payload, accounts; with several files, file comes first. The input may be ledgers or single transactions as the ledger's API returns them (version 1 or 2), arrays of those, or JSON lines of any of them."
  ),
  Command.withShortDescription("Print the events of recorded ledgers"),
  Command.withExamples([
    { command: "ledgerhook ledger detect ledger-38129.json", description: "The events of one ledger" },
    {
      command: "ledgerhook ledger detect *.json | jq -r .event_type | sort | uniq -c",
      description: "Count the events of many ledgers by type"
    },
    {
      command: `curl -s https://s1.ripple.com:51234 -d '{"method":"ledger","params":[{"ledger_index":"validated","transactions":true,"expand":true}]}' | ledgerhook ledger detect -`,
      description: "The events of the newest validated ledger"
    }
  ])
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("Work with recorded ledgers, and check those that were taken"),
  Command.withSubcommands([detect, record, verify])
)
