/**
 * What every request passes, in the order of checks that the API promises: 401, 404 for the path, 405, 413, 415, 400;
 * then the handler. And what every answer passes: a request id, the error body, nothing of the inside. A handler that
 * dies is a 500 that tells the request id and is logged with its cause.
 */
import { Cause, Effect, Option, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Limits } from "../config/Limits.ts"
import type { Identity } from "../domain/ApiKey.ts"
import { ApiKeyStore } from "../storage/ApiKeyStore.ts"
import { authenticate, NO_VALID_KEY } from "./Authentication.ts"
import { Api } from "./Contract.ts"
import { Caller } from "./contract/Common.ts"
import { type ErrorCode, errorBody, statusOf, Unavailable } from "./Errors.ts"
import { orUnavailable } from "./Failures.ts"
import { makeFindPath, type OtherPath } from "./Paths.ts"
import { checkBody } from "./RequestBody.ts"
import { requestIdOf } from "./RequestId.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest
type Handler = Effect.Effect<Response, Types.unhandled, Caller>

const refusal = (code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(errorBody(code, message), { status: statusOf[code], headers })

const noPath = refusal("NOT_FOUND", "There is nothing at this path.")

const isApiPath = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

/** The router agrees with `Paths` but for texts it cannot decode. */
const isNoRoute = (failure: unknown): boolean =>
  failure instanceof HttpServerError.HttpServerError && failure.reason._tag === "RouteNotFound"

export const gate = (others: ReadonlyArray<OtherPath>) => {
  const findPath = makeFindPath(Api, others)

  const checked = (request: Request, handler: Handler) =>
    Effect.gen(function* () {
      const [path = "", query = ""] = request.url.split("?", 2)
      let caller: Option.Option<Identity> = Option.none()
      if (isApiPath(path)) {
        caller = yield* orUnavailable(authenticate(request))
        if (Option.isNone(caller)) return refusal("UNAUTHORIZED", NO_VALID_KEY)
      }
      const known = findPath(path)
      if (known === undefined) return noPath
      if (request.method === "OPTIONS") {
        return HttpServerResponse.empty({ status: 204, headers: { allow: known.allow } })
      }
      const endpoint = known.endpoints.get(request.method === "HEAD" ? "GET" : request.method)
      if (endpoint === undefined) {
        return refusal("METHOD_NOT_ALLOWED", `This path takes ${known.allow}.`, { allow: known.allow })
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        const refused = yield* checkBody(request, endpoint.hasBody)
        if (refused !== undefined) return refusal(refused.code, refused.message)
      }
      if (!endpoint.hasQuery && query !== "") {
        return refusal("VALIDATION_ERROR", "This request takes no query parameters.")
      }
      return yield* Option.isSome(caller)
        ? Effect.provideService(handler, Caller, caller.value)
        : // Nothing outside /v1 asks for a caller.
          (handler as Effect.Effect<Response, Types.unhandled>)
    })

  const answered = (request: Request, handler: Handler, requestId: string) =>
    checked(request, handler).pipe(
      Effect.catchCause((cause) => {
        // The client has gone or the server is stopping: there is nobody to answer.
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        const failure = Cause.squash(cause)
        if (isNoRoute(failure)) return Effect.succeed(noPath)
        if (failure instanceof Unavailable) {
          return Effect.succeed(refusal("UNAVAILABLE", failure.error.message))
        }
        return Effect.as(
          Effect.logError(`${request.method} ${request.url} failed`, cause),
          refusal("INTERNAL_ERROR", `The service failed to answer. Tell support the request id ${requestId}.`)
        )
      }),
      Effect.annotateLogs({ requestId })
    )

  return HttpRouter.middleware<{ provides: Caller }>()(
    Effect.gen(function* () {
      const keys = yield* ApiKeyStore
      // Typed as failing, as the router wants it of a middleware; in truth nothing is left to fail.
      return (handler: Handler): Effect.Effect<Response, Types.unhandled, Request> =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = requestIdOf(request.headers)
          const response = yield* answered(request, handler, requestId)
          return HttpServerResponse.setHeaders(response, {
            "x-request-id": requestId,
            ...(response.status === 503 ? { "retry-after": String(Limits.unavailableRetrySeconds) } : {})
          })
        }).pipe(Effect.provideService(ApiKeyStore, keys))
    }),
    { global: true }
  )
}
