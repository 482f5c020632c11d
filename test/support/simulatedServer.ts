/**
 * The simulated ledger's WebSocket server on 127.0.0.1. simulatedProtocol.ts answers each connection's requests; a
 * subscribed connection is notified of closed ledgers. When the scope closes, the server closes every connection.
 * For tests of faults, `respond` gets each request with its answer and may change it, drop it or close the connection.
 */
import type { AddressInfo } from "node:net"
import { Effect, Schema, type Scope } from "effect"
import { WebSocket, WebSocketServer } from "ws"
import type { JsonObject } from "../../src/domain/Ledger.ts"
import type { ClosedLedger } from "../../src/simulator/Chain.ts"
import { ledgerClosedMessage } from "./ledgerAnswers.ts"
import {
  type Answering,
  answer,
  malformedAnswer,
  parseRequest,
  type Subscription,
  statusOf
} from "./simulatedProtocol.ts"

export class SimulatedServerError extends Schema.TaggedError<SimulatedServerError>()("SimulatedServerError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export type Respond = (request: JsonObject, answer: JsonObject) => JsonObject | "drop" | "close"

export interface RunningServer {
  readonly port: number
  /** Notifies every subscribed connection. */
  readonly announce: (ledger: ClosedLedger) => void
  readonly connections: () => number
}

const HOST = "127.0.0.1"

const send = (socket: WebSocket, message: JsonObject): void => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}

const serve = (
  socket: WebSocket,
  answering: Answering,
  respond: Respond,
  subscription: Subscription
): void => {
  // Errors need no handling, because a close follows each of them.
  socket.on("error", () => undefined)
  socket.on("message", (data) => {
    const text = String(data)
    const request = parseRequest(text)
    if (request === undefined) return send(socket, malformedAnswer(text))
    const response = respond(request, answer(answering, request, subscription))
    if (response === "drop") return
    if (response === "close") socket.terminate()
    else send(socket, response)
  })
}

const listen = (port: number): Effect.Effect<WebSocketServer, SimulatedServerError> =>
  Effect.callback((resume) => {
    const server = new WebSocketServer({ host: HOST, port })
    server.once("listening", () => resume(Effect.succeed(server)))
    server.once("error", (cause) =>
      resume(
        Effect.fail(
          new SimulatedServerError({
            message: `The simulated ledger cannot listen on ${HOST}:${port}.`,
            cause
          })
        )
      )
    )
  })

const stop = (server: WebSocketServer): Effect.Effect<void> =>
  Effect.callback((resume) => {
    for (const socket of server.clients) socket.terminate()
    server.close(() => resume(Effect.void))
  })

/** `port` 0 chooses a free port. */
export const startServer = Effect.fnUntraced(function* (
  port: number,
  answering: Answering,
  respond: Respond
): Effect.fn.Return<RunningServer, SimulatedServerError, Scope.Scope> {
  const server = yield* Effect.acquireRelease(listen(port), stop)
  const subscriptions = new Map<WebSocket, Subscription>()
  server.on("connection", (socket) => {
    const subscription: Subscription = { ledger: false }
    subscriptions.set(socket, subscription)
    socket.on("close", () => subscriptions.delete(socket))
    serve(socket, answering, respond, subscription)
  })
  return {
    // A listening TCP server has an address of this form.
    port: (server.address() as AddressInfo).port,
    announce: (ledger) => {
      const message = ledgerClosedMessage(ledger, statusOf(answering))
      for (const [socket, { ledger: wanted }] of subscriptions) if (wanted) send(socket, message)
    },
    connections: () => subscriptions.size
  }
})
