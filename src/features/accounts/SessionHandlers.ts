/**
 * `/v1/session`. Signing in with a key is a request of the key: it counts, and a revoked, expired or suspended key cannot
 * sign in. What cannot sign in gets the same answer whether it is unknown, used or expired. A browser has sessions of one
 * account: a sign-in to another is refused until the viewer has been asked, so nobody works in an account by mistake.
 */
import { Clock, Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import {
  Forbidden,
  RateLimited,
  SessionLimitReached,
  SessionOfAnotherAccount,
  Unauthorized,
  ValidationError
} from "../../http/Errors.ts"
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
import { keyCredential } from "../../spine/domain/ApiKey.ts"
import { isSignInLink } from "../../spine/domain/Session.ts"
import { type KeyEnvironment, keyEnvironments } from "../../spine/event/Network.ts"
import { AccountStore } from "./AccountStore.ts"
import { accountBounds } from "./Limits.ts"
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
    const accounts = yield* AccountStore
    const { admit } = yield* AdmissionQueue

    /** The key's id, its environment and the account that it signs in to. */
    const ofKey = Effect.fnUntraced(function* (key: string, now: number) {
      const credential = keyCredential(key)
      const found = credential && Option.getOrUndefined(yield* admit(credential))
      if (found === undefined) return yield* badKey()
      const { identity, rate, suspended } = found
      if (!rate.admitted) return yield* RateLimited.because(rateMessage(rate, retryAfterSeconds(rate, now)))
      if (suspended)
        return yield* Forbidden.because("This account is suspended; contact the operator of this service.")
      return identity
    })

    /** Fails if the browser has a session of another account, unless the viewer has decided to leave it. */
    const leaveOthers = Effect.fnUntraced(function* (account: string, replace: boolean, now: number) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const tokens = keyEnvironments.flatMap((environment) => tokenOf(request, environment) ?? [])
      if (tokens.length === 0) return
      const [other] = yield* sessions
        .accountsOf(tokens, now)
        .pipe(Effect.map((found) => found.filter(({ id }) => id !== account)))
      if (other === undefined) return
      if (!replace || !isFromDashboard(request)) {
        const name = Option.match(yield* accounts.find(account), {
          onNone: () => account,
          onSome: (one) => one.name
        })
        return yield* SessionOfAnotherAccount.because(
          `This browser is signed in to the account ${other.name}. To leave it and sign in to the account ${name}, send replace: true and the header X-Requested-With: ledgerhook.`,
          { accounts: { signed_in: other, wanted: { id: account, name } } }
        )
      }
      for (const token of tokens) yield* sessions.close(token)
    })

    const tooMany = () =>
      SessionLimitReached.because(
        `This key has ${accountBounds.sessionsPerKey} sessions and unused links, and may have no more; sign out of one, or wait until one ends.`
      )

    /** The browser's session of this environment before. Its place is free for the next one. */
    const leaveOwn = Effect.fnUntraced(function* (environment: KeyEnvironment) {
      const replaced = tokenOf(yield* HttpServerRequest.HttpServerRequest, environment)
      if (replaced !== undefined) yield* sessions.close(replaced)
    })

    const withKey = Effect.fnUntraced(function* (key: string, replace: boolean) {
      const now = yield* Clock.currentTimeMillis
      const { accountId, environment, keyId } = yield* ofKey(key, now)
      yield* leaveOthers(accountId, replace, now)
      yield* leaveOwn(environment)
      const token = yield* sessions
        .open(keyId, now)
        .pipe(Effect.catchTag("SessionLimit", () => Effect.fail(tooMany())))
      return { environment, token }
    })

    const withLink = Effect.fnUntraced(function* (link: string, replace: boolean) {
      const now = yield* Clock.currentTimeMillis
      const account = isSignInLink(link) ? yield* sessions.accountOfLink(link, now) : undefined
      if (account === undefined) return yield* badLink()
      yield* leaveOthers(account.id, replace, now)
      const opened = (yield* sessions.redeem(link, now)) ?? (yield* badLink())
      yield* leaveOwn(opened.environment)
      return opened
    })

    return handlers.handleAll({
      open: Effect.fnUntraced(function* ({ payload: { key, link, replace = false } }) {
        if ((key === undefined) === (link === undefined)) {
          return yield* ValidationError.because("Give either key or link.", { param: "" })
        }
        const { environment, token } = yield* key === undefined
          ? withLink(link!, replace)
          : withKey(key, replace)
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
