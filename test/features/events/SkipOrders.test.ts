/** Orders to skip ledgers: they change and can be withdrawn until the ledger is skipped, and stay for ever then. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SkippedLedgers } from "../../../src/features/events/SkipOrders.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { markers } from "../../support/ledger/markers.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const layer = () => Layer.provide(SkippedLedgers.layer, TestDatabase)
const [marker] = markers(7, 7)
const skipped = { ...marker!, skipped: "final" }

describe("orders to skip ledgers", () => {
  it.live("can be changed and withdrawn, but not once the ledger is skipped", () =>
    Effect.gen(function* () {
      const orders = yield* SkippedLedgers
      assert.isUndefined(yield* orders.reason("mainnet", 7))
      assert.strictEqual(yield* orders.order("mainnet", 7, "first", 0), "ordered")
      assert.strictEqual(yield* orders.order("mainnet", 7, "second", 0), "ordered")
      assert.strictEqual(yield* orders.reason("mainnet", 7), "second")
      assert.isUndefined(yield* orders.reason("testnet", 7))
      assert.isTrue(yield* orders.withdraw("mainnet", 7))
      assert.isFalse(yield* orders.withdraw("mainnet", 7))
      assert.isUndefined(yield* orders.reason("mainnet", 7))
      yield* orders.order("mainnet", 7, "final", 0)
      assert.deepStrictEqual([yield* orders.count("mainnet"), yield* orders.list("mainnet")], [0, []])
      yield* orders.note("mainnet", skipped)
      yield* orders.note("mainnet", skipped)
      assert.strictEqual(yield* orders.order("mainnet", 7, "other", 0), "skipped already")
      assert.isFalse(yield* orders.withdraw("mainnet", 7))
      assert.strictEqual(yield* orders.count("mainnet"), 1)
      const [listed] = yield* orders.list("mainnet")
      assert.deepInclude(listed, { ledger_index: 7, reason: "final" })
    }).pipe(Effect.provide(layer()))
  )

  it.live("are noted from the marker alone, as after the restore of an older database", () =>
    Effect.gen(function* () {
      const orders = yield* SkippedLedgers
      yield* orders.note("mainnet", skipped)
      assert.deepInclude((yield* orders.list("mainnet"))[0], { ledger_index: 7, reason: "final" })
    }).pipe(Effect.provide(layer()))
  )

  it.live("are bounded for each network", () =>
    Effect.gen(function* () {
      const orders = yield* SkippedLedgers
      for (let i = 1; i <= Limits.skipOrders; i++) yield* orders.order("mainnet", i, "many", 0)
      assert.strictEqual(yield* orders.order("mainnet", 5_000, "one more", 0), "too many")
      assert.strictEqual(yield* orders.order("mainnet", 5, "changed", 0), "ordered")
      assert.strictEqual(yield* orders.order("testnet", 5_000, "elsewhere", 0), "ordered")
    }).pipe(Effect.provide(layer()))
  )
})
