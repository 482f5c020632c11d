/**
 * Finds the caller by the key in `X-Service-Key` or `Authorization: Bearer`, otherwise by a session's token in a cookie
 * (SessionCookies.ts). A link or a token is no key: what has not the form of a key is refused before it is hashed. The response is the same whether a key is missing, unknown, revoked or expired.
 * Nothing is cached between requests, so a revoked key is refused at its next request.
 */
import { Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Owner } from "../spine/domain/ApiKey.ts"
import { type Credential, type Identity, keyCredential } from "../spine/domain/ApiKey.ts"
import { sessionCredential } from "../spine/domain/Session.ts"
import { networksOf } from "../spine/event/Network.ts"
import { KEY_HEADER, KeyRequired } from "./ContractParts.ts"
import type { Unavailable } from "./Errors.ts"
import type { AdmissionQueue, Admitted } from "./guard/AdmissionQueue.ts"
import type { Refusal } from "./RequestBody.ts"
import { isFromDashboard, NEEDS_HEADER, tokenIn } from "./SessionCookies.ts"

const noKey: Refusal = {
  code: "UNAUTHORIZED",
  message: "A valid API key is required in the header X-Service-Key, or as Authorization: Bearer.",
  param: "X-Service-Key"
}

const twoKeys: Refusal = {
  code: "UNAUTHORIZED",
  message: "The headers X-Service-Key and Authorization name different keys; send only one of them.",
  param: "X-Service-Key"
}

const noSession: Refusal = {
  code: "UNAUTHORIZED",
  message: "The session has ended; sign in again."
}

const foreign: Refusal = {
  code: "UNAUTHORIZED",
  message: NEEDS_HEADER,
  param: "X-Requested-With"
}

/** Other schemes are for somebody else, such as a proxy. */
const BEARER = /^bearer +(\S+)$/i

/** The keys that the request names: none, one, or two that differ. */
const keysIn = ({ headers }: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> => {
  const given = [headers[KEY_HEADER], BEARER.exec(headers["authorization"] ?? "")?.[1]]
  return [...new Set(given.flatMap((key) => key || []))]
}

/** The caller, or why the request has none. */
export const authenticate = (
  request: HttpServerRequest.HttpServerRequest,
  admit: AdmissionQueue["Service"]["admit"]
): Effect.Effect<Admitted | Refusal, Unavailable> => {
  const [key, another] = keysIn(request)
  if (another !== undefined) return Effect.succeed(twoKeys)
  const admitted = (credential: Credential, otherwise: Refusal) =>
    Effect.map(
      admit(credential),
      Option.getOrElse(() => otherwise)
    )
  if (key === undefined) {
    const token = tokenIn(request)
    if (token === undefined) return Effect.succeed(noKey)
    return isFromDashboard(request) ? admitted(sessionCredential(token), noSession) : Effect.succeed(foreign)
  }
  const credential = keyCredential(key)
  return credential === undefined ? Effect.succeed(noKey) : admitted(credential, noKey)
}

/** The account and the networks whose data a caller may read and change. */
export const ownerOf = ({ accountId, environment }: Identity): Owner => ({
  accountId,
  networks: networksOf(environment)
})

/** Does nothing: the gate has checked the key before a handler's middleware runs. */
export const keyRequiredLayer = Layer.succeed(KeyRequired, (handler) => handler)
