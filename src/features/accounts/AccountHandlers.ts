/** `/v1/account`: the account's limits, and how much of this month's quota it has used. */
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { UsageStore } from "../../spine/deliveries/UsageStore.ts"
import { limitsJson } from "../../spine/domain/Plans.ts"
import { monthOf } from "../../spine/domain/Quota.ts"
import { Account } from "./AccountContract.ts"
import { AccountStore } from "./AccountStore.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

export const accountLayer = HttpApiBuilder.group(
  contractOf(Account),
  "account",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* AccountStore
    const usage = yield* UsageStore
    const keys = yield* ApiKeyStore

    return handlers.handleAll({
      get: Effect.fnUntraced(function* () {
        const { accountId, limits, keyId, environment, scopes } = yield* Caller
        const now = yield* Clock.currentTimeMillis
        const { deliveries, days } = yield* usage.usageOf(accountId, now)
        // Accounts are never deleted, so the key's account exists.
        const account = Option.getOrThrow(yield* accounts.find(accountId))
        const { name, key_hint } = Option.getOrThrow(yield* keys.shown(keyId))
        return {
          id: account.id,
          name: account.name,
          email: account.email,
          plan: account.plan,
          limits: limitsJson(limits),
          usage: { month: monthOf(now), deliveries, quota: limits.monthlyDeliveries, days },
          key: { id: keyId, name, key_hint, environment, scopes }
        }
      }, orUnavailable)
    })
  })
)
