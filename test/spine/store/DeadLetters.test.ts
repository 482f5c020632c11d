/**
 * Records that PostgreSQL refuses are stored with the reason, once, up to a maximum. Other errors are not
 * dead letters.
 */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { column } from "../../../src/spine/store/Columns.ts"
import { makeDeadLetters, RECORD_CHARACTERS } from "../../../src/spine/store/DeadLetters.ts"
import { storeLimits } from "../../../src/spine/store/Limits.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

/** A table of names, and a stage that writes to it. */
const makeNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const deadLetters = yield* makeDeadLetters
  yield* sql`CREATE TABLE names (name text PRIMARY KEY CHECK (name <> 'forbidden'))`
  let statements = 0
  return {
    deadLetters,
    statements: () => statements,
    write: (names: ReadonlyArray<string>) =>
      deadLetters.write({
        stage: "events",
        records: names,
        describe: (name) => ({ source: `names/0@${names.indexOf(name)}`, text: name }),
        statement: (some) =>
          Effect.suspend(() => {
            statements++
            return sql<{ readonly name: string }>`
              INSERT INTO names SELECT unnest(${column(some)}::text[]) ON CONFLICT DO NOTHING RETURNING name`
          })
      }),
    written: Effect.map(
      sql<{ readonly name: string }>`SELECT name FROM names ORDER BY name COLLATE "C"`,
      (rows) => rows.map(({ name }) => name)
    )
  }
})

const names = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `name ${String(i).padStart(4, "0")}`)

describe("dead letters", () => {
  it.effect("stores the records that PostgreSQL refuses, with the reason, and writes all others once", () =>
    Effect.gen(function* () {
      const { deadLetters, statements, write, written } = yield* makeNames
      const good = names(500)
      // A text that does not compress is too large for the index.
      const large = Array.from({ length: 30_000 }, (_, i) => (i * i * 7919).toString(36)).join("")
      const all = [...good.slice(0, 100), "a\0b", "forbidden", ...good.slice(100), large]
      const { deadLetters: notStored, rows } = yield* write(all)
      assert.deepStrictEqual(notStored, ["a\0b", "forbidden", large])
      assert.deepStrictEqual(rows.map(({ name }) => name).toSorted(), good)
      assert.deepStrictEqual(yield* written, good)
      assert.isAtMost(statements(), 60)
      const { rows: kept, total } = yield* deadLetters.newest(10)
      assert.strictEqual(total, 3)
      assert.deepStrictEqual(
        kept.map(({ source }) => source),
        ["names/0@502", "names/0@101", "names/0@100"]
      )
      assert.match(kept[0]!.reason, /^index row (requires|size)/)
      assert.match(kept[1]!.reason, /violates check constraint/)
      assert.strictEqual(kept[2]!.reason, 'invalid byte sequence for encoding "UTF8": 0x00')
      assert.strictEqual(kept[2]!.record, "a\\u0000b")
      assert.strictEqual(kept[0]!.record.length, RECORD_CHARACTERS + "…".length)
    }).pipe(Effect.provide(TestDatabase))
  )

  it.effect("stores a record once, even if it is read again", () =>
    Effect.gen(function* () {
      const { deadLetters, write, written } = yield* makeNames
      yield* write(["a\0b", "good"])
      yield* write(["a\0b", "good", "later"])
      assert.strictEqual((yield* deadLetters.newest(10)).total, 1)
      assert.deepStrictEqual(yield* written, ["good", "later"])
    }).pipe(Effect.provide(TestDatabase))
  )

  it.effect("is not used for errors that the data do not cause: no table, no partition", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deadLetters = yield* makeDeadLetters
      yield* sql`CREATE TABLE days (day int) PARTITION BY RANGE (day)`
      for (const table of ["missing", "days"]) {
        const exit = yield* Effect.exit(
          deadLetters.write({
            stage: "events",
            records: [1],
            describe: () => ({ source: "1", text: "1" }),
            statement: () => sql`INSERT INTO ${sql(table)} VALUES (1)`
          })
        )
        assert.isTrue(Exit.isFailure(exit), table)
      }
      assert.strictEqual((yield* deadLetters.newest(10)).total, 0)
    }).pipe(Effect.provide(TestDatabase))
  )

  it.effect(
    "keeps the newest records up to the maximum and counts the others, until retention drops all",
    () =>
      Effect.gen(function* () {
        const { deadLetters } = yield* makeNames
        const unreadable = names(storeLimits.deadLetters + 7).map((source) => ({
          source,
          text: "",
          reason: "unreadable"
        }))
        yield* deadLetters.put("route", unreadable.slice(0, 10))
        yield* deadLetters.put("route", unreadable.slice(10))
        const { rows, total } = yield* deadLetters.newest(storeLimits.deadLetters + 7)
        assert.strictEqual(total, unreadable.length)
        assert.deepStrictEqual(
          rows.map(({ source }) => source),
          unreadable
            .slice(7)
            .map(({ source }) => source)
            .toReversed()
        )
        // The test clock is at 0.
        assert.strictEqual(yield* deadLetters.drop(0), 0)
        assert.strictEqual(yield* deadLetters.drop(1), storeLimits.deadLetters)
        assert.strictEqual((yield* deadLetters.newest(1)).total, 0)
      }).pipe(Effect.provide(TestDatabase))
  )
})
