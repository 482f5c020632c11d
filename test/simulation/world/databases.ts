/**
 * Databases for runs, one connection to each. A run borrows one and finds it as migrated: the tables that the run
 * before filled are truncated, which takes a fifth of the time of a new database.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Pool, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlConnection, SqlError } from "effect/sql"
import { pool } from "../../../src/spine/store/Sql.ts"
import { connectionTo, type ServerAddress, TEMPLATE } from "../../support/setup/globalSetup.ts"

/** Runs at once in a process: one computes while the database works for another. */
export const AT_ONCE = 3

let count = 0

interface Database {
  readonly connection: SqlConnection.Connection
  /** Makes every table as the migrations left it. */
  readonly empty: Effect.Effect<unknown, SqlError.SqlError>
}

/** Tables with rows, without those that are kept. */
const filled = (connection: SqlConnection.Connection, kept: ReadonlyArray<string>) =>
  Effect.map(
    connection.executeValues(
      `SELECT format('%I', relname) FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`,
      []
    ),
    (rows) => rows.map(([name]) => String(name)).filter((name) => !kept.includes(name))
  )

const newDatabase = (address: ServerAddress) =>
  Effect.gen(function* () {
    const name = `simulation_${process.pid}_${count++}`
    const admin = yield* PgClient.make({ ...connectionTo(address, "postgres"), maxConnections: 1 })
    yield* Effect.acquireRelease(admin`CREATE DATABASE ${admin(name)} TEMPLATE ${admin(TEMPLATE)}`, () =>
      Effect.orDie(admin`DROP DATABASE ${admin(name)} WITH (FORCE)`)
    )
    // A statement's plan must not depend on the runs before: no statistics, and no plan for single values.
    yield* admin`ALTER DATABASE ${admin(name)} SET track_counts = off`
    yield* admin`ALTER DATABASE ${admin(name)} SET plan_cache_mode = force_generic_plan`
    const client = yield* PgClient.make({ ...pool, ...connectionTo(address, name), maxConnections: 1 })
    const connection = yield* client.reserve
    const kept = yield* filled(connection, [])
    const empty = Effect.flatMap(filled(connection, kept), (names) =>
      names.length === 0
        ? Effect.void
        : connection.executeRaw(`TRUNCATE ${names.join(", ")} RESTART IDENTITY CASCADE`, [])
    )
    // The embedded log counts its owners in a row of the migrations.
    const asMigrated = Effect.andThen(
      empty,
      connection.executeRaw("UPDATE log_owner SET owner = 0, epoch = 0", [])
    )
    return { connection, empty: asMigrated } satisfies Database
  }).pipe(Effect.provide(Reactivity.layer))

export type Databases = Effect.Effect<SqlConnection.Connection, SqlError.SqlError, Scope.Scope>

/** At most `size` runs at once, each with a database of its own. */
export const makeDatabases = (
  address: ServerAddress,
  size: number
): Effect.Effect<Databases, never, Scope.Scope> =>
  Effect.map(Pool.make({ acquire: newDatabase(address), size }), (databases) =>
    Pool.get(databases).pipe(
      Effect.tap(({ empty }) => empty),
      Effect.map(({ connection }) => connection)
    )
  )
