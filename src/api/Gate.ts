/**
 * What every request passes, in the order of checks that the API promises: 401, 429, 404 for the path, 405, 403, 413,
 * 415, 400; then the handler. A request without a valid key waits for its turn first (`KeylessTurns`). And what every
 * answer passes: a request id, the key's rate limits, the error body, nothing of the inside. A handler that dies is a 500
 * that tells the request id and is logged with its cause.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Effect, Option, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Limits } from "../config/Limits.ts"
import { hasScope, type Scope } from "../domain/ApiKey.ts"
import type { AdmissionQueue, Admitted } from "./AdmissionQueue.ts"
import { authenticate, NO_VALID_KEY } from "./Authentication.ts"
import { Caller } from "./contract/Common.ts"
import { type ErrorCode, errorBody, statusOf, Unavailable } from "./Errors.ts"
import type { Idempotency } from "./Idempotency.ts"
import { keylessTurns } from "./KeylessTurns.ts"
import { type FindPath, isApiPath, isProbe, pathOf } from "./Paths.ts"
import { type RateStanding, rateHeaders, retryAfterSeconds } from "./RateLimits.ts"
import { checkBody } from "./RequestBody.ts"
import { requestIdOf } from "./RequestId.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest
type Handler = Effect.Effect<Response, Types.unhandled, Caller>

const refusal = (code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(errorBody(code, message), { status: statusOf[code], headers })

const noPath = refusal("NOT_FOUND", "There is nothing at this path.")
const noKey = refusal("UNAUTHORIZED", NO_VALID_KEY)
const noHost = refusal("VALIDATION_ERROR", "The request needs the header Host.")

/** HTTP/1.1 demands it; older clients may lack it. */
const lacksHost = (request: Request): boolean =>
  request.headers["host"] === undefined &&
  NodeHttpServerRequest.toIncomingMessage(request).httpVersion === "1.1"

const rateLimited = (rate: RateStanding, nowMs: number) => {
  const seconds = String(retryAfterSeconds(rate, nowMs))
  return refusal("RATE_LIMITED", `Rate limit exceeded. Retry after ${seconds} seconds.`, {
    "retry-after": seconds
  })
}

/** Why this caller may not use an endpoint that needs `scope`; undefined when it may. */
const forbiddenBecause = ({ identity, suspended }: Admitted, scope: Scope | undefined) => {
  if (suspended) return "This account is suspended; ask the operator of this service."
  return scope === undefined || hasScope(identity.scopes, scope)
    ? undefined
    : `This key lacks the scope ${scope}.`
}

/** The router agrees with `Paths` but for texts it cannot decode. */
const isNoRoute = (failure: unknown): boolean =>
  failure instanceof HttpServerError.HttpServerError && failure.reason._tag === "RouteNotFound"

/** Whatever becomes of it, an answer. */
const answered = <R>(
  response: Effect.Effect<Response, Types.unhandled | Unavailable, R>,
  request: Request,
  requestId: string
): Effect.Effect<Response, never, R> =>
  Effect.catchCause(response, (cause) => {
    // The client has gone or the server is stopping: there is nobody to answer.
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const failure = Cause.squash(cause)
    if (isNoRoute(failure)) return Effect.succeed(noPath)
    if (failure instanceof Unavailable) {
      return Effect.succeed(refusal("UNAVAILABLE", failure.error.message))
    }
    return Effect.as(
      // Without the query: somebody may have written a key into it.
      Effect.logError(`${request.method} ${pathOf(request.url)} failed`, cause),
      refusal("INTERNAL_ERROR", `The service failed to answer. Tell support the request id ${requestId}.`)
    )
  })

/** What requests under /v1 pass besides. */
interface ApiChecks {
  /** Who may call. */
  readonly admit: AdmissionQueue["Service"]["admit"]
  /** A repeated request acts once. */
  readonly idempotent: Idempotency["Service"]["run"]
}

/** A caller under /v1, and what its request passes. */
interface Called {
  readonly admitted: Admitted
  readonly idempotent: ApiChecks["idempotent"]
}

/** `makeChecks`: undefined where nothing is served under /v1. */
export const gate = <R>(findPath: FindPath, makeChecks: Effect.Effect<ApiChecks | undefined, never, R>) => {
  /** `called`: undefined outside /v1. */
  const routed = (request: Request, handler: Handler, called: Called | undefined) =>
    Effect.gen(function* () {
      const [path = "", query = ""] = request.url.split("?", 2)
      const known = findPath(path)
      if (known === undefined) return noPath
      if (request.method === "OPTIONS") {
        return HttpServerResponse.empty({ status: 204, headers: { allow: known.allow } })
      }
      const endpoint = known.endpoints.get(request.method === "HEAD" ? "GET" : request.method)
      if (endpoint === undefined) {
        return refusal("METHOD_NOT_ALLOWED", `This path takes ${known.allow}.`, { allow: known.allow })
      }
      const forbidden = called === undefined ? undefined : forbiddenBecause(called.admitted, endpoint.scope)
      if (forbidden !== undefined) return refusal("FORBIDDEN", forbidden)
      if (request.method !== "GET" && request.method !== "HEAD") {
        const refused = yield* checkBody(request, endpoint.body, endpoint.bodyBytes)
        if (refused !== undefined) return refusal(refused.code, refused.message)
      }
      if (!endpoint.hasQuery && query !== "") {
        return refusal("VALIDATION_ERROR", "This request takes no query parameters.")
      }
      // Nothing outside /v1 asks for a caller.
      if (called === undefined) return yield* handler as Effect.Effect<Response, Types.unhandled>
      const { identity } = called.admitted
      return yield* called.idempotent(
        request,
        identity,
        Effect.provideService(handler, Caller, identity),
        refusal
      )
    })

  return HttpRouter.middleware<{ provides: Caller }>()(
    Effect.gen(function* () {
      const checks = yield* makeChecks
      const turns = yield* keylessTurns
      // Typed as failing, as the router wants it of a middleware; in truth nothing is left to fail.
      return (handler: Handler): Effect.Effect<Response, Types.unhandled, Request> =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const requestId = requestIdOf(request.headers)
          /** Known once the key is, and told whatever becomes of the request. */
          let rate: RateStanding | undefined
          const path = pathOf(request.url)
          const response = Effect.gen(function* () {
            if (lacksHost(request)) return yield* Effect.as(turns.other, noHost)
            if (checks === undefined || !isApiPath(path)) {
              yield* isProbe(path) ? turns.probe : turns.other
              return yield* routed(request, handler, undefined)
            }
            const { admit, idempotent } = checks
            const found = yield* authenticate(request, admit)
            if (Option.isNone(found)) return yield* Effect.as(turns.other, noKey)
            // The request is counted, and its answer says how many more may come.
            rate = found.value.rate
            return rate.admitted
              ? yield* routed(request, handler, { admitted: found.value, idempotent })
              : rateLimited(rate, yield* Clock.currentTimeMillis)
          })
          return answered(response, request, requestId).pipe(
            Effect.map((response) =>
              HttpServerResponse.setHeaders(response, {
                ...(rate === undefined ? {} : rateHeaders(rate)),
                "x-request-id": requestId,
                ...(response.status === 503 ? { "retry-after": String(Limits.unavailableRetrySeconds) } : {})
              })
            ),
            Effect.annotateLogs({ requestId })
          )
        })
    }),
    { global: true }
  )
}
