/**
 * Checks every request before its handler runs, in the order that the API promises: 401, 429, 404 (unknown path), 405,
 * 403, 413, 415, 400. OPTIONS and signing in need no key. A request without a valid key, or beyond a limit, is delayed first
 * (`RequestPacing`). The others wait for a turn of their account (`AccountRequests`). The gate adds the request id, the
 * rate limits and `Cache-Control` to every response. If a handler dies, the gate logs the cause and answers 500 with the
 * request id; no response shows internals.
 */

import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Effect, identity, type Types } from "effect"
import {
  HttpMiddleware,
  HttpPlatform,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { hasScope, type Scope } from "../spine/domain/ApiKey.ts"
import { NAME_LENGTH, sentenceOf } from "../spine/words/Nearest.ts"
import { printable } from "../spine/words/Printable.ts"
import { authenticate } from "./Authentication.ts"
import { Caller } from "./ContractParts.ts"
import { type About, type ErrorCode, errorBody, statusOf, Unavailable } from "./Errors.ts"
import { makeAccountRequests } from "./guard/AccountRequests.ts"
import type { AdmissionQueue, Admitted } from "./guard/AdmissionQueue.ts"
import type { makeBodyBudget } from "./guard/BodyBudget.ts"
import { type RateStanding, rateHeaders, rateMessage, retryAfterSeconds } from "./guard/RateLimits.ts"
import { requestPacing } from "./guard/RequestPacing.ts"
import type { Idempotency } from "./Idempotency.ts"
import { httpLimits } from "./Limits.ts"
import { allowOf, type EndpointFacts, type FindPath, isApiPath, isProbe, pathOf, queryOf } from "./Paths.ts"
import { bodyBytesOf, checkBody, checkLength, leavesBody, type OnRead, type Refusal } from "./RequestBody.ts"
import { requestIdOf } from "./RequestId.ts"
import { measured } from "./RequestMetrics.ts"
import { queryTextProblem } from "./StorableText.ts"

/** `Retry-After` of a 503: a database or broker that restarts needs some seconds. */
export const RETRY_SECONDS = 5

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest
type Handler = Effect.Effect<Response, Types.unhandled, Caller>

const refusal = (
  code: ErrorCode,
  message: string,
  about: About = {},
  headers: Readonly<Record<string, string>> = {}
) => HttpServerResponse.jsonUnsafe(errorBody(code, message, about), { status: statusOf[code], headers })

const refused = ({ code, headers, message, ...about }: Refusal) => refusal(code, message, about, headers)

const noPath = (suggestion?: string) => {
  const problem = "does not exist; see /docs for the paths of this API"
  return refusal("NOT_FOUND", sentenceOf("This path", { problem, suggestion }), { suggestion })
}
const methods = (allow: string) => HttpServerResponse.empty({ status: 204, headers: { allow } })
const PAGE_METHODS = allowOf(["GET"])
const noHost = refusal("VALIDATION_ERROR", "The request needs the header Host.", { param: "Host" })

/** HTTP/1.1 requires the header Host; older versions do not. */
const lacksHost = (request: Request): boolean =>
  request.headers["host"] === undefined &&
  NodeHttpServerRequest.toIncomingMessage(request).httpVersion === "1.1"

/**
 * Compresses answers of 1 KB or more, outside the event loop: 100 deliveries of 32 KB become 5 KB in 0.3 ms, 10,000 account
 * filters take 8 ms. Documents come compressed, and event streams ask for no compression (`no-transform`).
 */
const compressed = HttpMiddleware.compression({ algorithms: ["br", "zstd", "gzip"] })

/** Only these may be answered with a secret. The length of what is compressed with it would say something about it. */
const mayShowSecret = ({ method }: Request): boolean => method === "POST" || method === "PUT"

const rateLimited = (rate: RateStanding, nowMs: number) => {
  const seconds = retryAfterSeconds(rate, nowMs)
  return refusal("RATE_LIMITED", rateMessage(rate, seconds), {}, { "retry-after": String(seconds) })
}

const tooManyAtOnce = refusal(
  "RATE_LIMITED",
  `Rate limit exceeded. Retry after ${RETRY_SECONDS} seconds. ${httpLimits.accountRequests.atOnce} requests of this account are running on this server and ${httpLimits.accountRequests.waiting} wait; send fewer at once.`
)

/** What the client must do next. Rate limits set Retry-After themselves. */
const headersOf = ({ headers, status }: Response): Readonly<Record<string, string>> => {
  if (status === 401) return { "www-authenticate": 'Bearer realm="ledgerhook"' }
  return status === 503 || (status === 429 && headers["retry-after"] === undefined)
    ? { "retry-after": String(RETRY_SECONDS) }
    : {}
}

const forbiddenBecause = ({ identity, suspended }: Admitted, scope: Scope | undefined) => {
  if (suspended) return "This account is suspended; contact the operator of this service."
  return scope === undefined || hasScope(identity.scopes, scope)
    ? undefined
    : `This key lacks the scope ${scope}.`
}

/** The router refuses paths that it cannot decode; `Paths` does not. */
const isNoRoute = (failure: unknown): boolean =>
  failure instanceof HttpServerError.HttpServerError && failure.reason._tag === "RouteNotFound"

/** Turns every outcome of a handler into a response. */
const answered = <R>(
  response: Effect.Effect<Response, Types.unhandled | Unavailable, R>,
  request: Request,
  requestId: string,
  template: string | undefined
): Effect.Effect<Response, never, R> =>
  Effect.catchCause(response, (cause) => {
    // The client has disconnected or the server is stopping, so no response can be sent.
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    const failure = Cause.squash(cause)
    if (isNoRoute(failure)) return Effect.succeed(noPath())
    if (failure instanceof Unavailable) {
      return Effect.succeed(refusal("UNAVAILABLE", failure.error.message))
    }
    return Effect.as(
      // Without the query, which may contain a key by mistake.
      Effect.logError(
        `${request.method} ${template ?? "an unknown path"} failed`,
        pathOf(request.url),
        cause
      ),
      refusal(
        "INTERNAL_ERROR",
        `The request failed because of a defect of the service. Report the request id ${requestId}.`
      )
    )
  })

/** Checks of requests under /v1. */
interface ApiChecks {
  /** Finds the caller by its key. */
  readonly admit: AdmissionQueue["Service"]["admit"]
  /** Lets a repeated request act once. */
  readonly idempotent: Idempotency["Service"]["run"]
  /** The account's budget of bytes. */
  readonly budget: Effect.Success<typeof makeBodyBudget>
}

/** A caller under /v1 with a valid key. */
interface Called extends Omit<ApiChecks, "admit"> {
  readonly admitted: Admitted
  /** The answer if the account has too many requests at once. */
  readonly tooMany: Effect.Effect<Response>
}

/** Answers GET and HEAD of a page or a file that is no path of the API. Undefined: there is none. */
export type FindPage = (request: Request) => Effect.Effect<Response, never, Request> | undefined

/** `makeChecks` gives undefined if this process does not serve /v1, `makePages` if it serves no pages. */
export const gate = <R1, R2, R3>(
  makeFindPath: Effect.Effect<FindPath, never, R1>,
  makeChecks: Effect.Effect<ApiChecks | undefined, never, R2>,
  makePages: Effect.Effect<FindPage | undefined, never, R3>
) => {
  const inTurn = makeAccountRequests()

  /** `called` is undefined outside /v1 and where no key is needed. Then the body is parsed after `keylessTurn`. */
  const routed = (
    request: Request,
    known: ReturnType<FindPath>,
    handler: Handler,
    called: Called | undefined,
    findPage: FindPage | undefined,
    findPath: FindPath,
    keylessTurn: Effect.Effect<void>
  ) =>
    Effect.gen(function* () {
      const query = queryOf(request.url)
      const handled = Effect.fnUntraced(function* (endpoint: EndpointFacts) {
        if (!endpoint.hasQuery && query !== "") {
          const param = printable(query.split(/[=&]/, 1)[0]!, NAME_LENGTH)
          return refusal("VALIDATION_ERROR", "This path accepts no query parameters.", { param })
        }
        const problem = queryTextProblem(query)
        if (problem !== undefined) return refusal("VALIDATION_ERROR", problem.message, problem)
        // Handlers outside /v1 do not use a caller.
        if (called === undefined) return yield* handler as Effect.Effect<Response, Types.unhandled>
        const { identity } = called.admitted
        // The body has been read, so a slow one does not keep a turn.
        return yield* inTurn(
          identity.accountId,
          called.idempotent(request, identity, Effect.provideService(handler, Caller, identity), refusal),
          called.tooMany
        )
      })
      if (known === undefined) {
        // Never the handler: the router decodes paths, so `/%76%31/account` would reach that of `/v1/account`.
        const page = called === undefined ? findPage?.(request) : undefined
        return page === undefined ? noPath(findPath.near(pathOf(request.url))) : yield* page
      }
      const endpoint = known.endpoints.get(request.method === "HEAD" ? "GET" : request.method)
      if (endpoint === undefined) {
        return refusal("METHOD_NOT_ALLOWED", `This path accepts ${known.allow}.`, {}, { allow: known.allow })
      }
      const forbidden = called === undefined ? undefined : forbiddenBecause(called.admitted, endpoint.scope)
      if (forbidden !== undefined) return refusal("FORBIDDEN", forbidden)
      if (request.method === "GET" || request.method === "HEAD") return yield* handled(endpoint)
      const tooLarge = checkLength(request, endpoint.bodyBytes)
      if (tooLarge !== undefined) return refused(tooLarge)
      const checked = (read: OnRead) =>
        Effect.flatMap(checkBody(request, endpoint, read), (problem) =>
          problem === undefined ? handled(endpoint) : Effect.succeed(refused(problem))
        )
      if (called === undefined) return yield* checked(() => keylessTurn)
      const { accountId } = called.admitted.identity
      const outcome = yield* called.budget.withBody(
        accountId,
        bodyBytesOf(request, endpoint.bodyBytes),
        (read) => checked((bytes) => Effect.sync(() => read(bytes)))
      )
      return "code" in outcome ? refused(outcome) : outcome
    })

  return HttpRouter.middleware<{ provides: Caller }>()(
    Effect.gen(function* () {
      const findPath = yield* makeFindPath
      const checks = yield* makeChecks
      const findPage = yield* makePages
      const pacing = yield* requestPacing
      const platform = yield* HttpPlatform.HttpPlatform
      // The router requires this error type of a middleware. No error is left here.
      return (handler: Handler): Effect.Effect<Response, Types.unhandled, Request> =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const requestId = requestIdOf(request.headers)
          /** Set once the key is known. Every response then has the rate limit headers, whatever its status. */
          let rate: RateStanding | undefined
          const path = pathOf(request.url)
          const known = findPath(path)
          const response = Effect.gen(function* () {
            if (lacksHost(request)) return yield* Effect.as(pacing.other, noHost)
            if (request.method === "OPTIONS") {
              const allow = known?.allow ?? (findPage?.(request) && PAGE_METHODS)
              return yield* Effect.as(pacing.other, allow === undefined ? noPath() : methods(allow))
            }
            if (checks === undefined || !isApiPath(path) || known?.keyless === true) {
              const turn = isProbe(path) ? pacing.probe : pacing.other
              yield* turn
              // A body may come long after the request, with those of all other connections.
              return yield* routed(request, known, handler, undefined, findPage, findPath, turn)
            }
            const { admit, ...others } = checks
            const found = yield* authenticate(request, admit)
            if ("code" in found) return yield* Effect.as(pacing.other, refused(found))
            // The request is counted here, before it is routed.
            rate = found.rate
            if (!rate.admitted) {
              return yield* Effect.as(pacing.refused, rateLimited(rate, yield* Clock.currentTimeMillis))
            }
            const tooMany = Effect.as(pacing.refused, tooManyAtOnce)
            const outcome = yield* others.budget.withAnswer(
              found.identity.accountId,
              routed(
                request,
                known,
                handler,
                { admitted: found, tooMany, ...others },
                findPage,
                findPath,
                Effect.void
              ),
              ({ body }) => ("contentLength" in body ? (body.contentLength ?? 0) : 0)
            )
            return "code" in outcome ? refused(outcome) : outcome
          })
          const complete = answered(response, request, requestId, known?.template).pipe(
            Effect.map((response) =>
              HttpServerResponse.setHeaders(response, {
                ...(rate === undefined ? {} : rateHeaders(rate)),
                "x-request-id": requestId,
                // Answers belong to their caller. The documents and files that any cache may keep say so themselves.
                "cache-control": response.headers["cache-control"] ?? "no-store",
                ...headersOf(response),
                ...(leavesBody(request) ? { connection: "close" } : {})
              })
            )
          )
          const isMeasured = checks !== undefined && isApiPath(path)
          return (
            isMeasured ? measured(complete, { method: request.method, route: known?.template }) : complete
          ).pipe(
            mayShowSecret(request) ? identity : compressed,
            Effect.provideService(HttpPlatform.HttpPlatform, platform),
            Effect.annotateLogs({ requestId })
          )
        })
    }),
    { global: true }
  )
}
