/**
 * The cookies of the dashboard's sessions: one for a live key and one for a test key. Scripts cannot read them, and no
 * browser sends them with a request that another site causes (`SameSite=Strict`). Beyond that, a request with such a
 * cookie needs a header that pages of other origins may not send, because this service answers no CORS preflight. A page
 * that was loaded by TLS gets cookies that are never sent without it. Pure.
 */

import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { SESSION_MS } from "../spine/domain/Session.ts"
import { type KeyEnvironment, keyEnvironments } from "../spine/event/Network.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const ENVIRONMENT_HEADER = "x-service-environment"

/** With this prefix, browsers take the cookie only from this very host, by TLS. */
const SECURE_PREFIX = "__Host-"
const nameOf = (environment: KeyEnvironment): string => `ledgerhook-${environment}`

/** A token has 43 characters. */
const TOKEN = /^[A-Za-z0-9]{43}$/

export const tokenOf = ({ cookies }: Request, environment: KeyEnvironment): string | undefined => {
  const token = cookies[SECURE_PREFIX + nameOf(environment)] ?? cookies[nameOf(environment)]
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

/** The environments whose session the request is about: the one that its header names, otherwise both. */
export const environmentsOf = ({ headers }: Request): ReadonlyArray<KeyEnvironment> => {
  const named = headers[ENVIRONMENT_HEADER]
  return named === undefined ? keyEnvironments : keyEnvironments.filter((one) => one === named)
}

/** The token of the session that the request is made with: of two, the live one. */
export const tokenIn = (request: Request): string | undefined => tokensIn(request)[0]

export const tokensIn = (request: Request): ReadonlyArray<string> =>
  environmentsOf(request).flatMap((environment) => tokenOf(request, environment) ?? [])

/** The refusal of a request with a cookie that another site may have caused. */
export const NEEDS_HEADER =
  "A request with the cookie of a session needs the header X-Requested-With: ledgerhook. Programs send an API key instead."

export const isFromDashboard = ({ headers }: Request): boolean => headers["x-requested-with"] === "ledgerhook"

/** Browsers say with each POST and DELETE by which protocol they have loaded the page. Proxies need not say it. */
const isSecure = ({ headers }: Request): boolean => headers["origin"]?.startsWith("https://") === true

const options = { httpOnly: true, sameSite: "strict", path: "/" } as const

export const withSession = (
  response: Response,
  request: Request,
  environment: KeyEnvironment,
  token: string
): Response => {
  const secure = isSecure(request)
  return HttpServerResponse.setCookieUnsafe(
    response,
    (secure ? SECURE_PREFIX : "") + nameOf(environment),
    token,
    { ...options, secure, maxAge: SESSION_MS }
  )
}

/** Makes the browser forget the cookies. Those with the prefix are set by TLS only, so only then they are removed. */
export const withoutSession = (response: Response, request: Request): Response =>
  environmentsOf(request).reduce(
    (answer, environment) =>
      ["", ...(isSecure(request) ? [SECURE_PREFIX] : [])].reduce(
        (one, prefix) =>
          HttpServerResponse.setCookieUnsafe(one, prefix + nameOf(environment), "", {
            ...options,
            secure: prefix !== "",
            maxAge: 0
          }),
        answer
      ),
    response
  )
