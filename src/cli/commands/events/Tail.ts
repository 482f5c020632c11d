/** `ledgerhook events tail`: shows the events of a service as they are found. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { includables } from "../../../domain/Include.ts"
import { networks } from "../../../domain/Network.ts"
import { withService } from "../../service/Service.ts"
import { optional, several, switchFlag } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../terminal/Invocation.ts"
import { printableLines } from "../../terminal/JsonText.ts"
import { print } from "../../terminal/Output.ts"
import { Signals } from "../../terminal/Signals.ts"
import { inJson, json } from "../../terminal/Table.ts"
import { eventLine, payloadBelow } from "../EventLine.ts"
import { patternsFlag } from "../EventTypeFlags.ts"
import { connectionNotes } from "../forward/ConnectionNotes.ts"
import { streamQuery } from "../forward/Flags.ts"
import { addressFlag } from "../replay/Wanted.ts"

export const tail = Command.make(
  "tail",
  {
    types: patternsFlag(
      "Only events of this type, as nft.minted, or family, as 'nft.*'; repeat it for several"
    ),
    account: addressFlag("Only events that involve this XRPL address").pipe(optional),
    network: Flag.Literals("network", networks).pipe(
      Flag.withDescription("The network (default: mainnet with a live key, testnet with a test key)"),
      optional
    ),
    include: Flag.Literals("include", includables).pipe(
      Flag.withDescription("Add this to payloads; repeat it for both"),
      several
    ),
    verbose: switchFlag("verbose", "On a terminal, show the payload below each line"),
    json
  },
  Effect.fnUntraced(function* ({ json: asJson, verbose, ...given }) {
    const invocation = yield* Invocation
    const { untilStopped } = yield* Signals
    const colour = stdoutColour(invocation)
    // Imported here, because they load the contract, which slows the start.
    const { eventIn } = yield* Effect.promise(() => import("../forward/Forward.ts"))
    const { readStream } = yield* Effect.promise(() => import("../forward/StreamClient.ts"))
    const following = withService((api, { url }) =>
      readStream({
        api,
        url,
        query: streamQuery(given),
        onEvent: ({ data }) =>
          Effect.flatMap(eventIn(url, data), (event) =>
            print(
              inJson(invocation, asJson)
                ? printableLines(data)
                : eventLine(event, colour) + (verbose ? payloadBelow(event.payload) : "")
            )
          ),
        ...connectionNotes(`Following the events of ${url}; Ctrl-C ends it.`)
      })
    )
    yield* untilStopped(following)
  })
).pipe(
  about(
    "Follow events as they are found",
    "Show the new events of the service in LEDGERHOOK_URL: one line each on a terminal, JSON lines when piped. After a lost connection, it resumes after the last event. It needs a key with the scope events:read.",
    {
      "ledgerhook events tail": "All events of the key's network",
      "ledgerhook events tail --type 'payment.*' --account r… --verbose":
        "Payments of an account, with payloads",
      "ledgerhook events tail | jq .payload": "Only the payloads"
    }
  )
)
