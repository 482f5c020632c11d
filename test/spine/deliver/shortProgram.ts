/**
 * Sends requests to the address given while this process has no free file descriptor, and then with free ones again.
 * Prints the outcomes as JSON. A test starts it with a low limit of open files.
 */

import { closeSync, openSync } from "node:fs"
import { Effect } from "effect"
import { responseLimits } from "../../../src/spine/deliver/Limits.ts"
import { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import { requestTo, senderWith } from "../../support/deliver/sending.ts"

const url = process.argv[2]!
const { port } = new URL(url)

const program = Effect.gen(function* () {
  const send = yield* (yield* Sender).opened
  const outcomeAt = (to: string) =>
    Effect.callback<unknown>((resume) =>
      send("acct_1", requestTo(to), responseLimits.responseBodyBytes, (outcome) =>
        resume(Effect.succeed(outcome))
      )
    )
  const taken: Array<number> = []
  try {
    for (;;) taken.push(openSync("/dev/null", "r"))
  } catch {
    // None is left.
  }
  const without = yield* Effect.forEach(
    [url, `http://[::1]:${port}/`, `http://localhost:${port}/`, `http://receiver.example:${port}/`],
    outcomeAt
  )
  for (const one of taken) closeSync(one)
  process.stdout.write(JSON.stringify({ without, after: yield* outcomeAt(url) }))
}).pipe(Effect.scoped, Effect.provide(senderWith()))

await Effect.runPromise(program)
