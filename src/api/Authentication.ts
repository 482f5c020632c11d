/**
 * Who is calling: the value of X-Service-Key, looked up by its SHA-256. Missing, unknown, revoked and expired keys are
 * told apart nowhere. Nothing is remembered between requests, so a revoked key ends with its next one.
 */
import { Clock, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { SqlError } from "effect/sql"
import type { Identity } from "../domain/ApiKey.ts"
import { networksOf } from "../domain/Network.ts"
import { ApiKeyStore } from "../storage/ApiKeyStore.ts"
import type { Owner } from "../storage/WebhookStore.ts"
import { KEY_HEADER, KeyRequired } from "./contract/Common.ts"

export const NO_VALID_KEY = "A valid API key is required in the header X-Service-Key."

/** Longer values are no keys; hashing them would be work for nothing. */
const KEY_LENGTH_MAX = 256

export const authenticate = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Option.Option<Identity>, SqlError.SqlError, ApiKeyStore> =>
  Effect.gen(function* () {
    const value = request.headers[KEY_HEADER]
    if (value === undefined || value === "" || value.length > KEY_LENGTH_MAX) return Option.none()
    const keys = yield* ApiKeyStore
    return yield* keys.authenticate(value, yield* Clock.currentTimeMillis)
  })

/** What a caller's requests may reach. */
export const ownerOf = ({ accountId, environment }: Identity): Owner => ({
  accountId,
  networks: networksOf(environment)
})

/** The gate has checked the key by the time a handler's own middleware runs. */
export const keyRequiredLayer = Layer.succeed(KeyRequired, { apiKey: (handler) => handler })
