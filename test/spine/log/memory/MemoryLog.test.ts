/** The memory log passes the suite of all logs, and applies retention by the test's clock. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Log } from "../../../../src/spine/log/Log.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { suite } from "../conformance/log.ts"
import { suite as transactionsSuite } from "../conformance/transactions.ts"

const Live = Layer.provide(MemoryLog.layer, settingsLayer())
const open = Effect.map(Layer.build(Live), (context) => Context.get(context, Log))

describe("memory log", () => {
  suite(Effect.succeed({ dense: true, durable: false, open }))
  transactionsSuite(Effect.succeed(Live))

  it.effect("drops records by retention, and offsets keep counting", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const work = { topic: "webhooks.deliveries", key: "wh_1", value: "old" }
      const event = { topic: "xrpl.testnet.events", key: "k", value: "kept" }
      const [position] = yield* log.transaction({ append: [work, event] })
      yield* TestClock.adjust("6 days")
      yield* log.applyRetention
      assert.strictEqual((yield* log.last(position!))?.value, "old")
      yield* TestClock.adjust("2 days")
      yield* log.applyRetention
      assert.deepStrictEqual(yield* log.offsets(position!), { start: 1, end: 1 })
      assert.strictEqual((yield* log.last({ topic: event.topic, partition: 0 }))?.value, "kept")
      assert.strictEqual((yield* log.transaction({ append: [work] }))[0]?.offset, 1)
    }).pipe(Effect.provide(Live))
  )

  it.effect("keeps the newest marker, however long no ledger was taken", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const ledgers = { topic: "xrpl.testnet.ledgers", partition: 0 }
      const marker = (value: string) => ({ topic: ledgers.topic, key: "testnet", value })
      yield* log.transaction({ append: [marker("1"), marker("2")] })
      yield* TestClock.adjust("1000 days")
      yield* log.applyRetention
      assert.strictEqual((yield* log.last(ledgers))?.value, "2")
      assert.deepStrictEqual(yield* log.offsets(ledgers), { start: 1, end: 2 })
      yield* log.transaction({ append: [marker("3")] })
      yield* log.applyRetention
      assert.deepStrictEqual(yield* log.offsets(ledgers), { start: 2, end: 3 })
    }).pipe(Effect.provide(Live))
  )
})
