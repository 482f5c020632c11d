/** The embedded log passes the suite of all logs. Its own tests: retention, lost connections, a single owner. */

import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Environment } from "../../../../src/spine/config/Config.ts"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log, type NewRecord } from "../../../../src/spine/log/Log.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { makeDatabase, TestDatabase } from "../../../support/store/postgres.ts"
import { suite } from "../conformance/log.ts"
import { suite as transactionsSuite } from "../conformance/transactions.ts"

const onDatabase = (database: PgClient.PgClientConfig) =>
  Effect.map(
    Layer.build(
      EmbeddedLog.layer.pipe(
        Layer.provide(settingsLayer()),
        Layer.provide(PgClient.layer({ ...database, maxConnections: 3 })),
        Layer.orDie
      )
    ),
    (context) => Context.get(context, Log)
  )

const subject = Effect.map(makeDatabase, (database) => ({
  dense: true,
  durable: true,
  open: onDatabase(database)
}))

const live = (environment?: Environment) =>
  EmbeddedLog.layer.pipe(Layer.provide(settingsLayer(environment)), Layer.provideMerge(TestDatabase))
const Live = live()
const EVENTS = { topic: "xrpl.testnet.events", partition: 0 }
const LEDGERS = { topic: "xrpl.testnet.ledgers", partition: 0 }
const WORK = "webhooks.deliveries"
const events = (...given: ReadonlyArray<string>): ReadonlyArray<NewRecord> =>
  given.map((value) => ({ topic: EVENTS.topic, key: "k", value }))

describe("embedded log", () => {
  suite(subject)
  transactionsSuite(Effect.succeed(Live))

  it.effect("drops whole days by retention, and offsets keep counting", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const work = { topic: WORK, key: "wh_1", value: "old" }
      const [position] = yield* log.transaction({ append: [work, ...events("kept")] })
      yield* TestClock.adjust("20 days")
      yield* log.applyRetention
      const { start, end } = yield* log.offsets(position!)
      assert.deepStrictEqual([start, end], [1, 1])
      assert.deepStrictEqual(yield* log.read({ ...position!, offset: 0 }, 10), [])
      assert.strictEqual((yield* log.last(EVENTS))?.value, "kept")
      const [next] = yield* log.transaction({ append: [work] })
      assert.strictEqual(next?.offset, 1)
    }).pipe(Effect.provide(Live))
  )

  it.effect("drops transactions by a retention of their own", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const topic = "xrpl.testnet.transactions"
      const transaction = { topic, key: "testnet", value: "{}" }
      const [position] = yield* log.transaction({ append: [transaction, ...events("kept")] })
      yield* TestClock.adjust("2 days")
      yield* log.applyRetention
      assert.deepStrictEqual(yield* log.offsets(position!), { start: 0, end: 1 })
      yield* TestClock.adjust("2 days")
      yield* log.transaction({ append: [transaction] })
      yield* log.applyRetention
      assert.deepStrictEqual(yield* log.offsets(position!), { start: 1, end: 2 })
      assert.deepStrictEqual(
        (yield* log.read({ topic, partition: 0, offset: 0 }, 10)).map(({ offset }) => offset),
        [1]
      )
      assert.strictEqual((yield* log.last(EVENTS))?.value, "kept")
    }).pipe(Effect.provide(live({ RETENTION_TRANSACTIONS: "3 days" })))
  )

  it.effect("keeps the newest marker, however long no ledger was taken", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const marker = (value: string): NewRecord => ({ topic: LEDGERS.topic, key: "testnet", value })
      yield* log.transaction({ append: [marker("1"), ...events("gone")] })
      yield* TestClock.adjust("11 days")
      yield* log.transaction({ append: [marker("2")] })
      for (let round = 0; round < 3; round++) {
        yield* TestClock.adjust("12 days")
        yield* log.applyRetention
        yield* log.applyRetention
        assert.deepStrictEqual(yield* log.offsets(LEDGERS), { start: 1, end: 2 })
        assert.strictEqual((yield* log.last(LEDGERS))?.value, "2")
        assert.deepStrictEqual(yield* log.read({ ...EVENTS, offset: 0 }, 10), [])
      }
      yield* log.transaction({ append: [marker("3")] })
      assert.deepStrictEqual(
        (yield* log.read({ ...LEDGERS, offset: 0 }, 10)).map(({ offset, value }) => [offset, value]),
        [
          [1, "2"],
          [2, "3"]
        ]
      )
      yield* TestClock.adjust("12 days")
      yield* log.applyRetention
      assert.deepStrictEqual(yield* log.offsets(LEDGERS), { start: 2, end: 3 })
    }).pipe(Effect.provide(live({ RETENTION_EVENTS: "1 day" })))
  )

  it.live("resumes after its database connections were cut, without a gap or a duplicate", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const sql = yield* SqlClient.SqlClient
      yield* log.transaction({ append: events("1") })
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()`
      const retried = log.transaction({ append: events("2") }).pipe(Effect.eventually)
      yield* retried
      const records = yield* log.read({ ...EVENTS, offset: 0 }, 10)
      assert.deepStrictEqual(
        records.map(({ offset, value }) => [offset, value]),
        [
          [0, "1"],
          [1, "2"]
        ]
      )
    }).pipe(Effect.provide(Live))
  )

  it.live("serves what has left its memory from the database, in order", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const count = 5_000
      for (let i = 0; i < count; i += 500) {
        yield* log.transaction({ append: events(...Array.from({ length: 500 }, (_, j) => String(i + j))) })
      }
      let offset = 0
      while (offset < count) {
        const records = yield* log.read({ ...EVENTS, offset }, 333)
        for (const record of records) assert.strictEqual(record.value, String(offset++))
      }
    }).pipe(Effect.provide(Live))
  )

  it.effect("keeps only the newest of compacted keys in the database, and a tombstone for a day", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const config = (key: string, value: string | null) => ({ topic: "webhooks.config", key, value })
      yield* log.transaction({
        append: [config("a", "1"), config("b", "1"), config("a", "2"), config("b", null)]
      })
      const sql = yield* SqlClient.SqlClient
      const rows = sql`SELECT key, value FROM log_compacted ORDER BY key`
      yield* log.applyRetention
      assert.deepStrictEqual(yield* rows, [
        { key: "a", value: "2" },
        { key: "b", value: null }
      ])
      yield* TestClock.adjust("25 hours")
      yield* log.applyRetention
      assert.deepStrictEqual(yield* rows, [{ key: "a", value: "2" }])
      assert.deepStrictEqual(yield* log.offsets({ topic: "webhooks.config", partition: 0 }), {
        start: 0,
        end: 4
      })
    }).pipe(Effect.provide(Live))
  )

  it.live("has one owner: the start of a second process on the database fails", () =>
    Effect.gen(function* () {
      yield* Log
      const another = Layer.fresh(EmbeddedLog.layer).pipe(Layer.provide(settingsLayer()))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(another)))
      assert.strictEqual(error._tag, "LogInUse")
    }).pipe(Effect.provide(Live))
  )
})
