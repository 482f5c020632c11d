/**
 * `/v1/api-keys`. A key cannot create or revoke a key with a scope that it lacks itself. A test key creates, sees and
 * revokes test keys only; a live key manages all keys of its account.
 */
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { change } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { Forbidden, KeyLimitReached, NotFound, pointerOf, ValidationError } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { makePage } from "../../http/Pages.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { hasScope, type Identity } from "../../spine/domain/ApiKey.ts"
import { keyEnvironments } from "../../spine/event/Network.ts"
import { iso, parseIsoTime } from "../../spine/words/IsoTime.ts"
import { newKeyRules } from "./ApiKeyRules.ts"
import { type ApiKeyRow, ApiKeyStore, type KeyLimit, type KeyOwner } from "./ApiKeyStore.ts"
import { type ApiKey, ApiKeys } from "./ApiKeysContract.ts"

const isoOrNull = (moment: string | null): string | null => (moment === null ? null : iso(moment))

const keyOf = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  key_hint: row.key_hint,
  scopes: row.scopes,
  environment: row.environment,
  created_at: iso(row.created_at),
  expires_at: isoOrNull(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
  revoked_at: isoOrNull(row.revoked_at)
})

const keyOwnerOf = ({ accountId, environment }: Identity): KeyOwner => ({
  accountId,
  environments: environment === "live" ? keyEnvironments : [environment]
})

const limitReached = ({ allowed, limit }: KeyLimit) =>
  Effect.fail(
    KeyLimitReached.because(
      limit === "valid"
        ? `The plan allows ${allowed} valid API keys, and the account has as many; revoke one first.`
        : `An account on this plan may create ${allowed} API keys within 24 hours, revoked ones included, and this account has; try again later.`
    )
  )

const noKey = (id: string) => NotFound.because(`There is no API key ${id}.`, { param: "id" })

export const apiKeysLayer = HttpApiBuilder.group(
  contractOf(ApiKeys),
  "api-keys",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const keys = yield* ApiKeyStore
    const page = yield* makePage

    return handlers.handleAll({
      create: Effect.fnUntraced(
        function* ({ payload }) {
          const caller = yield* Caller
          const now = yield* Clock.currentTimeMillis
          const expiresAt =
            typeof payload.expires_at === "string" ? parseIsoTime(payload.expires_at) : undefined
          yield* checkRules(newKeyRules, payload, settings)
          const environment = payload.environment ?? caller.environment
          if (!keyOwnerOf(caller).environments.includes(environment)) {
            return yield* Forbidden.because(`A ${caller.environment} key cannot make a ${environment} key.`, {
              param: "/environment"
            })
          }
          const lacking = payload.scopes.find((scope) => !hasScope(caller.scopes, scope))
          if (lacking !== undefined) {
            return yield* Forbidden.because(
              `This key cannot grant the scope ${lacking}, because it does not have that scope itself.`,
              { param: pointerOf(["scopes", payload.scopes.indexOf(lacking)]) }
            )
          }
          const key = {
            accountId: caller.accountId,
            name: payload.name,
            scopes: [...new Set(payload.scopes)],
            environment,
            ...(expiresAt === undefined ? {} : { expiresAt })
          }
          const created = yield* change(keys.createWithinLimits(key, now))
          // Only a given value can be that of another key.
          if (created === undefined) return yield* Effect.die(new Error("a new key has the value of another"))
          return {
            id: created.id,
            name: key.name,
            key: created.value,
            scopes: key.scopes,
            environment,
            created_at: iso(now),
            expires_at: expiresAt === undefined ? null : iso(expiresAt),
            last_used_at: null,
            revoked_at: null
          }
        },
        Effect.catchTag("KeyLimit", limitReached),
        orUnavailable
      ),

      list: Effect.fnUntraced(function* ({ query }) {
        const owner = keyOwnerOf(yield* Caller)
        const list = ["api-keys", owner.accountId, ...owner.environments]
        return yield* page(query, list, (beforeId, limit) => keys.list(owner, beforeId, limit), keyOf)
      }, orUnavailable),

      revoke: Effect.fnUntraced(function* ({ params, query }) {
        const caller = yield* Caller
        if (params.id === caller.keyId && query.self !== "true") {
          return yield* ValidationError.because(
            "This request is made with the key that it revokes, and no later request could be. To revoke it anyway, add ?self=true.",
            { param: "self" }
          )
        }
        const owner = keyOwnerOf(caller)
        const scopes = yield* keys.scopesOf(owner, params.id)
        if (Option.isNone(scopes)) return yield* noKey(params.id)
        const lacking = scopes.value.find((scope) => !hasScope(caller.scopes, scope))
        if (lacking !== undefined) {
          return yield* Forbidden.because(
            `This key cannot revoke a key with the scope ${lacking}, because it does not have that scope itself.`,
            { param: "id" }
          )
        }
        const revoked = yield* keys.revoke(owner, params.id, yield* Clock.currentTimeMillis)
        if (!revoked) return yield* noKey(params.id)
      }, orUnavailable)
    })
  })
)
