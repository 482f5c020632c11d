/**
 * `TestDatabase`: SqlClient, PgClient and ReadSql on a migrated database, which nothing else uses meanwhile. Provide it
 * once per file (`layer(TestDatabase)`) or per test. Tests that do not count partitions use the other two.
 */
import { dirname, extname } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { storeLimits } from "../../../src/spine/store/Limits.ts"
import { pool, ReadSql, sessionSettings } from "../../../src/spine/store/Sql.ts"
import * as SqlPool from "../../../src/spine/store/SqlPool.ts"
import type { connectionTo } from "../setup/globalSetup.ts"
import { borrowed } from "./databases.ts"

/** Borrows a database for the scope and returns the options that connect to it. */
export const makeDatabase = Effect.map(borrowed("none"), ({ options }) => options)

/** The database's DATABASE_URL. For a server on a Unix socket it has libpq's form: `/folder/.s.PGSQL.5432`. */
export const databaseUrl = (to: ReturnType<typeof connectionTo>): string =>
  "url" in to
    ? Redacted.value(to.url)
    : `postgres://${to.username}@localhost/${to.database}?host=${dirname(to.path ?? "")}&port=${extname(to.path ?? "").slice(1)}`

const clientsOf = (had: Parameters<typeof borrowed>[0]) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { options, main, read } = yield* borrowed(had)
      // The program uses its `PgClient` only for connections of their own.
      const client = yield* PgClient.make({ ...pool, ...options })
      return Context.make(PgClient.PgClient, client).pipe(
        Context.add(
          SqlClient.SqlClient,
          yield* SqlPool.over("main", main, { settings: sessionSettings.main })
        ),
        Context.add(
          ReadSql,
          yield* SqlPool.over("read", read, {
            answerMs: storeLimits.databaseAnswerMs,
            settings: sessionSettings.read
          })
        )
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

export const TestDatabase = clientsOf("none")

/** Empty partitions of a few days may exist. */
export const UsedDatabase = clientsOf("days")

/** Empty partitions of a month may exist. */
export const MonthDatabase = clientsOf("month")
