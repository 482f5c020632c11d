/**
 * Whose deliveries wait now: the accounts that are suspended or have used up their month's quota, as one statement a
 * second tells. Few at any time, whatever the number of accounts. While the database is away the last answer stands:
 * neither does a hold end by a fault, nor does one stop those that may send.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Limits } from "../config/Limits.ts"
import type { Hold } from "../domain/Quota.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { UsageStore } from "../storage/accounts/UsageStore.ts"

const describe = (accountId: string, hold: Hold | undefined): string => {
  switch (hold) {
    case undefined:
      return `deliveries of account ${accountId} go on`
    case "quota":
      return `deliveries of account ${accountId} wait: its monthly quota is used up`
    case "suspended":
      return `deliveries of account ${accountId} wait: it is suspended`
  }
}

export class AccountHolds extends Context.Service<AccountHolds>()("ledgerhook/webhooks/AccountHolds", {
  make: Effect.gen(function* () {
    const usage = yield* UsageStore
    const listeners = new Set<(accountId: string) => void>()
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

    // Known before anything is routed or sent.
    yield* look
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Limits.accountHoldsMs), look)))

    return {
      /** Undefined when the account's deliveries go on. */
      get: (accountId: string) => holds.get(accountId),
      /** Tells the listener each account whose hold began, ended or became another; the result ends it. */
      subscribe: (listener: (accountId: string) => void): (() => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(AccountHolds, AccountHolds.make)
}
