/**
 * The API server: the contract's routes with their handlers behind the gate, on HOST:PORT (port 0: a free one; the
 * bound address is `HttpServer`'s). Stopping lets requests in flight end, for `Limits.shutdownMs` at most. A port that
 * cannot be had is one sentence that names the setting.
 */
import { createServer, type Server } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder, type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { keyRequiredLayer } from "./Authentication.ts"
import { Api } from "./Contract.ts"
import { CommonErrors } from "./contract/Common.ts"
import { errorBody, validationError } from "./Errors.ts"
import { gate } from "./Gate.ts"
import { deliveriesLayer } from "./handlers/Deliveries.ts"
import { systemLayer } from "./handlers/System.ts"
import { webhooksLayer } from "./handlers/Webhooks.ts"
import { requestIdOf } from "./RequestId.ts"
import { schemaMessage } from "./SchemaMessages.ts"

export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", {
  message: Schema.String
}) {}

const OPENAPI_PATH = "/openapi.json"

const isRequestFault = ({ kind }: HttpApiError.HttpApiSchemaError): boolean =>
  kind === "Params" || kind === "Query" || kind === "Payload" || kind === "Headers"

const commonErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(CommonErrors, (error) =>
  // What is wrong with a response is our own mistake: it becomes a defect, and the gate's 500.
  Effect.fail(isRequestFault(error) ? validationError(schemaMessage(error)) : error)
)

const gateLayer = gate([{ method: "GET", path: OPENAPI_PATH }])

const routes = HttpApiBuilder.layer(Api, { openapiPath: OPENAPI_PATH }).pipe(
  Layer.provide([webhooksLayer, deliveriesLayer, systemLayer]),
  // It serves every path, and provides the handlers' caller.
  Layer.provide([gateLayer, keyRequiredLayer, commonErrorsLayer])
)

/** Bytes that are no HTTP request never reach the gate; they get the same kind of answer. */
const answerMalformed = (server: Server): Server =>
  server.on("clientError", (_error, socket) => {
    if (!socket.writable) return socket.destroy()
    const body = JSON.stringify(errorBody("VALIDATION_ERROR", "This is not a well-formed HTTP request."))
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nX-Request-Id: ${requestIdOf({})}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
    )
  })

const listenProblem = (cause: unknown, host: string, port: number): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  switch (code) {
    case "EADDRINUSE":
      return `PORT: ${port} on ${host} is in use by another program; stop it or choose another port.`
    case "EACCES":
      return `PORT: ${port} may not be used without privileges; choose one from 1024 up.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST: ${host} is not an address of this machine.`
    default:
      return `PORT: ${port} on ${host} cannot be listened on (${code}).`
  }
}

const httpServerLayer = Layer.effect(
  HttpServer.HttpServer,
  Effect.gen(function* () {
    const { host, port } = yield* Settings
    const server = answerMalformed(createServer({ requestTimeout: Limits.requestReceiveMs }))
    const http = yield* NodeHttpServer.make(() => server, {
      host,
      port,
      gracefulShutdownTimeout: Limits.shutdownMs
    }).pipe(Effect.mapError((error) => new ListenError({ message: listenProblem(error.cause, host, port) })))
    // Runs after the requests in flight had their time: a client that holds its connection cannot hold the process.
    yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
    return http
  })
)

export const serverLayer = HttpRouter.serve(routes, {
  disableLogger: true,
  disableListenLog: true,
  routerConfig: {
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    caseSensitive: true,
    maxParamLength: Limits.pathSegmentLength
  }
}).pipe(Layer.provideMerge(httpServerLayer), Layer.provide(NodeHttpServer.layerHttpServices))
