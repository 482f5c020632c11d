/**
 * Finds the caller by the SHA-256 of the key in `X-Service-Key` or `Authorization: Bearer`. The response is the same
 * whether a key is missing, unknown, revoked or expired. Nothing is cached between requests, so a revoked key is refused
 * at its next request.
 */
import { Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Identity, keySha256 } from "../domain/ApiKey.ts"
import { networksOf } from "../domain/Network.ts"
import type { Owner } from "../storage/webhooks/WebhookStore.ts"
import type { AdmissionQueue, Admitted } from "./AdmissionQueue.ts"
import { KEY_HEADER, KeyRequired } from "./contract/Common.ts"
import type { Unavailable } from "./Errors.ts"
import type { Refusal } from "./RequestBody.ts"

const noKey: Refusal = {
  code: "UNAUTHORIZED",
  message: "A valid API key is required in the header X-Service-Key, or as Authorization: Bearer."
}

const twoKeys: Refusal = {
  code: "UNAUTHORIZED",
  message: "The headers X-Service-Key and Authorization name different keys; send only one of them."
}

/** No key is longer, so longer values are refused without hashing. */
const KEY_LENGTH_MAX = 256

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
  if (key === undefined || key.length > KEY_LENGTH_MAX) return Effect.succeed(noKey)
  return Effect.map(
    admit(keySha256(key).toString("hex")),
    Option.getOrElse(() => noKey)
  )
}

/** The account and the networks whose data a caller may read and change. */
export const ownerOf = ({ accountId, environment }: Identity): Owner => ({
  accountId,
  networks: networksOf(environment)
})

/** Does nothing: the gate has checked the key before a handler's middleware runs. */
export const keyRequiredLayer = Layer.succeed(KeyRequired, (handler) => handler)
