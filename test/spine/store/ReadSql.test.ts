/** The pool for the API's lookups: it cannot write, plans a statement once, and returns each answer to its query. */

import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { storeLimits } from "../../../src/spine/store/Limits.ts"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

/** More than five: by default a session plans the first five executions for their values. */
const EXECUTIONS = 8

layer(TestDatabase)("ReadSql", (it) => {
  it.effect("cannot write", () =>
    Effect.gen(function* () {
      const read = yield* ReadSql
      const exit = yield* Effect.exit(read`CREATE TABLE written (id int)`)
      assert.isTrue(Exit.isFailure(exit))
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT to_regclass('written')::text AS written`, [{ written: null }])
    })
  )

  it.effect("plans a statement once, at its first execution", () =>
    Effect.gen(function* () {
      const read = yield* ReadSql
      for (let i = 0; i < EXECUTIONS; i++) yield* read`SELECT ${i}::int + 40 AS answer`
      const plans = yield* read<{ readonly generic: number; readonly custom: number }>`
        SELECT generic_plans::float8 AS generic, custom_plans::float8 AS custom FROM pg_prepared_statements
        WHERE statement LIKE '%AS answer'`
      assert.deepStrictEqual(plans, [{ generic: EXECUTIONS, custom: 0 }])
    })
  )

  it.effect("returns each query's own rows, even if many run concurrently and some fail", () =>
    Effect.gen(function* () {
      const read = yield* ReadSql
      const answers = yield* Effect.forEach(
        Array.from({ length: 300 }, (_, i) => i),
        (i) => Effect.exit(read<{ readonly n: number }>`SELECT (100 / (${i}::int % 10)) + ${i}::int AS n`),
        { concurrency: "unbounded" }
      )
      answers.forEach((exit, i) => {
        if (i % 10 === 0) assert.isTrue(Exit.isFailure(exit), String(i))
        else assert.deepStrictEqual(exit, Exit.succeed([{ n: Math.trunc(100 / (i % 10)) + i }]))
      })
    })
  )

  it.effect("cancels a query that takes too long", () =>
    Effect.gen(function* () {
      const read = yield* ReadSql
      const [row] = yield* read<{ readonly ms: number }>`
        SELECT setting::int AS ms FROM pg_settings WHERE name = 'statement_timeout'`
      assert.strictEqual(row?.ms, storeLimits.databaseReadMs)
    })
  )
})
