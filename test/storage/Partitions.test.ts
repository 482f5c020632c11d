/** Day partitions: there before a row needs them, whatever day it is, and dropped whole. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { firstIdAt } from "../../src/domain/Ids.ts"
import { Partitions } from "../../src/storage/Partitions.ts"
import { TestDatabase } from "../support/postgres.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:00.000Z")

layer(Partitions.layer.pipe(Layer.provideMerge(TestDatabase)))("partitions", (it) => {
  const names = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent IN ('deliveries'::regclass, 'attempts'::regclass) ORDER BY c.relname`
    return rows.map(({ name }) => name)
  })
  const insertAt = (unixMs: number) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO attempts (delivery_id, attempt, status, attempted_at)
                 VALUES (${firstIdAt("dlv_", unixMs)}, 1, 'failed', now())`
    })

  it.effect("take rows from the first to the last millisecond of each day made, and of no other", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      yield* partitions.ensure(NOW, NOW + DAY_MS)
      const midnight = Math.floor(NOW / DAY_MS) * DAY_MS
      yield* insertAt(midnight)
      yield* insertAt(midnight + 2 * DAY_MS - 1)
      const outside = yield* Effect.flip(insertAt(midnight + 2 * DAY_MS))
      assert.strictEqual(outside._tag, "SqlError")
    })
  )

  it.effect("may be made by several at once, and again", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      const later = NOW + 10 * DAY_MS
      yield* Effect.all(
        Array.from({ length: 4 }, () => partitions.ensure(later, later)),
        { concurrency: "unbounded" }
      )
      yield* insertAt(later)
    })
  )

  it.effect("are dropped whole once their day is past, and come back when a row needs one", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      const old = NOW - 40 * DAY_MS
      yield* partitions.ensure(old, old)
      yield* partitions.ensure(NOW, NOW)
      assert.strictEqual(yield* partitions.drop(NOW), 3)
      assert.isFalse((yield* names).some((name) => name.includes("20261012")))
      assert.include(yield* names, "deliveries_20261121")
      yield* partitions.ensure(old, old)
      yield* insertAt(old)
    })
  )
})
