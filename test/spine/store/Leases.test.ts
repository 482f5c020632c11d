/** A lease lets one process do a job at a time. Another process takes over when it ends, by the database's clock. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { Leases } from "../../../src/spine/store/Leases.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { makeDatabase } from "../../support/store/postgres.ts"

/** Each call makes another process, on the same database. */
const processes = Effect.map(makeDatabase, (database) =>
  Effect.map(
    Layer.build(
      Leases.layer.pipe(Layer.provideMerge(PgClient.layer({ ...database, maxConnections: 2 })), Layer.orDie)
    ),
    (context) => ({
      leases: Context.get(context, Leases),
      sql: Context.get(context, SqlClient.SqlClient)
    })
  )
)

/** A job that says when it runs, and never ends. */
const job = Effect.gen(function* () {
  const running = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<void>()
  return {
    running: Deferred.await(running),
    ended: Deferred.await(ended),
    hasEnded: Deferred.isDone(ended),
    run: Effect.andThen(Deferred.succeed(running, undefined), Effect.never).pipe(
      Effect.ensuring(Deferred.succeed(ended, undefined))
    )
  }
})

describe("leases", { concurrent: true }, () => {
  it.live("let a second process do a job only after the first has ended", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const start = yield* processes
        const [a, b] = [yield* start, yield* start]
        const [first, second] = [yield* job, yield* job]
        const holding = yield* Effect.forkChild(a.leases.hold("ingest")(first.run))
        yield* first.running
        yield* Effect.forkChild(b.leases.hold("ingest")(second.run))
        const other = yield* job
        yield* Effect.forkChild(b.leases.hold("another")(other.run))
        yield* other.running
        const [row] = yield* a.sql<{ readonly names: number }>`SELECT count(*)::int AS names FROM leases`
        assert.strictEqual(row?.names, 2)
        yield* Fiber.interrupt(holding)
        yield* second.running
      })
    )
  )

  it.live(
    "pass to another process if they are not renewed in time, and the first process stops its job",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const start = yield* processes
          const [a, b] = [yield* start, yield* start]
          const [first, second] = [yield* job, yield* job]
          yield* Effect.forkChild(a.leases.hold("ingest")(first.run))
          yield* first.running
          // After a freeze the lease has expired, because the process did not renew it.
          yield* a.sql`UPDATE leases SET expires_at = clock_timestamp() - interval '1 second'`
          yield* Effect.forkChild(b.leases.hold("ingest")(second.run))
          yield* second.running
          yield* first.ended
        })
      )
  )

  it.live("of a process that died end within a lease's time although the database's clock was set back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const start = yield* processes
        const [a, b] = [yield* start, yield* start]
        yield* a.sql`INSERT INTO leases VALUES ('ingest', 'dead', clock_timestamp() + interval '1 month')`
        const next = yield* job
        yield* Effect.forkChild(b.leases.hold("ingest")(next.run))
        yield* eventually(
          Effect.gen(function* () {
            const [row] = yield* a.sql<{ readonly owner: string; readonly left: number }>`
              SELECT owner, extract(epoch FROM expires_at - clock_timestamp())::float8 AS left FROM leases`
            assert.isAtMost(row!.left, Limits.leaseMs / 1_000)
            // It is not taken from its owner, who may live and renew it.
            assert.strictEqual(row!.owner, "dead")
          })
        )
        yield* a.sql`UPDATE leases SET expires_at = clock_timestamp()`
        yield* next.running
      })
    )
  )

  it.live("stay with their owner although the database's clock was set back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const start = yield* processes
        const [a, b] = [yield* start, yield* start]
        const [first, second] = [yield* job, yield* job]
        yield* Effect.forkChild(a.leases.hold("ingest")(first.run))
        yield* first.running
        yield* a.sql`UPDATE leases SET expires_at = expires_at + interval '1 hour'`
        const waiting = yield* Effect.forkChild(b.leases.hold("ingest")(second.run))
        yield* eventually(
          Effect.gen(function* () {
            const rows = yield* a.sql`
              SELECT 1 FROM leases WHERE expires_at < clock_timestamp() + interval '1 minute'`
            assert.lengthOf(rows, 1)
          })
        )
        yield* Fiber.interrupt(waiting)
        assert.isFalse(yield* first.hasEnded)
      })
    )
  )

  it.live("let a process stop while it waits for a lease", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const start = yield* processes
        const [a, b] = [yield* start, yield* start]
        const [first, second] = [yield* job, yield* job]
        yield* Effect.forkChild(a.leases.hold("ingest")(first.run))
        yield* first.running
        const waiting = yield* Effect.forkChild(b.leases.hold("ingest")(second.run))
        yield* Effect.yieldNow
        yield* Effect.timeout(Fiber.interrupt(waiting), "5 seconds")
        const [row] = yield* a.sql<{ readonly names: number }>`SELECT count(*)::int AS names FROM leases`
        assert.strictEqual(row?.names, 1)
      })
    )
  )

  it.live("return the job's result or failure", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { leases } = yield* yield* processes
        assert.strictEqual(yield* leases.hold("one")(Effect.succeed(7)), 7)
        assert.strictEqual(yield* Effect.flip(leases.hold("one")(Effect.fail("broken"))), "broken")
      })
    )
  )
})
