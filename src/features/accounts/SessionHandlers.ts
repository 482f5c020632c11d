/**
 * `/v1/session`. Signing in with a key is a request of the key: it counts, and a revoked, expired or suspended key cannot
 * sign in. What cannot sign in gets the same answer whether it is unknown, used or expired.
 */
import { Clock, Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Forbidden, RateLimited, Unauthorized, ValidationError } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { AdmissionQueue } from "../../http/guard/AdmissionQueue.ts"
import { rateMessage, retryAfterSeconds } from "../../http/guard/RateLimits.ts"
import {
  isFromDashboard,
  NEEDS_HEADER,
  tokenOf,
  tokensIn,
  withoutSession,
  withSession
} from "../../http/SessionCookies.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { keySha256 } from "../../spine/domain/ApiKey.ts"
import { SessionGroup } from "./SessionContract.ts"
import { SessionStore } from "./SessionStore.ts"

const badKey = () =>
  Unauthorized.because("This is no valid API key: it is unknown, revoked or expired.", { param: "/key" })
const badLink = () =>
  Unauthorized.because(
    "This link cannot sign in: a link is valid for 10 minutes, once. The operator makes a new one with the command ledgerhook portal.",
    { param: "/link" }
  )

export const sessionLayer = HttpApiBuilder.group(
  contractOf(SessionGroup),
  "session",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* SessionStore
    const { admit } = yield* AdmissionQueue

    const withKey = Effect.fnUntraced(function* (key: string) {
      const found = Option.getOrUndefined(yield* admit(keySha256(key).toString("hex")))
      if (found === undefined) return yield* badKey()
      const { identity, rate, suspended } = found
      const now = yield* Clock.currentTimeMillis
      if (!rate.admitted) return yield* RateLimited.because(rateMessage(rate, retryAfterSeconds(rate, now)))
      if (suspended)
        return yield* Forbidden.because("This account is suspended; contact the operator of this service.")
      return { environment: identity.environment, token: yield* sessions.open(identity.keyId, now) }
    })

    const withLink = Effect.fnUntraced(function* (link: string) {
      return (yield* sessions.redeem(link, yield* Clock.currentTimeMillis)) ?? (yield* badLink())
    })

    return handlers.handleAll({
      open: Effect.fnUntraced(function* ({ payload: { key, link } }) {
        if ((key === undefined) === (link === undefined)) {
          return yield* ValidationError.because("Give either key or link.", { param: "" })
        }
        const { environment, token } = yield* key === undefined ? withLink(link!) : withKey(key)
        const replaced = tokenOf(yield* HttpServerRequest.HttpServerRequest, environment)
        if (replaced !== undefined) yield* sessions.close(replaced)
        yield* HttpEffect.appendPreResponseHandler((request, response) =>
          Effect.succeed(withSession(response, request, environment, token))
        )
      }, orUnavailable),

      close: Effect.fnUntraced(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const tokens = tokensIn(request)
        if (tokens.length > 0 && !isFromDashboard(request)) {
          return yield* Unauthorized.because(NEEDS_HEADER, { param: "X-Requested-With" })
        }
        for (const token of tokens) yield* sessions.close(token)
        yield* HttpEffect.appendPreResponseHandler((request, response) =>
          Effect.succeed(withoutSession(response, request))
        )
      }, orUnavailable)
    })
  })
)
