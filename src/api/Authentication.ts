/**
 * Finds the caller by the SHA-256 of X-Service-Key. The response is the same whether a key is missing, unknown, revoked
 * or expired. Nothing is cached between requests, so a revoked key is refused at its next request.
 */
import { Effect, Layer, type Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Identity, keySha256 } from "../domain/ApiKey.ts"
import { networksOf } from "../domain/Network.ts"
import type { Owner } from "../storage/webhooks/WebhookStore.ts"
import type { AdmissionQueue, Admitted } from "./AdmissionQueue.ts"
import { KEY_HEADER, KeyRequired } from "./contract/Common.ts"
import type { Unavailable } from "./Errors.ts"

export const NO_VALID_KEY = "A valid API key is required in the header X-Service-Key."

/** No key is longer, so longer values are refused without hashing. */
const KEY_LENGTH_MAX = 256

export const authenticate = (
  request: HttpServerRequest.HttpServerRequest,
  admit: AdmissionQueue["Service"]["admit"]
): Effect.Effect<Option.Option<Admitted>, Unavailable> => {
  const value = request.headers[KEY_HEADER]
  return value === undefined || value === "" || value.length > KEY_LENGTH_MAX
    ? Effect.succeedNone
    : admit(keySha256(value).toString("hex"))
}

/** The account and the networks whose data a caller may read and change. */
export const ownerOf = ({ accountId, environment }: Identity): Owner => ({
  accountId,
  networks: networksOf(environment)
})

/** Does nothing: the gate has checked the key before a handler's middleware runs. */
export const keyRequiredLayer = Layer.succeed(KeyRequired, (handler) => handler)
