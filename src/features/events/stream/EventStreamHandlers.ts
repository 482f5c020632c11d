/** `GET /v1/events/stream`: checks the request and answers it with a stream of `EventStreams`. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../../../http/ContractParts.ts"
import { ValidationError } from "../../../http/Errors.ts"
import { connectionOf } from "../../../http/guard/Connections.ts"
import { orUnavailable } from "../../../http/StoreFailures.ts"
import { Settings, unwatched, watchedNetworks } from "../../../spine/config/Config.ts"
import { expandPatterns } from "../../../spine/event/EventPatterns.ts"
import { type EventType, eventTypes } from "../../../spine/event/EventType.ts"
import type { Includable } from "../../../spine/event/Include.ts"
import {
  defaultNetwork,
  type KeyEnvironment,
  type Network,
  networksOf
} from "../../../spine/event/Network.ts"
import { EventStreams } from "./EventStreams.ts"
import type { StreamConnection } from "./OpenStreams.ts"

/** Fails if a key of this environment does not see the network. */
export const visibleNetwork = (environment: KeyEnvironment, network: Network) => {
  const seen = networksOf(environment)
  return seen.includes(network)
    ? Effect.succeed(network)
    : Effect.fail(
        ValidationError.because(`network must be ${seen.join(" or ")} with a ${environment} key.`, {
          param: "network"
        })
      )
}

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
  const watched = watchedNetworks(yield* Settings)
  const streams = yield* EventStreams
  return Effect.fnUntraced(function* ({ headers: { "last-event-id": lastSeen }, query }: Request) {
    const caller = yield* Caller
    const network = yield* visibleNetwork(
      caller.environment,
      query.network ?? defaultNetwork[caller.environment]
    )
    if (!watched.includes(network)) {
      return yield* ValidationError.because(unwatched(network), { param: "network" })
    }
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
