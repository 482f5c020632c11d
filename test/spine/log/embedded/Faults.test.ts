/** The embedded log when its database, or a caller, fails at the worst moment. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Result, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log, type NewRecord, OUTBOX_GROUP } from "../../../../src/spine/log/Log.ts"
import { StartAnew } from "../../../../src/spine/log/StartAnew.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { databaseProxy } from "../../../support/store/databaseProxy.ts"
import { makeDatabase } from "../../../support/store/postgres.ts"

const EVENTS = { topic: "xrpl.testnet.events", partition: 0 }
const MARKERS = { topic: "xrpl.testnet.ledgers", partition: 0 }
const events = (...given: ReadonlyArray<string>): ReadonlyArray<NewRecord> =>
  given.map((value) => ({ topic: EVENTS.topic, key: "k", value }))

type Connection = Effect.Success<typeof makeDatabase>

const openOn = (connection: Connection) =>
  Layer.build(
    Layer.fresh(EmbeddedLog.layer).pipe(
      Layer.provide(settingsLayer()),
      Layer.provide(Layer.fresh(PgClient.layer({ ...connection, maxConnections: 4 })))
    )
  ).pipe(Effect.map((context) => Context.get(context, Log)))

/** The log behind a proxy, its database without the proxy, and another process's log on the same database. */
const open = Effect.gen(function* () {
  const database = yield* makeDatabase
  const sql = yield* PgClient.make({ ...database, maxConnections: 1 })
  const [row] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
  const proxy = yield* databaseProxy
  const log = yield* openOn(proxy.connectionTo(row!.name))
  return { log, proxy, sql, second: openOn(database) }
})

type OpenLog = Log["Service"]

const all = Effect.fnUntraced(function* (log: OpenLog) {
  const found: Array<readonly [number, string | null]> = []
  while (true) {
    const records = yield* log.read({ ...EVENTS, offset: found.length }, 100)
    if (records.length === 0) return found
    for (const { offset, value } of records) found.push([offset, value])
  }
})

const test = (
  promise: string,
  body: (
    given: Effect.Success<typeof open>
  ) => Effect.Effect<void, unknown, Reactivity.Reactivity | Scope.Scope>
) =>
  it.live(promise, () =>
    Effect.flatMap(open, body).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)
  )

