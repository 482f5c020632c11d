/**
 * The accounts whose deliveries wait, because the account is suspended or its month's quota is used up. One SQL
 * statement a second reads them. If the database cannot be reached, the last result stays in use: an outage neither
 * ends a hold nor begins one.
 */

import { Clock, Context, Effect, Layer } from "effect"
import { UsageStore } from "../deliveries/UsageStore.ts"
import type { Hold } from "../domain/Quota.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import type { AccountId } from "../words/Ids.ts"
import { RegistryLimits } from "./Limits.ts"

const describe = (accountId: AccountId, hold: Hold | undefined): string => {
  switch (hold) {
    case undefined:
      return `deliveries of account ${accountId} resume`
    case "quota":
      return `deliveries of account ${accountId} wait: its monthly quota is used up`
    case "suspended":
      return `deliveries of account ${accountId} wait: it is suspended`
  }
}

export class AccountHolds extends Context.Service<AccountHolds>()("ledgerhook/webhooks/AccountHolds", {
  make: Effect.gen(function* () {
    const { accountHoldsMs } = yield* RegistryLimits
    const usage = yield* UsageStore
    const listeners = new Set<(accountId: AccountId) => void>()
    let holds: ReadonlyMap<string, Hold> = new Map()

    const look = Effect.gen(function* () {
      const now = yield* usage.holds(yield* Clock.currentTimeMillis)
      const before = holds
      holds = now
      const accounts = new Set([...before.keys(), ...now.keys()])
      const changed = [...accounts].filter((id) => before.get(id) !== now.get(id))
      for (const accountId of changed) {
        yield* Effect.logInfo(describe(accountId, now.get(accountId)))
        for (const listener of listeners) listener(accountId)
      }
    }).pipe(retryUntilSuccess("reading whose deliveries wait"))

    // The holds are read once before anything is routed or sent.
    yield* look
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(accountHoldsMs), look)))

    return {
      /** Undefined if the account's deliveries do not wait. */
      get: (accountId: AccountId) => holds.get(accountId),
      /** Calls the listener with each account whose hold begins, ends or changes. The returned function stops it. */
      subscribe: (listener: (accountId: AccountId) => void): (() => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(AccountHolds, AccountHolds.make)
}
