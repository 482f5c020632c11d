/**
 * Who is calling: the value of X-Service-Key, looked up by its SHA-256. Missing, unknown, revoked and expired keys are
 * told apart nowhere. Nothing is remembered between requests, so a revoked key ends with its next one.
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

/** Longer values are no keys; hashing them would be work for nothing. */
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

/** What a caller's requests may reach. */
export const ownerOf = ({ accountId, environment }: Identity): Owner => ({
  accountId,
  networks: networksOf(environment)
})

/** The gate has checked the key by the time a handler's own middleware runs. */
export const keyRequiredLayer = Layer.succeed(KeyRequired, (handler) => handler)
