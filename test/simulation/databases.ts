/** A new database for each run, made from the migrated template, and one connection to it. */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlConnection, SqlError } from "effect/sql"
import { pool } from "../../src/storage/Sql.ts"
import { connectionTo, type ServerAddress, TEMPLATE } from "../support/globalSetup.ts"

let count = 0

export const newDatabase = (
  address: ServerAddress
): Effect.Effect<SqlConnection.Connection, SqlError.SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const name = `simulation_${process.pid}_${count++}`
    const admin = yield* PgClient.make({ ...connectionTo(address, "postgres"), maxConnections: 1 })
    yield* Effect.acquireRelease(admin`CREATE DATABASE ${admin(name)} TEMPLATE ${admin(TEMPLATE)}`, () =>
      Effect.orDie(admin`DROP DATABASE ${admin(name)} WITH (FORCE)`)
    )
    const client = yield* PgClient.make({ ...pool, ...connectionTo(address, name), maxConnections: 1 })
    return yield* client.reserve
  }).pipe(Effect.provide(Reactivity.layer))
