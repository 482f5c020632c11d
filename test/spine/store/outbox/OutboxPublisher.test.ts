/** Changes of the API reach the log in the order of their commits, each once, whatever fails in between. */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { CONFIG_TOPIC } from "../../../../src/spine/domain/Webhook.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { Leases } from "../../../../src/spine/store/Leases.ts"
import { Outbox } from "../../../../src/spine/store/outbox/Outbox.ts"
import {
  OUTBOX_ID_HEADER,
  outboxPublisherLayer,
  publishBatch
} from "../../../../src/spine/store/outbox/OutboxPublisher.ts"
import { type Fault, faultyLog } from "../../../support/log/faultyLog.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"

const live = (faults: Array<Fault> = []) =>
  faultyLog(faults).pipe(
    Layer.provideMerge(MemoryLog.layer),
    Layer.provideMerge(Layer.merge(Outbox.layer, Leases.layer)),
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(settingsLayer())
  )

const write = (...keys: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(
      outbox.insert(
        keys.map((key) => ({ topic: CONFIG_TOPIC, key, value: key.endsWith("gone") ? null : "{}" }))
      )
    )
  })

const publishing = Effect.flatMap(Log, publishBatch)

const published = Effect.gen(function* () {
  const log = yield* Log
  return yield* log.read({ topic: CONFIG_TOPIC, partition: 0, offset: 0 }, 2_000)
})
const keysInLog = Effect.map(published, (records) => records.map(({ key }) => key))

const untilPublished = (count: number) =>
  published.pipe(
    Effect.filterOrFail(
      (records) => records.length >= count,
      () => "not yet" as const
    ),
    Effect.retry(Schedule.spaced(5)),
    Effect.timeout("10 seconds")
  )

/** A publisher that shares no state with others. */
const anotherProcess = () => Layer.fresh(Layer.provide(outboxPublisherLayer, Layer.fresh(Leases.layer)))

describe("outbox", () => {
  it.effect("publishes in order, with the row's id, and keeps no more than the newest row", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      assert.strictEqual(yield* outbox.headId, 0)
      yield* write("wh_1", "wh_2")
      yield* write("wh_1_gone")
      const head = yield* outbox.headId
      assert.strictEqual(yield* publishing, head)
      const records = yield* published
      assert.deepStrictEqual(
        records.map(({ key, value }) => [key, value]),
        [
          ["wh_1", "{}"],
          ["wh_2", "{}"],
          ["wh_1_gone", null]
        ]
      )
      assert.strictEqual(records.at(-1)?.headers[OUTBOX_ID_HEADER], String(head))
      assert.strictEqual((yield* outbox.next(0, 10)).length, 1)
      assert.strictEqual(yield* outbox.headId, head)
      assert.isUndefined(yield* publishing)
      assert.strictEqual((yield* published).length, 3)
    }).pipe(Effect.provide(live()))
  )

  it.effect("a crash between appending and deleting repeats nothing, and one before loses nothing", () =>
    Effect.gen(function* () {
      yield* write("a", "b")
      assert.strictEqual((yield* Effect.flip(publishing))._tag, "LogError")
      assert.deepStrictEqual(yield* keysInLog, [])
      assert.strictEqual((yield* Effect.flip(publishing))._tag, "LogError")
      assert.deepStrictEqual(yield* keysInLog, ["a", "b"])
      yield* write("c")
      yield* publishing
      assert.deepStrictEqual(yield* keysInLog, ["a", "b", "c"])
    }).pipe(Effect.provide(live(["before", "after"])))
  )

  it.effect("a rolled-back transaction leaves nothing behind and blocks no waiter", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      const undone = Effect.andThen(
        outbox.insert([{ topic: CONFIG_TOPIC, key: "undone", value: "{}" }]),
        Effect.fail("undone" as const)
      )
      yield* write("a")
      const head = yield* outbox.headId
      yield* Effect.exit(sql.withTransaction(undone))
      assert.strictEqual(yield* outbox.headId, head)
      yield* write("b")
      yield* publishing
      assert.deepStrictEqual(yield* keysInLog, ["a", "b"])
    }).pipe(Effect.provide(live()))
  )

  it.live("ids commit in their order: a later writer waits for an earlier one that is still open", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      const inserted = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const slow = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* outbox.insert([{ topic: CONFIG_TOPIC, key: "first", value: "{}" }])
            yield* Deferred.succeed(inserted, undefined)
            yield* Deferred.await(goOn)
          })
        )
      )
      yield* Deferred.await(inserted)
      const second = yield* Effect.forkChild(write("second"))
      const waiting = sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      yield* waiting.pipe(
        Effect.filterOrFail(
          (rows) => rows.length > 0,
          () => "not yet" as const
        ),
        Effect.retry(Schedule.spaced(5))
      )
      assert.deepStrictEqual(yield* outbox.next(0, 10), [])
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(slow)
      yield* Fiber.join(second)
      assert.deepStrictEqual(
        (yield* outbox.next(0, 10)).map(({ key }) => key),
        ["first", "second"]
      )
    }).pipe(Effect.provide(live()))
  )

  it.live(
    "resumes automatically when the log is available again, even with more than one batch to publish",
    () =>
      Effect.gen(function* () {
        const keys = Array.from({ length: Limits.statementRows + 7 }, (_, i) => `wh_${i}`)
        yield* write(...keys)
        yield* Effect.gen(function* () {
          yield* untilPublished(keys.length)
          yield* write("afterwards")
          yield* untilPublished(keys.length + 1)
          assert.deepStrictEqual(yield* keysInLog, [...keys, "afterwards"])
        }).pipe(Effect.provide(outboxPublisherLayer))
      }).pipe(Effect.provide(live(["before", "after"])))
  )

  it.live("publishes large records in small batches", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      const bytes = 400_000
      const records = Array.from({ length: 30 }, (_, i) => ({
        topic: CONFIG_TOPIC,
        key: `wh_${i}`,
        value: randomBytes(bytes / 2).toString("hex")
      }))
      yield* sql.withTransaction(outbox.insert(records))
      // Digits pack to half of their size.
      assert.isAtMost((yield* outbox.next(0, 30)).length, (2 * Limits.recordsBytes) / bytes + 1)
      yield* untilPublished(records.length).pipe(Effect.provide(outboxPublisherLayer))
      assert.deepStrictEqual(
        yield* keysInLog,
        records.map(({ key }) => key)
      )
    }).pipe(Effect.provide(live()))
  )

  it.live("two concurrent publishers publish each record once", () =>
    Effect.gen(function* () {
      const keys = Array.from({ length: 50 }, (_, i) => `wh_${i}`)
      yield* Effect.gen(function* () {
        for (const key of keys) yield* write(key)
        yield* untilPublished(keys.length)
        yield* write("last")
        yield* untilPublished(keys.length + 1)
        assert.deepStrictEqual(yield* keysInLog, [...keys, "last"])
      }).pipe(Effect.provide(Layer.merge(anotherProcess(), anotherProcess())))
    }).pipe(Effect.provide(live()))
  )
})
