/**
 * An HTTP server on HOST and PORT or OPS_PORT. With port 0 the system chooses one; `HttpServer` knows the bound
 * address. If the port cannot be used, the error is one sentence that names the setting. At a stop, idle connections
 * and event streams are ended at once; requests in flight have `Limits.stopPartMs` to end, then all connections are
 * closed. A client cannot delay a stop.
 */

import { createServer, type Server, STATUS_CODES } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpServer } from "effect/http"
import { Settings } from "../spine/config/Config.ts"
import { Limits } from "../spine/config/Limits.ts"
import { OwnOpenFiles } from "../spine/observe/OpenFiles.ts"
import { count } from "../spine/words/Words.ts"
import { errorBody } from "./Errors.ts"
import { connectionLimits, paceConnections } from "./guard/Connections.ts"
import { httpLimits } from "./Limits.ts"
import { requestIdOf } from "./RequestId.ts"

/** How often requests are looked for that have not arrived within `requestReceiveMs`. */
const CHECK_MS = 1_000

/** What listens on the ports before the process has started. It is ended just before a server needs its port. */
export class EarlierListener extends Context.Reference<Effect.Effect<void>>(
  "ledgerhook/api/EarlierListener",
  {
    defaultValue: () => Effect.void
  }
) {}

class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String
}) {}

/** 408 tells a proxy that it may send the request again. */
const unreadable = (error: NodeJS.ErrnoException): readonly [status: 400 | 408, message: string] =>
  error.code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? [408, "The request did not arrive in time; send it again."]
    : [400, "This is not a well-formed HTTP request."]

/** Requests that Node cannot read never reach the gate, so they are answered here, in the same form. */
export const answerUnreadable = (server: Server): Server =>
  server.on("clientError", (error, socket) => {
    if (!socket.writable) return socket.destroy()
    const [status, message] = unreadable(error)
    const body = JSON.stringify(errorBody("VALIDATION_ERROR", message))
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${requestIdOf({})}\r\nCache-Control: no-store\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
    )
  })

/** The setting that says which port to listen on. */
type PortSetting = "PORT" | "OPS_PORT"

const listenProblem = (cause: unknown, host: string, port: number, setting: PortSetting): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  switch (code) {
    case "EADDRINUSE":
      return `${setting}: ${port} on ${host} is in use by another program; stop it or choose another port.`
    case "EACCES":
      return `${setting}: ${port} needs privileges that this process does not have; choose a port from 1024 up.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST: ${host} is not an address of this machine.`
    default:
      return `${setting}: ${port} on ${host} cannot be listened on (${code}).`
  }
}

const makeServer = (): Server => {
  const server = createServer({
    requestTimeout: httpLimits.requestReceiveMs,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: httpLimits.apiIdleMs,
    highWaterMark: httpLimits.connectionBytes,
    // The gate checks it, and answers with an error body.
    requireHostHeader: false,
    // No path supports another protocol, so requests to upgrade are answered as plain HTTP.
    shouldUpgradeCallback: () => false
  })
  server.timeout = httpLimits.connectionStallMs
  return answerUnreadable(server)
}

/** Runs `serve` on the server for as long as the layer lives. `operator`: only health and metrics are served. */
export const listen = <A, E, R>(serve: Layer.Layer<A, E, R>, serves: "api" | "operator") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { host, opsPort, port: apiPort } = yield* Settings
      const [setting, port] =
        serves === "operator" && opsPort !== undefined
          ? (["OPS_PORT", opsPort] as const)
          : (["PORT", apiPort] as const)
      const server = makeServer()
      const openFiles = yield* OwnOpenFiles
      const most = connectionLimits(openFiles)[serves]
      if (serves === "api" && most < Limits.connections)
        yield* Effect.logWarning(
          `${setting} keeps at most ${most} connections open and not ${count(Limits.connections)}, because this process may have ${openFiles} files open: raise the limit of open files (\`ulimit -n\`, or LimitNOFILE of systemd)`
        )
      const connections = paceConnections(server, most)
      const httpServer = Layer.effect(
        HttpServer.HttpServer,
        Effect.gen(function* () {
          yield* yield* EarlierListener
          const http = yield* NodeHttpServer.make(() => server, {
            host,
            port,
            gracefulShutdownTimeout: Limits.stopPartMs
          }).pipe(
            Effect.mapError(
              (error) => new ListenError({ message: listenProblem(error.cause, host, port, setting) })
            )
          )
          // Runs after the requests in flight have had their time, before the server itself is closed.
          yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
          return http
        })
      )
      // Runs first, before the server stops listening and waits for requests in flight.
      const drain = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(connections.drain)))
      return drain.pipe(Layer.provideMerge(serve), Layer.provideMerge(httpServer))
    })
  ).pipe(Layer.provide(NodeHttpServer.layerHttpServices))