describe("embedded log under faults", () => {
  test("shows a write whose answer was lost when the caller reads back, so that it is not written twice", ({
    log,
    proxy
  }) =>
    Effect.gen(function* () {
      yield* log.transaction({ append: events("1") })
      yield* proxy.loseAnswer("SELECT 1")
      const answer = yield* Effect.result(log.transaction({ append: events("2") }))
      assert.isTrue(Result.isFailure(answer))
      assert.strictEqual((yield* log.last(EVENTS))?.value, "2")
      assert.deepStrictEqual(yield* log.offsets(EVENTS), { start: 0, end: 2 })
      yield* log.transaction({ append: events("3") })
      assert.deepStrictEqual(yield* all(log), [
        [0, "1"],
        [1, "2"],
        [2, "3"]
      ])
    }))

  for (const { title, more } of [
    { title: "a record", more: { append: events("4") } },
    {
      title: "a position",
      more: { append: [], commit: { group: "g", positions: [{ ...EVENTS, offset: 3 }] } }
    }
  ])
    test(`refuses to write ${title} to a server that lacks the newest records, and starts anew`, () =>
      Effect.gen(function* () {
        const told: Array<string> = []
        const database = yield* makeDatabase
        const sql = yield* PgClient.make({ ...database, maxConnections: 1 })
        const log = yield* openOn(database).pipe(
          Effect.provideService(StartAnew, ({ message }) => Effect.sync(() => void told.push(message)))
        )
        yield* log.transaction({ append: events("1", "2", "3") })
        // As after a failover to a standby that was behind: no connection needs to break.
        yield* sql`UPDATE log_ends SET end_offset = 2`
        yield* Effect.flip(log.transaction(more))
        assert.lengthOf(told, 1)
        assert.match(told[0]!, /xrpl\.testnet\.events\/0 ends at 2, and this process knows of 3 records/)
        yield* sql`UPDATE log_ends SET end_offset = 3`
        assert.match(String(yield* Effect.flip(log.transaction(more))), /went back/)
        assert.match(String(yield* Effect.flip(log.offsets(EVENTS))), /went back/)
        assert.isEmpty(yield* sql`SELECT 1 FROM log_commits`)
        assert.deepStrictEqual(yield* sql`SELECT end_offset::int AS end FROM log_ends`, [{ end: 3 }])
      }))

  test("starts anew if the database does not know that this process has opened the log", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const database = yield* makeDatabase
      const sql = yield* PgClient.make({ ...database, maxConnections: 1 })
      const log = yield* openOn(database).pipe(
        Effect.provideService(StartAnew, ({ message }) => Effect.sync(() => void told.push(message)))
      )
      // As after a failover to a standby that was behind when the process started.
      yield* sql`UPDATE log_owner SET owner = owner - 1`
      yield* Effect.flip(log.transaction({ append: events("1") }))
      assert.lengthOf(told, 1)
      assert.match(told[0]!, /its owner is number 0, and this process became number 1/)
    }))

  test("takes the position of the outbox, which counts rows of a table", ({ log }) =>
    Effect.gen(function* () {
      const position = { topic: "webhooks.config", partition: 0, offset: 7 }
      yield* log.transaction({
        append: events("1"),
        commit: { group: OUTBOX_GROUP, positions: [position] }
      })
      assert.strictEqual(yield* log.committed(OUTBOX_GROUP, position), 7)
    }))

  test("wakes readers that wait for a write whose answer was lost", ({ log, proxy }) =>
    Effect.gen(function* () {
      // The first write of a day also creates its partition. The test must not lose that answer.
      yield* log.transaction({ append: events("1") })
      const waiting = yield* Effect.forkChild(log.awaitOffset({ ...EVENTS, offset: 1 }))
      yield* proxy.loseAnswer("SELECT 1")
      yield* Effect.flip(log.transaction({ append: events("2") }))
      yield* Fiber.join(waiting)
    }))

  test("refuses a write that was cut off and arrives after the writer has continued", ({ log, proxy }) =>
    Effect.gen(function* () {
      yield* log.transaction({ append: events("1") })
      const arrive = yield* proxy.delayWrite
      yield* Effect.flip(log.transaction({ append: events("late") }))
      yield* log.transaction({ append: events("2") })
      yield* arrive
      yield* log.transaction({ append: events("3") })
      assert.deepStrictEqual(yield* all(log), [
        [0, "1"],
        [1, "2"],
        [2, "3"]
      ])
    }))

  test("keeps what is in the tables and what readers see the same, through cut connections", ({ log, sql }) =>
    Effect.gen(function* () {
      const cut = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid()`
      // The caller reads before it retries, as the port requires.
      const append = Effect.fnUntraced(function* (value: string) {
        while (true) {
          const { end } = yield* Effect.eventually(log.offsets(EVENTS))
          if (Exit.isSuccess(yield* Effect.exit(log.transaction({ append: events(value) })))) return
          const since = yield* Effect.eventually(log.read({ ...EVENTS, offset: end }, 10))
          if (since.some((record) => record.value === value)) return
        }
      })
      for (let i = 0; i < 60; i++) {
        if (i % 3 === 0) yield* Effect.all([append(String(i)), cut], { concurrency: "unbounded" })
        else yield* append(String(i))
      }
      assert.deepStrictEqual(
        yield* all(log),
        Array.from({ length: 60 }, (_, i) => [i, String(i)])
      )
      yield* log.transaction({ append: [{ ...MARKERS, key: "k", value: "m" }] })
    }))

  test("fails only the caller whose transaction cannot be made", ({ log }) =>
    Effect.gen(function* () {
      const broken = log.transaction({
        append: events("never"),
        appendThen: () => {
          throw new Error("no marker")
        }
      })
      const [, broke, wrote] = yield* Effect.all(
        [
          log.transaction({ append: events("1") }),
          Effect.exit(broken),
          log.transaction({ append: events("2") }),
          log.transaction({ append: events("3") })
        ],
        { concurrency: "unbounded" }
      )
      assert.isTrue(Exit.hasDies(broke))
      assert.strictEqual(wrote[0]?.offset, 1)
      assert.strictEqual((yield* all(log)).length, 3)
    }))

  test("is fenced when another process has taken the log over: its writes leave nothing", ({
    log,
    sql,
    second
  }) =>
    Effect.gen(function* () {
      yield* log.transaction({ append: events("1") })
      // The process loses its lock with the connection, and does not notice.
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database =
                 (SELECT oid FROM pg_database WHERE datname = current_database())`
      const other = yield* Effect.eventually(second)
      yield* other.transaction({ append: events("2") })
      for (let i = 0; i < 3; i++) yield* Effect.flip(log.transaction({ append: events("never") }))
      yield* other.transaction({ append: events("3") })
      assert.deepStrictEqual(yield* all(other), [
        [0, "1"],
        [1, "2"],
        [2, "3"]
      ])
    }))
})

describe("closing the embedded log", () => {
  it.live("answers every caller that waits for an append, and a success means that it has landed", () =>
    Effect.gen(function* () {
      const database = yield* makeDatabase
      const fibers = yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openOn(database)
          const started = Array.from({ length: 30 }, (_, i) => log.transaction({ append: events(String(i)) }))
          const fibers = yield* Effect.forEach(started, (one) => Effect.forkDetach(one))
          yield* Effect.yieldNow
          return fibers
        })
      )
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      const landed = exits.flatMap((exit) => (Exit.isSuccess(exit) ? exit.value : []))
      const log = yield* openOn(database)
      const { end } = yield* log.offsets(EVENTS)
      assert.isAtLeast(end, landed.length)
      assert.strictEqual((yield* all(log)).length, end)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)
  )
})
