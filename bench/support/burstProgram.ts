/**
 * A process of the service to whose log its parent appends events: `burstProgram.ts ENVIRONMENT`, the settings as
 * JSON. It sends the port of its API. Each message is a list of events; it appends them in one transaction, as ingest
 * does, and answers with the time just before, as in support/arrivalsProgram.ts.
 */
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as NetAddress from "effect/net/NetAddress"
import type { LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import { endWithParent, send } from "./Child.ts"
import { serviceLayer } from "./service.ts"
import { appendEvents } from "./webhooks.ts"

const [environment = "{}"] = process.argv.slice(2)

endWithParent()
await Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  if (!NetAddress.isInetAddress(address)) return yield* Effect.die(new Error("not listening on a port"))
  yield* Effect.promise(() => send(address.port))
  while (true) {
    // The parent sends lists of events only.
    const events = yield* Effect.callback<ReadonlyArray<LedgerEvent>>((resume) => {
      process.once("message", (message) => resume(Effect.succeed(message as ReadonlyArray<LedgerEvent>)))
    })
    const atMs = performance.timeOrigin + performance.now()
    yield* appendEvents(events)
    yield* Effect.promise(() => send(atMs))
  }
}).pipe(Effect.provide(serviceLayer(environment)), Effect.scoped, Effect.runPromise)
