/** `ledgerhook events tail`: shows the events of a service as they are found. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { switchFlag } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../../terminal/Invocation.ts"
import { printableLines } from "../../../terminal/JsonText.ts"
import { print } from "../../../terminal/Output.ts"
import { Signals } from "../../../terminal/Signals.ts"
import { withService } from "../../../terminal/service/WithService.ts"
import { inJson, json } from "../../../terminal/Table.ts"
import { connectionNotes } from "../follow/ConnectionNotes.ts"
import { eventLine, payloadBelow } from "../follow/EventLine.ts"
import { streamFlags, streamQuery } from "../follow/StreamFlags.ts"

const contract = async () => (await import("../EventsContract.ts")).eventsApi

export const tail = Command.make(
  "tail",
  {
    ...streamFlags((text) => text[0]!.toUpperCase() + text.slice(1)),
    verbose: switchFlag("verbose", "On a terminal, show the payload below each line"),
    json
  },
  Effect.fnUntraced(function* ({ json: asJson, verbose, ...given }) {
    const invocation = yield* Invocation
    const { untilStopped } = yield* Signals
    const colour = stdoutColour(invocation)
    // Imported here, because it loads the contract, which slows the start.
    const { readStream } = yield* Effect.promise(() => import("../follow/StreamClient.ts"))
    const following = withService(contract, (api, { url }) =>
      readStream({
        api,
        url,
        query: streamQuery(given),
        onEvent: (event, data) =>
          print(
            inJson(invocation, asJson)
              ? printableLines(data)
              : eventLine(event, colour) + (verbose ? payloadBelow(event.payload) : "")
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
