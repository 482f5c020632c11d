/** What the database lacks is shown in PostgreSQL's words, with the setting. Real statements of a real PostgreSQL. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { LogError } from "../../../src/spine/log/Log.ts"
import { errorText } from "../../../src/spine/observe/Logging.ts"
import { DatabaseTrouble } from "../../../src/spine/store/DatabaseTrouble.ts"
import * as SqlPool from "../../../src/spine/store/SqlPool.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { makeDatabase, TestDatabase } from "../../support/store/postgres.ts"

const FULL = 'could not extend file "base/5/1": No space left on device'

const failWith = (state: string, message: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flip(
      sql
        .unsafe(`DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${state}'; END $$`)
        .pipe(Effect.asVoid)
    )
  )

const Live = Layer.effect(
  SqlClient.SqlClient,
  Effect.flatMap(makeDatabase, (options) => SqlPool.make("main", options, {}))
).pipe(
  Layer.provide(Reactivity.layer),
  Layer.provideMerge(DatabaseTrouble.layer),
  Layer.provide(settingsLayer({ DATA_DIR: "/data/of/the/test" }))
)

describe("trouble of the database", () => {
  it.live("is shown with PostgreSQL's words, the setting and what to do, and logged", () => {
    const said: Array<string> = []
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { recent } = yield* DatabaseTrouble
      yield* failWith("22000", "a wrong value")
      yield* Effect.flip(sql`SELECT 1 / 0`)
      assert.isUndefined(yield* recent)
      const shown = `the database in /data/of/the/test (DATA_DIR): ${FULL} (53100); free space on its disk`
      yield* failWith("53100", FULL)
      assert.strictEqual(yield* recent, shown)
      yield* sql.withTransaction(failWith("57P03", "the database system is starting up")).pipe(Effect.exit)
      assert.strictEqual(
        yield* recent,
        "the database in /data/of/the/test (DATA_DIR): the database system is starting up (57P03)"
      )
      // A session that PostgreSQL refuses.
      yield* sql`UPDATE pg_database SET datallowconn = false WHERE datname = current_database()`
      const cut = sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() ORDER BY pid = pg_backend_pid()`
      yield* Effect.exit(cut)
      yield* Effect.flip(sql`SELECT 1`)
      yield* Effect.flip(sql.withTransaction(sql`SELECT 1`))
      assert.match((yield* recent) ?? "", /is not currently accepting connections \(55000\)$/)
      assert.include(said, shown)
    }).pipe(
      Effect.provide(Live),
      Effect.provide(Logger.layer([Logger.make(({ message }) => void said.push(String(message)))]))
    )
  })

  it.live("is in every message about the error, and in the log's", () =>
    Effect.gen(function* () {
      const error = yield* failWith("53100", FULL)
      assert.strictEqual(errorText(error), `${FULL} (53100)`)
      const ofLog = new LogError({ operation: "append", topic: "a", cause: error })
      assert.strictEqual(errorText(ofLog), `the log failed to append a: ${FULL} (53100)`)
    }).pipe(Effect.provide(TestDatabase))
  )
})
