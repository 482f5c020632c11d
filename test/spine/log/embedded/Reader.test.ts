/** Reading the log beside its owner: every successful append is seen, without a lock and without extra rows. */
import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log, LogReader } from "../../../../src/spine/log/Log.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { makeDatabase } from "../../../support/store/postgres.ts"

const EVENTS = { topic: "xrpl.testnet.events", partition: 0 }
const TRANSACTIONS = 200

const opened = Effect.gen(function* () {
  const database = yield* makeDatabase
  const owner = EmbeddedLog.layer.pipe(
    Layer.provide(settingsLayer()),
    Layer.provide(PgClient.layer({ ...database, maxConnections: 3 }))
  )
  const context = yield* Layer.build(owner)
  const beside = yield* Layer.build(
    // The pool has only one connection, so that connection's statistics are complete.
    Layer.provideMerge(EmbeddedLog.readerLayer, PgClient.layer({ ...database, maxConnections: 1 }))
  )
  return {
    log: Context.get(context, Log),
    reader: Context.get(beside, LogReader),
    sql: Context.get(beside, SqlClient.SqlClient)
  }
})

const append = (log: Log["Service"], ...values: ReadonlyArray<string>) =>
  log.transaction({ append: values.map((value) => ({ topic: EVENTS.topic, key: "k", value })) })

describe("a reader of the embedded log", () => {
  it.live("sees what the owner writes, and does not stop it", () =>
    Effect.gen(function* () {
      const { log, reader } = yield* opened
      assert.deepStrictEqual(yield* reader.offsets(EVENTS), { start: 0, end: 0 })
      assert.isUndefined(yield* reader.last(EVENTS))
      yield* append(log, "a", "b")
      assert.deepStrictEqual(yield* reader.offsets(EVENTS), { start: 0, end: 2 })
      yield* append(log, "c")
      const whole = { ...EVENTS, offset: 0 }
      assert.deepStrictEqual(yield* reader.read(whole, 10), yield* log.read(whole, 10))
      assert.strictEqual((yield* reader.last(EVENTS))?.value, "c")
      assert.strictEqual(yield* reader.committed("g", EVENTS), 0)
      yield* log.transaction({ append: [], commit: { group: "g", positions: [{ ...EVENTS, offset: 2 }] } })
      assert.strictEqual(yield* reader.committed("g", EVENTS), 2)
    })
  )

  it.live("reads one record of a long log without reading the rest", () =>
    Effect.gen(function* () {
      const { log, reader, sql } = yield* opened
      for (let i = 0; i < TRANSACTIONS; i++) yield* append(log, String(i))
      const fetched = Effect.gen(function* () {
        yield* sql`SELECT pg_stat_force_next_flush()`
        const [row] = yield* sql<{ readonly rows: number }>`
          SELECT sum(idx_tup_fetch + seq_tup_read)::float8 AS rows FROM pg_stat_user_tables
          WHERE relname LIKE 'log_history_%'`
        return row?.rows ?? 0
      })
      yield* sql`ANALYZE`
      const before = yield* fetched
      const [record] = yield* reader.read({ ...EVENTS, offset: 3 }, 1)
      assert.strictEqual(record?.value, "3")
      assert.isAtMost((yield* fetched) - before, 4)
    })
  )

  it.live(
    "reads few records of a compacted topic at a time where they are large, and all of them in the end",
    () =>
      Effect.gen(function* () {
        const { log, reader } = yield* opened
        const config = { topic: "webhooks.config", partition: 0 }
        const bytes = 400_000
        const keys = Array.from({ length: 30 }, (_, i) => `wh_${i}`)
        const value = () => randomBytes(bytes / 2).toString("hex")
        yield* log.transaction({
          append: keys.map((key) => ({ topic: config.topic, key, value: value() }))
        })
        const found: Array<string> = []
        while (found.length < keys.length) {
          const records = yield* reader.read({ ...config, offset: found.length }, keys.length)
          assert.isAtLeast(records.length, 1)
          // Digits pack to half of their size.
          assert.isAtMost(records.length, (2 * Limits.recordsBytes) / bytes + 1)
          found.push(...records.map(({ key }) => key))
        }
        assert.deepStrictEqual(found, keys)
      })
  )
})
