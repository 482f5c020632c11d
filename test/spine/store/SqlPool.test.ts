/** The metrics of the database's pools: what uses a connection, what waits for one, and how long statements take. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { errorText } from "../../../src/spine/observe/Logging.ts"
import { ForRequest } from "../../../src/spine/store/ForRequest.ts"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import * as SqlPool from "../../../src/spine/store/SqlPool.ts"
import { makeDatabase } from "../../support/store/postgres.ts"

/** Two connections, so that a third user waits. */
const TwoConnections = Layer.effectContext(
  Effect.gen(function* () {
    const config = { ...(yield* makeDatabase), maxConnections: 2 }
    return Context.make(
      SqlClient.SqlClient,
      yield* SqlPool.make("main", config, { requestConnections: 1 })
    ).pipe(Context.add(ReadSql, yield* SqlPool.make("read", config, {})))
  })
).pipe(Layer.provide(Reactivity.layer))

const shown = Effect.fnUntraced(function* (name: string, pool: string) {
  const text = yield* PrometheusMetrics.format()
  return Number(new RegExp(`^ledgerhook_database_${name}\\{pool="${pool}"\\} (.*)$`, "m").exec(text)?.[1])
})

describe("the metrics of a pool", () => {
  it.live("show transactions that use its connections, and what waits for one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const end = Latch.makeUnsafe()
      const begun = [Latch.makeUnsafe(), Latch.makeUnsafe()]
      const transactions = begun.map((latch) =>
        sql`SELECT 1`.pipe(
          Effect.andThen(sql.withTransaction(sql`SELECT 2`)),
          Effect.andThen(Effect.sync(() => latch.openUnsafe())),
          Effect.andThen(Latch.await(end)),
          sql.withTransaction,
          Effect.forkScoped
        )
      )
      for (const transaction of transactions) yield* transaction
      for (const latch of begun) yield* Latch.await(latch)
      const third = yield* Effect.forkScoped(sql`SELECT 3`, { startImmediately: true })
      assert.deepStrictEqual(
        [yield* shown("pool_in_use", "main"), yield* shown("pool_waiting", "main")],
        [2, 1]
      )
      end.openUnsafe()
      yield* Fiber.join(third)
      assert.strictEqual(yield* shown("pool_waiting", "main"), 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(TwoConnections),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )

  it.live("time each statement once, also one that runs again, and name the pool", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* ReadSql
      const again = sql`SELECT 1`
      yield* again
      yield* again
      yield* again
      yield* read`SELECT 1`
      yield* Effect.exit(sql`SELECT no_such_column`)
      assert.strictEqual(yield* shown("statement_duration_seconds_count", "main"), 4)
      assert.strictEqual(yield* shown("statement_duration_seconds_count", "read"), 1)
      assert.strictEqual(yield* shown("pool_in_use", "main"), 0)
      assert.strictEqual(yield* shown("pool_in_use", "read"), 0)
    }).pipe(Effect.provide(TwoConnections), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.live("requests to the API use a part of its connections, and the stages always have the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const end = Latch.makeUnsafe()
      const asRequest = Effect.provideService(ForRequest, true)
      const held = sql`SELECT 1`.pipe(Effect.andThen(Latch.await(end)), sql.withTransaction)
      const requests = Array.from({ length: 5 }, () => held.pipe(asRequest, Effect.forkScoped))
      const fibers = yield* Effect.all([...requests, Effect.forkScoped(asRequest(sql`SELECT 2`))])
      while ((yield* shown("pool_in_use", "main")) === 0) yield* Effect.yieldNow
      // A request that waits for a connection would wait for ever.
      for (let i = 0; i < 3; i++) yield* sql.withTransaction(sql`SELECT 3`)
      assert.deepStrictEqual(
        [yield* shown("pool_in_use", "main"), yield* shown("pool_waiting", "main")],
        [1, 5]
      )
      end.openUnsafe()
      yield* Effect.forEach(fibers, (fiber) => Fiber.join<unknown, unknown>(fiber))
    }).pipe(
      Effect.scoped,
      Effect.provide(TwoConnections),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )
})

describe("a server that takes no writes any more", () => {
  const one = Effect.gen(function* () {
    return yield* SqlPool.make("main", { ...(yield* makeDatabase), maxConnections: 1 }, {})
  }).pipe(Effect.provide(Reactivity.layer))

  it.live("ends the connection, as if it was lost, and the next statement has a new one", () =>
    Effect.gen(function* () {
      const sql = yield* one
      yield* sql`CREATE TABLE written (n int)`
      yield* sql`SET default_transaction_read_only = on`
      const error = yield* Effect.flip(sql`INSERT INTO written VALUES (1)`)
      assert.strictEqual(error.reason._tag, "ConnectionError")
      assert.match(errorText(error), /takes no writes; it must be the primary \(25006\)/)
      yield* sql`INSERT INTO written VALUES (2)`
      assert.deepStrictEqual(yield* sql`SELECT n FROM written`, [{ n: 2 }])
    }).pipe(Effect.scoped)
  )

  it.live("ends a transaction", () =>
    Effect.gen(function* () {
      const sql = yield* one
      yield* sql`CREATE TABLE written (n int)`
      yield* sql`SET default_transaction_read_only = on`
      const insert = sql`INSERT INTO written VALUES (1)`
      const error = yield* Effect.flip(sql.withTransaction(Effect.andThen(sql`SELECT 1`, insert)))
      assert.strictEqual(error.reason._tag, "ConnectionError")
      yield* sql.withTransaction(insert)
      assert.deepStrictEqual(yield* sql`SELECT n FROM written`, [{ n: 1 }])
    }).pipe(Effect.scoped)
  )
})
