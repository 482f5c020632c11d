/** Accounts on hold are those that the last read returned, even while the database is unavailable. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import type { Hold } from "../../../src/spine/domain/Quota.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { registryLimits } from "../../../src/spine/registry/Limits.ts"

const away = new SqlError({ reason: new ConnectionError({ cause: new Error("the database is away") }) })

describe("account holds", () => {
  it.effect("are published when they change, and stay while the database is unavailable", () => {
    let answer: ReadonlyMap<string, Hold> | undefined = new Map([["acct_1", "quota"]])
    const usage = Layer.succeed(
      UsageStore,
      UsageStore.of({
        usageOf: () => Effect.succeed({ deliveries: 0, days: [] }),
        dueNotices: () => Effect.succeed([]),
        holdOf: () => Effect.succeed(undefined),
        holds: () => Effect.suspend(() => (answer === undefined ? Effect.fail(away) : Effect.succeed(answer)))
      })
    )
    return Effect.gen(function* () {
      const holds = yield* AccountHolds
      const told: Array<string> = []
      const unsubscribe = holds.subscribe((id) => void told.push(`${id} ${holds.get(id)}`))
      assert.strictEqual(holds.get("acct_1"), "quota")
      answer = undefined
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(holds.get("acct_1"), "quota")
      answer = new Map([["acct_2", "suspended"]])
      yield* TestClock.adjust(Limits.storeRetryMs.longest)
      assert.deepStrictEqual(told, ["acct_1 undefined", "acct_2 suspended"])
      unsubscribe()
      answer = new Map()
      yield* TestClock.adjust(registryLimits.accountHoldsMs)
      assert.isUndefined(holds.get("acct_2"))
      assert.strictEqual(told.length, 2)
    }).pipe(Effect.provide(Layer.provide(AccountHolds.layer, usage)))
  })
})
