/**
 * Once per test run: a PostgreSQL (DATABASE_URL, else the embedded one in a temporary folder) with a migrated template
 * database that `TestDatabase` clones. Without one nothing is tested: that is an error, never a skip.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import { start } from "../../../src/spine/store/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../../src/spine/store/Migrations.ts"

/** How test processes connect to the server. It is JSON, because it is passed between processes. */
export interface ServerAddress {
  readonly url?: string
  readonly path?: string
  readonly username?: string
}

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: ServerAddress
  }
}

export const TEMPLATE = "ledgerhook_template"

/**
 * A virtual clock advances faster than a server connects. Without these settings its seconds would time out connection
 * attempts and close idle connections, and tests would open hundreds of them.
 */
const patience = { connectTimeout: Duration.infinity, idleTimeout: Duration.infinity }

/** Connection options for `database` on that server. */
export const connectionTo = ({ url, path, username }: ServerAddress, database: string) => {
  if (url === undefined) return { path, username, database, ...patience }
  const address = new URL(url)
  address.pathname = `/${database}`
  return { url: Redacted.make(address.href), ...patience }
}

/** Settings that protect data from a crash of the machine. They are off, because the data is deleted after the run. */
const SAFETY = ["fsync", "full_page_writes", "synchronous_commit"]

const prepare = Effect.fnUntraced(function* (address: ServerAddress) {
  const admin = yield* PgClient.make({ ...connectionTo(address, "postgres"), maxConnections: 1 })
  if (address.url === undefined) {
    for (const setting of SAFETY) yield* admin`ALTER SYSTEM SET ${admin(setting)} = off`
    yield* admin`SELECT pg_reload_conf()`
  }
  yield* admin`DROP DATABASE IF EXISTS ${admin(TEMPLATE)}`
  yield* admin`CREATE DATABASE ${admin(TEMPLATE)}`
  yield* Effect.scoped(
    Effect.gen(function* () {
      const client = yield* PgClient.make({ ...connectionTo(address, TEMPLATE), maxConnections: 1 })
      yield* migrate.pipe(Effect.provideService(SqlClient.SqlClient, client))
    })
  )
})

export default async (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "ledgerhook-test-"))
  const scope = Scope.makeUnsafe()
  const url = process.env["DATABASE_URL"]
  const setUp = Effect.gen(function* () {
    const address: ServerAddress =
      url === undefined || url === ""
        ? yield* start({ dataDir: folder, command: "ledgerhook test", owner: true })
        : { url }
    yield* prepare(address)
    return address
  }).pipe(Effect.provide(Reactivity.layer), Scope.provide(scope))
  project.provide("postgres", await Effect.runPromise(setUp))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}
