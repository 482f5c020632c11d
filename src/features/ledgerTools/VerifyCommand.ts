/**
 * `ledgerhook ledger verify`: checks that the log contains a complete chain of ledgers over a range and, with
 * --against, that a server has the same chain. The service may be running. Changes nothing.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { FailureReported } from "../../terminal/Failure.ts"
import { switchFlag } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { checkRange, from, network, serverUrl, to } from "../../terminal/LedgerFlags.ts"
import { print } from "../../terminal/Output.ts"
import { logReader } from "../../terminal/Stores.ts"
import { type Verification, verifyChain } from "./VerifyChain.ts"

const table = (result: Verification): string =>
  [
    ["network", result.network],
    ["range", `${result.from} to ${result.to}`],
    [
      "ledgers",
      `${result.ledgers} complete, with ${result.events} events${result.transactions === 0 ? "" : ` and ${result.transactions} transactions`}`
    ],
    ...(result.skipped === 0
      ? []
      : [["skipped", `${result.skipped} of the ledgers, by an operator: their events are missing`]]),
    ...(result.last_hash === null ? [] : [["last hash", result.last_hash]]),
    ...(result.against === null ? [] : [["compared", `with ${result.against}`]]),
    ["result", result.fault === null ? "complete" : `broken: ${result.fault.message}`]
  ]
    .map(([name = "", value]) => `${name.padEnd(10)} ${value}`)
    .join("\n")

export const verify = Command.make(
  "verify",
  {
    from,
    to,
    network,
    against: serverUrl("against", "Also compare every ledger hash with this server (ws:// or wss://)"),
    json: switchFlag("json", "Print one JSON object instead of the table")
  },
  Effect.fnUntraced(function* ({ against, json, ...range }) {
    yield* checkRange(range.from, range.to)
    const result = yield* verifyChain({ ...range, against }).pipe(Effect.provide(logReader("ledger verify")))
    yield* print(json ? JSON.stringify(result, null, 2) : table(result))
    if (!result.ok) return yield* new FailureReported()
  })
).pipe(
  about(
    "Verify that no ledger is missing",
    "Check that the log contains each ledger of a range once, that each ledger links by hash to the one before, that close times do not decrease, and that no event and no recorded transaction is missing or added. With --against, every ledger hash is also compared with a server. Changes nothing; the service may be running. Exits 1 and names the first fault if the chain is broken.",
    {
      "ledgerhook ledger verify --from 94084608 --to 94085000": "Check the log only",
      "ledgerhook ledger verify --from 94084608 --to 94085000 --against wss://s2.ripple.com --json":
        "Compare with a server, and print JSON for scripts"
    }
  )
)
