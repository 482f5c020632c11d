/**
 * `TestDatabase`: SqlClient, PgClient and ReadSql on the test's own migrated database. It is cloned from the run's
 * template and dropped with the layer. Provide it once per file (`layer(TestDatabase)`) or per test.
 */
import { dirname, extname } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { inject } from "vitest"
import { pool, ReadSql } from "../../src/spine/store/Sql.ts"
import { connectionTo, TEMPLATE } from "./globalSetup.ts"

const CONNECTIONS = 6
let count = 0

/** The connection that makes databases. It stays open, because connecting takes as long as half a database. */
let admin: Promise<PgClient.PgClient> | undefined
const connectAdmin = () =>
  Effect.runPromise(
    PgClient.make({ ...connectionTo(inject("postgres"), "postgres"), maxConnections: 1 }).pipe(
      Effect.provide(Reactivity.layer),
      Scope.provide(Scope.makeUnsafe())
    )
  )

/** Makes a database and returns the options that connect to it. Copying files is quicker than logging each page. */
export const makeDatabase = Effect.gen(function* () {
  const name = `test_${process.pid}_${count++}`
  const sql = yield* Effect.promise(() => (admin ??= connectAdmin()))
  yield* Effect.acquireRelease(
    sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(TEMPLATE)} STRATEGY FILE_COPY`,
    () => Effect.orDie(sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)
  )
  return connectionTo(inject("postgres"), name)
})

/** The database's DATABASE_URL. For a server on a Unix socket it has libpq's form: `/folder/.s.PGSQL.5432`. */
export const databaseUrl = (to: ReturnType<typeof connectionTo>): string =>
  "url" in to
    ? Redacted.value(to.url)
    : `postgres://${to.username}@localhost/${to.database}?host=${dirname(to.path ?? "")}&port=${extname(to.path ?? "").slice(1)}`

export const TestDatabase = Layer.provideMerge(
  ReadSql.layer,
  PgClient.layerFrom(
    Effect.flatMap(makeDatabase, (options) =>
      PgClient.make({ ...pool, ...options, maxConnections: CONNECTIONS })
    )
  )
)
