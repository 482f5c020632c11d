/**
 * `TestDatabase`: SqlClient, PgClient and ReadSql on the test's own migrated database. It is cloned from the run's
 * template and dropped with the layer. Provide it once per file (`layer(TestDatabase)`) or per test.
 */
import { dirname, extname } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { inject } from "vitest"
import { pool, ReadSql } from "../../src/storage/Sql.ts"
import { connectionTo, TEMPLATE } from "./globalSetup.ts"

const CONNECTIONS = 6
let count = 0

/** Makes a database and returns the options that connect to it. */
export const makeDatabase = Effect.gen(function* () {
  const address = inject("postgres")
  const name = `test_${process.pid}_${count++}`
  const asAdmin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
    Effect.scoped(
      Effect.flatMap(PgClient.make({ ...connectionTo(address, "postgres"), maxConnections: 1 }), use)
    )
  yield* Effect.acquireRelease(
    asAdmin((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(TEMPLATE)}`),
    () => Effect.orDie(asAdmin((sql) => sql`DROP DATABASE ${sql(name)} WITH (FORCE)`))
  )
  return connectionTo(address, name)
}).pipe(Effect.provide(Reactivity.layer))

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
