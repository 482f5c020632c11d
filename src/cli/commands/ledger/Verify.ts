/**
 * `ledgerhook ledger verify`: checks that the log contains a complete chain of ledgers over a range and, with
 * --against, that a server has the same chain. The service may be running. Changes nothing.
 */
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { logReaderLayer } from "../../../LogAdapter.ts"
import * as Sql from "../../../storage/Sql.ts"
import { hasTable, requireDatabase } from "../../Stores.ts"
import { FailureReported, failed } from "../../terminal/Failure.ts"
import { about } from "../../terminal/Help.ts"
import { settings } from "../../terminal/Invocation.ts"
import { print } from "../../terminal/Output.ts"
import { checkRange, from, network, serverUrl, to } from "./Flags.ts"
import { type Verification, verifyChain } from "./VerifyChain.ts"

const table = (result: Verification): string =>
  [
    ["network", result.network],
    ["range", `${result.from} to ${result.to}`],
    ["ledgers", `${result.ledgers} complete, with ${result.events} events`],
    ...(result.last_hash === null ? [] : [["last hash", result.last_hash]]),
    ...(result.against === null ? [] : [["compared", `with ${result.against}`]]),
    ["result", result.fault === null ? "complete" : `broken: ${result.fault.message}`]
  ]
    .map(([name = "", value]) => `${name.padEnd(10)} ${value}`)
    .join("\n")

const migrated = Effect.gen(function* () {
  if (!(yield* hasTable("log_ends")))
    return yield* failed("the database contains no log yet; start the service first.")
})

/** The database of the embedded log; it is neither created nor migrated. */
const database = Layer.unwrap(
  Effect.as(
    requireDatabase,
    Layer.effectDiscard(migrated).pipe(
      Layer.provideMerge(Sql.unmigratedLayer({ command: "ledgerhook ledger verify", owner: false }))
    )
  )
)

export const verify = Command.make(
  "verify",
  {
    from,
    to,
    network,
    against: serverUrl("against", "Also compare every ledger hash with this server (ws:// or wss://)"),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object instead of the table"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ against, json, ...range }) {
    yield* checkRange(range.from, range.to)
    const result = yield* verifyChain({ ...range, against: Option.getOrUndefined(against) }).pipe(
      Effect.provide(logReaderLayer(database)),
      Effect.provide(settings)
    )
    yield* print(json ? JSON.stringify(result, null, 2) : table(result))
    if (!result.ok) return yield* new FailureReported()
  })
).pipe(
  about(
    "Verify that no ledger is missing",
    "Check that the log contains each ledger of a range once, that each ledger links by hash to the one before, that close times do not decrease, and that no event is missing or added. With --against, every ledger hash is also compared with a server. Changes nothing; the service may be running. Exits 1 and names the first fault if the chain is broken.",
    {
      "ledgerhook ledger verify --from 94084608 --to 94085000": "Check the log only",
      "ledgerhook ledger verify --from 94084608 --to 94085000 --against wss://s2.ripple.com --json":
        "Compare with a server, and print JSON for scripts"
    }
  )
)
