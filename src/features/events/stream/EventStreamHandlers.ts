/** `GET /v1/events/stream`: checks the request and answers it with a stream of `EventStreams`. */

import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../../../http/ContractParts.ts"
import { connectionOf } from "../../../http/guard/Connections.ts"
import { checkRules } from "../../../http/RequestRules.ts"
import { orUnavailable } from "../../../http/StoreFailures.ts"
import { Settings } from "../../../spine/config/Config.ts"
import { expandPatterns } from "../../../spine/event/EventPatterns.ts"
import { type EventType, eventTypes } from "../../../spine/event/EventType.ts"
import type { Includable } from "../../../spine/event/Include.ts"
import { defaultNetwork, type Network } from "../../../spine/event/Network.ts"
import { eventStreamRules } from "../EventRules.ts"
import { EventStreams } from "./EventStreams.ts"
import type { StreamConnection } from "./OpenStreams.ts"

interface Request {
  readonly headers: { readonly "last-event-id"?: string }
  readonly query: {
    readonly event_type?: ReadonlyArray<string>
    readonly account?: string
    readonly network?: Network
    readonly include?: ReadonlyArray<Includable>
    readonly last_event_id?: string
  }
}

/** Undefined if every type is wanted. */
const wantedTypes = (patterns: ReadonlyArray<string> | undefined): ReadonlySet<EventType> | undefined => {
  const wanted = expandPatterns(patterns ?? [])
  return wanted.length === 0 || wanted.length === eventTypes.length ? undefined : new Set(wanted)
}

const headers = {
  "cache-control": "no-store, no-transform",
  // A server that stops need not wait until the reader closes the connection.
  connection: "close",
  // Without this, nginx collects events until its buffer is full.
  "x-accel-buffering": "no"
}

/** Answers the present request with a stream. `open` gets the request's connection. */
export const streamed = Effect.fnUntraced(function* <E, E2, R>(
  open: (connection: StreamConnection) => Effect.Effect<Effect.Effect<string | undefined, E>, E2, R>
) {
  const request = NodeHttpServerRequest.toIncomingMessage(yield* HttpServerRequest.HttpServerRequest)
  const piece = yield* open(connectionOf(request))
  const texts = Stream.unfold(undefined, () =>
    Effect.map(piece, (text) => (text === undefined ? undefined : ([text, undefined] as const)))
  )
  return HttpServerResponse.stream(Stream.encodeText(texts), { contentType: "text/event-stream", headers })
})

export const makeStreamEvents = Effect.gen(function* () {
  const settings = yield* Settings
  const streams = yield* EventStreams
  return Effect.fnUntraced(function* ({ headers: { "last-event-id": lastSeen }, query }: Request) {
    const caller = yield* Caller
    yield* checkRules(eventStreamRules, query, settings)
    const network = query.network ?? defaultNetwork[caller.environment]
    return yield* streamed((connection) =>
      streams
        .open({
          caller,
          connection,
          filter: { network, eventTypes: wantedTypes(query.event_type), account: query.account },
          include: query.include ?? [],
          // A reader that reconnects adds the header to its first request, so the header is newer than the query.
          // An empty one is none: some clients send the header before they have an id.
          last: lastSeen
            ? { id: lastSeen, param: "last-event-id" }
            : { id: query.last_event_id || undefined, param: "last_event_id" }
        })
        .pipe(Effect.catchTag("NotAMarker", Effect.die))
    )
  }, orUnavailable)
})
