/**
 * `ledgerhook ledger verify`: whether the log's chain is whole over a range of ledgers and, with --against, the one that
 * a server has. Reads the tables without owning them, beside a running service or without one, and changes nothing.
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
    ["ledgers", `${result.ledgers} whole, with ${result.events} events`],
    ...(result.last_hash === null ? [] : [["last hash", result.last_hash]]),
    ...(result.against === null ? [] : [["compared", `with ${result.against}`]]),
    ["result", result.fault === null ? "whole" : `broken: ${result.fault.message}`]
  ]
    .map(([name = "", value]) => `${name.padEnd(10)} ${value}`)
    .join("\n")

const migrated = Effect.gen(function* () {
  if (!(yield* hasTable("log_ends"))) return yield* failed("The database holds no log yet.")
})

/** Where an embedded log is; it is neither made nor migrated. */
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
    against: serverUrl("against", "Compare every hash with this server's (ws:// or wss://)"),
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
    "Prove that no ledger is missing",
    "Check that the log holds each ledger of a range once, that each names the one before as its parent, that close times do not fall, and that the events of each are where its marker says. With --against every hash is compared with a server's. Changes nothing and may run beside a running service; exits 1 and names the first fault when the chain is broken.",
    {
      "ledgerhook ledger verify --from 94084608 --to 94085000": "Read the log only",
      "ledgerhook ledger verify --from 94084608 --to 94085000 --against wss://s2.ripple.com --json":
        "Compare with a server, for scripts"
    }
  )
)
